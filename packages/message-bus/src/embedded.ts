import type { Clock } from "@rubrica/runtime";
import { BusFullError, type BusMessage, type MessageBus } from "./port.ts";
import { RecentIds } from "./recent-ids.ts";
import { WaitingLine } from "./waiting-line.ts";

/** As long as NATS JetStream remembers message ids by default. */
const DEDUPE_WINDOW_MS = 2 * 60 * 1000;
const REMEMBERED_IDS = 100_000;
const DEFAULT_MAX_WAITING = 10_000;

/** What became of a message that a handler rejected. Names no person and holds nothing of the message's body. */
export interface HandlingFailure {
  subject: string;
  group: string;
  messageId: string;
  error: unknown;
}

/** A subject's groups; until there is one, its messages wait in `unclaimed`. */
interface Subject {
  groups: Map<string, WaitingLine<BusMessage>>;
  unclaimed: BusMessage[];
}

/**
 * A bus within this process: nothing of it survives the process. `maxWaiting` bounds the messages that wait for each
 * group of a subject (10,000 when not given); `onError` is told of handlers that reject.
 */
export const createEmbeddedMessageBus = (options: {
  clock: Clock;
  onError: (failure: HandlingFailure) => void;
  maxWaiting?: number;
}): MessageBus => new EmbeddedMessageBus(options);

class EmbeddedMessageBus implements MessageBus {
  readonly #onError: (failure: HandlingFailure) => void;
  readonly #maxWaiting: number;
  readonly #recentIds: RecentIds;
  readonly #subjects = new Map<string, Subject>();
  readonly #closing = new AbortController();
  readonly #consumers = new Set<Promise<unknown>>();

  constructor({ clock, onError, maxWaiting = DEFAULT_MAX_WAITING }: Parameters<typeof createEmbeddedMessageBus>[0]) {
    this.#onError = onError;
    this.#maxWaiting = maxWaiting;
    this.#recentIds = new RecentIds(clock, DEDUPE_WINDOW_MS, REMEMBERED_IDS);
  }

  async publish(message: BusMessage): Promise<void> {
    this.#refuseWhenClosed();
    if (this.#recentIds.has(message.id)) return;
    const { groups, unclaimed } = this.#subject(message.subject);
    const lines = [...groups.values()];
    if (unclaimed.length >= this.#maxWaiting || lines.some((line) => line.full))
      throw new BusFullError(message.subject);
    this.#recentIds.add(message.id);
    if (lines.length === 0) unclaimed.push(message);
    for (const line of lines) line.push(message);
  }

  async consume({ subject, group, concurrency, signal, handle }: Parameters<MessageBus["consume"]>[0]): Promise<void> {
    this.#refuseWhenClosed();
    const line = this.#line(subject, group);
    const ending = AbortSignal.any([signal, this.#closing.signal]);
    const work = async (): Promise<void> => {
      for (let message = await line.take(ending); message; message = await line.take(ending))
        try {
          await handle(message);
        } catch (error) {
          this.#onError({ subject, group, messageId: message.id, error });
        }
    };
    const consumer = Promise.all(Array.from({ length: concurrency }, work));
    this.#consumers.add(consumer);
    try {
      await consumer;
    } finally {
      this.#consumers.delete(consumer);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#consumers);
    this.#subjects.clear();
  }

  #refuseWhenClosed(): void {
    if (this.#closing.signal.aborted) throw new Error("the message bus is closed");
  }

  #subject(name: string): Subject {
    const known = this.#subjects.get(name) ?? { groups: new Map(), unclaimed: [] };
    this.#subjects.set(name, known);
    return known;
  }

  #line(subjectName: string, group: string): WaitingLine<BusMessage> {
    const subject = this.#subject(subjectName);
    const known = subject.groups.get(group);
    if (known) return known;
    const line = new WaitingLine<BusMessage>(this.#maxWaiting);
    for (const message of subject.unclaimed.splice(0)) line.push(message);
    subject.groups.set(group, line);
    return line;
  }
}

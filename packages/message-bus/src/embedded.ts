import type { Clock } from "@rubrica/runtime";
import { handledInTime } from "./ack-wait.ts";
import { BoundedQueue } from "./bounded-queue.ts";
import type { HandlingFailure } from "./failure.ts";
import { DEDUPE_WINDOW_MS, DEFAULT_MAX_WAITING, MAX_DELIVERIES } from "./limits.ts";
import { BusFullError, type BusMessage, type Consumption, type MessageBus } from "./port.ts";
import { RecentIds } from "./recent-ids.ts";

const REMEMBERED_IDS = 100_000;

/** A message on its way to a group. */
interface Waiting {
  message: BusMessage;
  /** How often it was delivered. */
  deliveries: number;
}

/** A subject's groups; until there is one, its messages wait in `waiting`. */
interface Subject {
  groups: Map<string, BoundedQueue<Waiting>>;
  waiting: BusMessage[];
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
  readonly #clock: Clock;
  readonly #onError: (failure: HandlingFailure) => void;
  readonly #maxWaiting: number;
  readonly #recentIds: RecentIds;
  readonly #subjects = new Map<string, Subject>();
  readonly #closing = new AbortController();
  readonly #consumers = new Set<Promise<unknown>>();

  constructor({ clock, onError, maxWaiting = DEFAULT_MAX_WAITING }: Parameters<typeof createEmbeddedMessageBus>[0]) {
    this.#clock = clock;
    this.#onError = onError;
    this.#maxWaiting = maxWaiting;
    this.#recentIds = new RecentIds(clock, DEDUPE_WINDOW_MS, REMEMBERED_IDS);
  }

  async publish(message: BusMessage): Promise<void> {
    this.#refuseWhenClosed();
    if (this.#recentIds.has(message.id)) return;
    const { groups, waiting } = this.#subject(message.subject);
    const queues = [...groups.values()];
    if (waiting.length >= this.#maxWaiting || queues.some((queue) => queue.full))
      throw new BusFullError(message.subject);
    this.#recentIds.add(message.id);
    if (queues.length === 0) waiting.push(message);
    for (const queue of queues) queue.push({ message, deliveries: 0 });
  }

  async ping(): Promise<void> {
    this.#refuseWhenClosed();
  }

  async consume(consumption: Consumption): Promise<void> {
    this.#refuseWhenClosed();
    const { subject, group, concurrency, signal } = consumption;
    const queue = this.#queueOf(subject, group);
    const ending = AbortSignal.any([signal, this.#closing.signal]);
    const work = async (): Promise<void> => {
      for (let waiting = await queue.take(ending); waiting; waiting = await queue.take(ending))
        await this.#deliver(queue, waiting, consumption);
    };
    const consumer = Promise.all(Array.from({ length: concurrency }, work));
    this.#consumers.add(consumer);
    try {
      await consumer;
    } finally {
      this.#consumers.delete(consumer);
    }
  }

  /** Ends with the handler, or once it was silent for too long: whoever hangs takes no consumer with them. */
  async #deliver(
    queue: BoundedQueue<Waiting>,
    { message, deliveries }: Waiting,
    { subject, group, ackWaitMs, signal, handle }: Consumption,
  ): Promise<void> {
    const number = deliveries + 1;
    const { id: messageId, body } = message;
    const failed = (error: unknown) => {
      const isEnding = signal.aborted || this.#closing.signal.aborted;
      this.#onError({ subject, group, messageId, body, isEnding, error });
    };
    try {
      if (await handledInTime(this.#clock, ackWaitMs, (extend) => handle(message, { number, extend }))) return;
      failed(new Error("its handler was silent for too long"));
      if (number < MAX_DELIVERIES) queue.push({ message, deliveries: number });
    } catch (error) {
      failed(error);
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
    const known = this.#subjects.get(name) ?? { groups: new Map(), waiting: [] };
    this.#subjects.set(name, known);
    return known;
  }

  #queueOf(subjectName: string, group: string): BoundedQueue<Waiting> {
    const subject = this.#subject(subjectName);
    const known = subject.groups.get(group);
    if (known) return known;
    const queue = new BoundedQueue<Waiting>(this.#maxWaiting);
    for (const message of subject.waiting.splice(0)) queue.push({ message, deliveries: 0 });
    subject.groups.set(group, queue);
    return queue;
  }
}

import type { Clock } from "@rubrica/runtime";
import { createInbox, type Msg, type NatsConnection, nanos } from "nats";
import { MessageBusError } from "./bus-error.ts";

/** How long JetStream keeps a request for messages that it can't meet. */
const REQUEST_MS = 30_000;
/** How often JetStream says that a request still waits. */
const HEARTBEAT_MS = 2_000;
/** How many of these are missed before the consumer is taken for gone. */
const MISSED_HEARTBEATS = 3;
/** How long an end waits for what JetStream is just sending. */
const DRAIN_MS = 2_000;
const PENDING_HEADER = "Nats-Pending-Messages";
const HEARTBEAT = 100;
const REQUEST_EXPIRED = 408;

export interface Pull {
  nc: NatsConnection;
  clock: Clock;
  stream: string;
  /** The durable consumer's name. */
  durable: string;
  /** How many more messages may be taken now. */
  free: () => number;
  take: (message: Msg) => void;
  /** Told how to say that one more may be taken. */
  onFreed: (listener: () => void) => void;
  /** Called where nothing came for as long as a request waits; a rejection ends it. */
  idle: () => Promise<void>;
  /** Ends it. */
  signal: AbortSignal;
  /** The connection is lost. */
  lost: AbortSignal;
}

/**
 * Takes messages of a durable consumer, never more than may be held: each is asked for once it may be. Resolves when
 * `signal` is aborted; what comes after that was not taken goes back at once.
 * @throws {MessageBusError} when the consumer is gone, or nothing is heard of it any more. @throws what `idle` rejects with.
 */
export const pull = async (options: Pull): Promise<void> => {
  const session = new PullSession(options);
  try {
    await session.ended;
  } finally {
    await session.close();
  }
};

class PullSession {
  readonly #options: Pull;
  readonly #inbox = createInbox();
  readonly #subscription;
  readonly #end = Promise.withResolvers<void>();
  readonly #closed = new AbortController();
  /** Messages that were asked for and have not come. */
  #asked = 0;
  #heardMs: number;
  #receivedMs: number;

  constructor(options: Pull) {
    this.#options = options;
    const { nc, clock, signal, lost, onFreed } = options;
    this.#heardMs = clock.monotonicMs();
    this.#receivedMs = this.#heardMs;
    this.#subscription = nc.subscribe(this.#inbox, {
      callback: (error, message) => (error ? this.#end.reject(error) : this.#hear(message)),
    });
    const over = AbortSignal.any([signal, this.#closed.signal]);
    signal.addEventListener("abort", () => this.#end.resolve(), { once: true, signal: this.#closed.signal });
    lost.addEventListener("abort", () => this.#break("the connection was lost"), { once: true, signal: over });
    if (signal.aborted) this.#end.resolve();
    else if (lost.aborted) this.#break("the connection was lost");
    onFreed(() => this.#ask());
    this.#ask();
    void this.#watch();
  }

  get ended(): Promise<void> {
    return this.#end.promise;
  }

  /** What JetStream sends until it knows of the end goes back. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.#options.onFreed(() => {});
    const gone = new AbortController();
    const drained = this.#subscription.drain().catch(() => {});
    await Promise.race([drained, this.#options.clock.wait(DRAIN_MS, { signal: gone.signal, background: true })]);
    gone.abort();
    this.#subscription.unsubscribe();
  }

  #ask(): void {
    const { nc, stream, durable, free } = this.#options;
    const batch = free() - this.#asked;
    if (batch <= 0 || this.#closed.signal.aborted || this.#options.signal.aborted || nc.isClosed()) return;
    if (this.#asked === 0) this.#heardMs = this.#options.clock.monotonicMs();
    this.#asked += batch;
    const request = { batch, expires: nanos(REQUEST_MS), idle_heartbeat: nanos(HEARTBEAT_MS) };
    nc.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`, JSON.stringify(request), { reply: this.#inbox });
  }

  #hear(message: Msg): void {
    this.#heardMs = this.#options.clock.monotonicMs();
    // What JetStream says of a request comes on the inbox itself, a message on its own subject.
    if (message.subject === this.#inbox) this.#hearOfRequest(message);
    else this.#receive(message);
  }

  #receive(message: Msg): void {
    this.#asked--;
    this.#receivedMs = this.#heardMs;
    if (this.#closed.signal.aborted || this.#options.signal.aborted) message.respond("-NAK");
    else this.#options.take(message);
  }

  #hearOfRequest({ headers }: Msg): void {
    const code = headers?.code ?? 0;
    if (code === HEARTBEAT) return;
    const unmet = Number(headers?.get(PENDING_HEADER));
    if (code === REQUEST_EXPIRED && unmet > 0) {
      this.#asked -= unmet;
      this.#ask();
      if (this.#heardMs - this.#receivedMs >= REQUEST_MS) void this.#options.idle().catch(this.#end.reject);
    } else {
      this.#break(headers?.description || `status ${code}`);
    }
  }

  async #watch(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#closed;
    while (!signal.aborted) {
      await clock.wait(HEARTBEAT_MS, { signal, background: true });
      const silentMs = clock.monotonicMs() - this.#heardMs;
      if (this.#asked > 0 && silentMs > MISSED_HEARTBEATS * HEARTBEAT_MS) this.#break("nothing is heard of it");
    }
  }

  #break(why: string): void {
    this.#end.reject(new MessageBusError(`messages can't be taken: ${why}`));
  }
}

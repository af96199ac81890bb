import { type AllStreamSubscription, eventTypeFilter, streamNameFilter } from "@eventstore/db-client";
import type { Position, RecordedEvent } from "../port.ts";
import type { SteadyClient } from "./client.ts";
import type { Deadlines, Waited } from "./deadlines.ts";
import { SubscriptionOver } from "./errors.ts";
import { toRecorded } from "./events.ts";

/** Which events a feed gives: of streams whose names start with one of these, or of types that start so. */
export type Wanted = { streamPrefixes: readonly string[] } | { typePrefix: string };

/** Events that are held for a slow consumer at most; then the server has to wait. */
const MAX_HELD_EVENTS = 128;
/**
 * How long the server may be silent before it has caught up. After that, silence only means that there is nothing new.
 */
const SILENCE_MS = 10_000;
/** The server says how far it has looked after 32 times as many events. */
const CHECKPOINT_INTERVAL = 8;

/** Some of what came, in order. */
export interface Arrived {
  events: RecordedEvent[];
  /** How far the server has looked, wanted or not, when it has said so. */
  checkpoint: Position | undefined;
  /** Whether nothing else was there at the time. */
  caughtUp: boolean;
}

const filterOf = (wanted: Wanted, checkpointReached: (position: Position) => void) => {
  const options = {
    checkpointInterval: CHECKPOINT_INTERVAL,
    checkpointReached: async (_: unknown, position: Position) => checkpointReached(position),
  };
  if ("typePrefix" in wanted) return eventTypeFilter({ ...options, prefixes: [wanted.typePrefix] });
  // The server's own streams begin with "$".
  if (wanted.streamPrefixes.length === 0) return streamNameFilter({ ...options, regex: "^[^$]" });
  return streamNameFilter({ ...options, prefixes: [...wanted.streamPrefixes] });
};

/** One filtered subscription to all, after a position, until it fails. */
export class Feed {
  readonly #subscription: AllStreamSubscription;
  #events: RecordedEvent[] = [];
  #checkpoint: Position | undefined;
  #isLive = false;
  /** Something came that was not taken yet. */
  #hasNews = false;
  #failure: unknown;
  #wake: () => void = () => {};
  readonly #deadlines: Deadlines;
  readonly #silence: Waited = { endMs: 0, limitMs: SILENCE_MS, over: (error) => this.#fail(error) };
  readonly #signal: AbortSignal;
  readonly #onAbort = () => this.#wake();
  readonly #client: SteadyClient;
  readonly #onLeft = () => this.#fail(new SubscriptionOver());

  /** When `signal` is aborted, nothing more is waited for. */
  constructor(options: {
    client: SteadyClient;
    deadlines: Deadlines;
    after: Position | undefined;
    wanted: Wanted;
    signal: AbortSignal;
  }) {
    const { client, deadlines, after, wanted, signal } = options;
    this.#client = client;
    client.onLeft.add(this.#onLeft);
    this.#deadlines = deadlines;
    this.#signal = signal;
    signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#subscription = client.subscribeToAll({
      fromPosition: after ?? "start",
      // A follower may lack events that the leader has: it would say too early that all were given.
      requiresLeader: true,
      filter: filterOf(wanted, (position) => {
        // Events before the checkpoint may still be in the stream's own buffer: take all of them first.
        this.#hold(Number.POSITIVE_INFINITY);
        this.#checkpoint = position;
        this.#tell();
      }),
    });
    this.#subscription
      .on("readable", () => this.#hold(MAX_HELD_EVENTS))
      .on("caughtUp", () => {
        this.#isLive = true;
        this.#tell();
      })
      .on("error", (error) => this.#fail(error))
      .on("end", () => this.#fail(new SubscriptionOver()))
      .on("close", () => this.#fail(new SubscriptionOver()));
    // Not in the client's types: the server went ahead faster than this reader.
    this.#subscription.on("fellBehind" as "end", () => {
      this.#isLive = false;
    });
  }

  /**
   * What came since the last time; waits until there is something. @throws what the subscription failed with, or
   * {@link Silence} when the server says nothing at all before it has caught up.
   */
  async take(): Promise<Arrived> {
    while (!this.#hasNews && !this.#signal.aborted) {
      if (this.#failure) throw this.#failure;
      await this.#news();
    }
    const events = this.#events;
    const checkpoint = this.#checkpoint;
    // "Caught up" is told before the events that still are in the stream's own buffer.
    const caughtUp = this.#isLive && this.#subscription.readableLength === 0;
    this.#events = [];
    this.#checkpoint = undefined;
    this.#hasNews = false;
    this.#hold(MAX_HELD_EVENTS);
    return { events, checkpoint, caughtUp };
  }

  close(): void {
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#client.onLeft.delete(this.#onLeft);
    this.#deadlines.end(this.#silence);
    this.#subscription.unsubscribe().catch(() => {});
    this.#subscription.destroy();
  }

  #hold(most: number): void {
    while (this.#events.length < most) {
      const resolved = this.#subscription.read();
      if (resolved === null) return;
      const event = toRecorded(resolved);
      if (!event) continue;
      this.#events.push(event);
      this.#tell();
    }
  }

  #tell(): void {
    this.#hasNews = true;
    this.#wake();
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#wake();
  }

  async #news(): Promise<void> {
    // Once it has caught up, silence only means that there is nothing new.
    if (this.#isLive) return this.#woken();
    this.#deadlines.begin(this.#silence);
    await this.#woken();
    this.#deadlines.end(this.#silence);
    // What came with it makes one batch.
    if (!this.#isLive) await new Promise((resolve) => setImmediate(resolve));
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

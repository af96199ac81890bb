import { type AllStreamSubscription, eventTypeFilter, streamNameFilter } from "@eventstore/db-client";
import type { Position, RecordedEvent } from "../port.ts";
import type { SteadyClient } from "./client.ts";
import { SubscriptionOver } from "./errors.ts";
import { toRecorded } from "./events.ts";

/** Which events a feed gives: of streams whose names start with one of these, or of types that start so. */
export type Wanted = { streamPrefixes: readonly string[] } | { typePrefix: string };

/** So many events are held for a consumer that is slow; then the server has to wait. */
const MAX_HELD_EVENTS = 128;
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

  constructor(client: SteadyClient, after: Position | undefined, wanted: Wanted) {
    this.#subscription = client.subscribeToAll({
      fromPosition: after ?? "start",
      filter: filterOf(wanted, (position) => {
        // What comes before it may still be in the stream's own buffer.
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

  /** What came since the last time; waits until there is something. @throws what the subscription failed with. */
  async take(signal: AbortSignal): Promise<Arrived> {
    while (!this.#hasNews && !signal.aborted) {
      if (this.#failure) throw this.#failure;
      await this.#news(signal);
    }
    const events = this.#events;
    const checkpoint = this.#checkpoint;
    // The word that it has caught up overtakes events that are in the stream's own buffer.
    const caughtUp = this.#isLive && this.#subscription.readableLength === 0;
    this.#events = [];
    this.#checkpoint = undefined;
    this.#hasNews = false;
    this.#hold(MAX_HELD_EVENTS);
    return { events, checkpoint, caughtUp };
  }

  /** Whether the server has said that all there was has been given. */
  get isLive(): boolean {
    return this.#isLive;
  }

  close(): void {
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

  #news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#wake = wake;
      signal.addEventListener("abort", wake, { once: true });
    });
  }
}

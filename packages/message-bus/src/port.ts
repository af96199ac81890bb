import type { JsonValue } from "./json.ts";

/** Something published on a subject. */
export interface BusMessage {
  /** Deduplicates: a bus may drop a message whose id it saw within the last two minutes. */
  id: string;
  subject: string;
  body: JsonValue;
}

/**
 * Transport between the obligations' publisher and the subscribers. At least once while it lives; not memory: what is
 * lost with it is published again by whoever is obliged.
 */
export interface MessageBus {
  /**
   * Hands the message to every group that consumes its subject; what comes before there is one waits for the first.
   * @throws {BusFullError} when a group has too many messages waiting; none got it then.
   */
  publish(message: BusMessage): Promise<void>;
  /**
   * Handles the messages of a subject, at most `concurrency` at a time, each by one consumer of the `group`.
   * A handler that resolves acknowledges; one that rejects leaves the message to be published again by its obligation.
   * Ends when `signal` is aborted, once the handlers in flight have ended.
   */
  consume(options: {
    subject: string;
    group: string;
    concurrency: number;
    signal: AbortSignal;
    handle: (message: BusMessage) => Promise<void>;
  }): Promise<void>;
  close(): Promise<void>;
}

/** Too many messages wait already: what was not taken is to be published again later. */
export class BusFullError extends Error {
  constructor(subject: string) {
    super(`too many messages wait on ${subject}`);
    this.name = "BusFullError";
  }
}

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

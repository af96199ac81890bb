import type { JsonValue } from "./json.ts";

/** Something published on a subject. */
export interface BusMessage {
  /** Deduplicates: a bus may drop a message whose id it saw within the last two minutes. */
  id: string;
  subject: string;
  body: JsonValue;
}

/** What a handler may do about the message in its hands. */
export interface Delivery {
  /** How often the message was delivered to the group, this time included. */
  number: number;
  /** The work takes longer: the time to acknowledge begins anew. */
  extend(): void;
}

/** Messages of a subject, for one of a group's consumers. */
export interface Consumption {
  subject: string;
  group: string;
  /** How many are handled at a time. */
  concurrency: number;
  /** How long a handler may be silent, neither ending nor extending, before the message is delivered again. */
  ackWaitMs: number;
  signal: AbortSignal;
  handle: (message: BusMessage, delivery: Delivery) => Promise<void>;
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
   * Handles the messages of a subject, each by one consumer of the `group`. A message is acknowledged when its handler
   * resolves, and no sooner: what a process holds in memory is lost with it. When it rejects, that is acknowledged
   * negatively: the message is over, and its obligation has it published again when it is due. When the handler is silent
   * for `ackWaitMs`, the message is delivered again, some times at most, and what becomes of that handler counts no more.
   * Ends when `signal` is aborted, once the handlers in flight have ended.
   */
  consume(consumption: Consumption): Promise<void>;
  /** Resolves when messages are taken; for readiness. @throws when they are not, within some seconds. */
  ping(): Promise<void>;
  /** Takes no more, and waits for handlers in flight, as long as the engine bounds it. */
  close(): Promise<void>;
}

/** Too many messages wait already: what was not taken is to be published again later. */
export class BusFullError extends Error {
  constructor(subject: string) {
    super(`too many messages wait on ${subject}`);
    this.name = "BusFullError";
  }
}

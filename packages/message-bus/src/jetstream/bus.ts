import { type Backoff, backoffMs, type Clock } from "@rubrica/runtime";
import { ErrorCode, type JetStreamClient, type Msg, NatsError } from "nats";
import type { HandlingFailure } from "../failure.ts";
import { DEFAULT_MAX_WAITING } from "../limits.ts";
import { BusFullError, type BusMessage, type Consumption, type MessageBus } from "../port.ts";
import { MessageBusError } from "./bus-error.ts";
import { type Connection, openConnection } from "./connection.ts";
import { deliver } from "./delivery.ts";
import { isBroken, isFull, isUnanswered, wordsOf } from "./errors.ts";
import { pull } from "./pull.ts";
import { Replicas } from "./replicas.ts";
import { Topology } from "./topology.ts";

const DEFAULT_STREAM = "rubrica";
/** How long JetStream has to answer one call. */
const ANSWER_MS = 2_000;
/** How long a message is tried to be published; it may be again afterwards, with the same id. */
const PUBLISH_MS = 6_000;
/** A cluster that lost its leader elects another within 4 to 9 s, and once more where the votes were split. */
const OPEN_MS = 30_000;
/** How long no consumer looks again why nothing comes. */
const LOOK_MS = 20_000;
const PAUSE_MS = 250;
const BACKOFF: Backoff = { firstMs: PAUSE_MS, longestMs: 5_000 };
/** How long an end waits for handlers in flight. */
const CLOSE_MS = 8_000;

export interface JetStreamOptions {
  /** `nats://` or `tls://`, with what opens it. */
  url: string;
  clock: Clock;
  /** Told of handlers that reject or are silent. */
  onError: (failure: HandlingFailure) => void;
  /** Told, in sentences for the operator, of what stands still and is tried again. */
  onWarning?: (sentence: string) => void;
  /** The stream's name, and what its subjects begin with: whoever shares it shares what is published. */
  stream?: string;
  /** Messages that wait at most on each subject, those in hand included. */
  maxWaiting?: number;
  /** On how many servers of a cluster the stream is kept; three by default, one where the servers refuse. */
  replicas?: number | undefined;
}

/**
 * A bus on NATS JetStream, for all processes that name the same server. What it needs there is made at its start, and
 * anew when it is gone. No call waits for ever; what a server loses is published again by whoever is obliged.
 * @throws {MessageBusError} when no server with JetStream answers within 30 s, or the URL can't be read.
 */
export const openJetStreamMessageBus = async ({
  onWarning = () => {},
  stream = DEFAULT_STREAM,
  maxWaiting = DEFAULT_MAX_WAITING,
  ...options
}: JetStreamOptions): Promise<MessageBus> => {
  const { url, clock } = options;
  const connection = await openConnection({ url, clock, onWarning });
  const manager = await connection.nc.jetstreamManager({ timeout: ANSWER_MS, checkAPI: false });
  const replicas = new Replicas(manager, options.replicas, onWarning);
  const topology = new Topology({ manager, clock, stream, maxWaiting, replicas });
  const client = connection.nc.jetstream({ timeout: ANSWER_MS });
  const bus = new JetStreamMessageBus({ ...options, onWarning, connection, topology, client });
  try {
    await bus.start();
    return bus;
  } catch (error) {
    await connection.close();
    throw error;
  }
};

interface Parts extends Pick<JetStreamOptions, "clock" | "onError"> {
  onWarning: (sentence: string) => void;
  connection: Connection;
  topology: Topology;
  client: JetStreamClient;
}

class JetStreamMessageBus implements MessageBus {
  readonly #parts: Parts;
  readonly #closing = new AbortController();
  readonly #consumers = new Set<Promise<void>>();
  /**
   * The stream's number of the last message published. A number that is not higher shows that the stream was made anew.
   */
  #lastSequence = 0;
  /** When it was last looked whether the stream has lost messages. */
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws {MessageBusError} */
  start(): Promise<void> {
    return this.#insist("JetStream does not answer", OPEN_MS, async () => {
      await this.#parts.topology.look();
    });
  }

  publish(message: BusMessage): Promise<void> {
    return this.#insist("a message could not be published", PUBLISH_MS, () => this.#publish(message));
  }

  async ping(): Promise<void> {
    this.#refuseWhenClosed();
    const { topology } = this.#parts;
    try {
      await topology.look();
    } catch (error) {
      throw new MessageBusError(`the message bus can't be used: ${wordsOf(error)}`, error);
    }
  }

  async consume(consumption: Consumption): Promise<void> {
    this.#refuseWhenClosed();
    const consumer = this.#consume(consumption);
    this.#consumers.add(consumer);
    try {
      await consumer;
    } finally {
      this.#consumers.delete(consumer);
    }
  }

  /** Waits for handlers in flight, 8 s at most; what they had in hand then is delivered to another process. */
  async close(): Promise<void> {
    this.#closing.abort();
    const { clock, connection } = this.#parts;
    const ended = new AbortController();
    const bound = clock.wait(CLOSE_MS, { signal: ended.signal, background: true });
    await Promise.race([Promise.allSettled(this.#consumers), bound]);
    ended.abort();
    await connection.close();
  }

  async #publish({ id, subject, body }: BusMessage): Promise<void> {
    const { topology, client } = this.#parts;
    await topology.ensureConsumer(subject);
    try {
      const { seq, duplicate } = await client.publish(topology.subjectOf(subject), JSON.stringify(body), { msgID: id });
      if (duplicate) return;
      if (seq <= this.#lastSequence) topology.reset();
      this.#lastSequence = seq;
    } catch (error) {
      if (isBroken(error)) await topology.remove();
      if (!isFull(error)) throw error;
      await topology.letGo(subject);
      throw new BusFullError(subject);
    }
  }

  /** Does it again, until it is done or `withinMs` have passed. A stream that is gone is made anew on the way. */
  async #insist(what: string, withinMs: number, act: () => Promise<void>): Promise<void> {
    const { clock, connection, topology } = this.#parts;
    const endMs = clock.monotonicMs() + withinMs;
    for (;;) {
      this.#refuseWhenClosed();
      try {
        return await act();
      } catch (error) {
        if (error instanceof BusFullError || error instanceof MessageBusError) throw error;
        if (isUnanswered(error)) topology.reset();
        if (!mayPass(error) || clock.monotonicMs() + PAUSE_MS >= endMs)
          throw new MessageBusError(`The message bus (${connection.place.shown}): ${what}: ${wordsOf(error)}.`, error);
        await clock.wait(PAUSE_MS, { signal: this.#closing.signal });
      }
    }
  }

  async #consume(consumption: Consumption): Promise<void> {
    const { clock, onWarning } = this.#parts;
    const ending = AbortSignal.any([consumption.signal, this.#closing.signal]);
    const hand = new Hand(consumption.concurrency);
    for (let failures = 0; !ending.aborted; ) {
      const beganMs = clock.monotonicMs();
      try {
        await this.#pull(consumption, hand, ending);
      } catch (error) {
        if (ending.aborted) break;
        failures = clock.monotonicMs() - beganMs > BACKOFF.longestMs ? 1 : failures + 1;
        // Once for each time that it stands still.
        if (failures === 1)
          onWarning(`Messages of ${consumption.subject} can't be taken (it is tried again): ${wordsOf(error)}.`);
        await clock.wait(backoffMs(failures, BACKOFF), { signal: ending, background: true });
      }
    }
    await hand.emptied();
  }

  async #pull(consumption: Consumption, hand: Hand, signal: AbortSignal): Promise<void> {
    const { connection, topology, clock, onError } = this.#parts;
    const { nc } = connection;
    const lost = connection.lost();
    const durable = await topology.consumer(consumption);
    const take = (message: Msg) => hand.hold(deliver(message, { nc, clock, consumption, onError }));
    const free = () => hand.free;
    const onFreed = (listener: () => void) => hand.onFreed(listener);
    const idle = () => this.#idle();
    await pull({ nc, clock, stream: topology.stream, durable, free, take, onFreed, idle, signal, lost });
  }

  /** Looks why nothing comes to a consumer; once for all of them, as their stream is the same. */
  async #idle(): Promise<void> {
    const { clock, topology } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#lookedMs < LOOK_MS) return;
    this.#lookedMs = nowMs;
    if (!(await topology.hasLostMessages())) return;
    await topology.remove();
    throw new MessageBusError("the stream has lost its files");
  }

  #refuseWhenClosed(): void {
    if (this.#closing.signal.aborted) throw new MessageBusError("the message bus is closed");
  }
}

/** Whether the same call may succeed a moment later. */
const mayPass = (error: unknown): boolean =>
  error instanceof NatsError &&
  (isUnanswered(error) ||
    isBroken(error) ||
    [ErrorCode.Timeout, ErrorCode.Disconnect, ErrorCode.Cancelled].includes(error.code as ErrorCode));

/** What a consumer has in hand, so many at most. */
class Hand {
  readonly #size: number;
  readonly #held = new Set<Promise<void>>();
  #listener = (): void => {};

  constructor(size: number) {
    this.#size = size;
  }

  /** How many more it may hold. */
  get free(): number {
    return this.#size - this.#held.size;
  }

  /** Told whenever it may hold one more. */
  onFreed(listener: () => void): void {
    this.#listener = listener;
  }

  hold(work: Promise<void>): void {
    const held = work.finally(() => {
      this.#held.delete(held);
      this.#listener();
    });
    this.#held.add(held);
  }

  async emptied(): Promise<void> {
    await Promise.allSettled(this.#held);
  }
}

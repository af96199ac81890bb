import { isDeepStrictEqual } from "node:util";
import {
  ConflictError,
  type EventStore,
  MAX_APPEND_BYTES,
  type NewEvent,
  type RecordedEvent,
} from "@rubrica/event-store";
import { ChainVerifier, parseStreamName } from "@rubrica/events";
import { hashedForm } from "@rubrica/journal";
import { ownEvents } from "../audit-store.ts";
import { MigrationError } from "./migration-error.ts";
import type { Tell } from "./step.ts";

/** The most that is put into one append. A single event may be larger, up to what an append may hold. */
const BATCH_BYTES = MAX_APPEND_BYTES / 2;
const BATCH_EVENTS = 500;

type Log = Pick<EventStore, "readAll" | "lastPosition">;

/** About how many events there are: places of an embedded store are counted. */
export const guessEvents = async (events: Log): Promise<number> => Number((await events.lastPosition())?.commit ?? 0n);

/**
 * Appends what the target lacks, in the order of the log, so that it holds a prefix of it at every moment.
 * @throws {MigrationError} when it holds anything else, or an event can't be read.
 */
export const copyEvents = async (from: Log, to: EventStore, all: number, tell: Tell): Promise<void> => {
  let done = 0;
  const ours = readable(from.readAll());
  await using _closing = { [Symbol.asyncDispose]: async () => void (await ours.return()) };
  for await (const there of ownEvents(to)) {
    const { value: event, done: ended } = await ours.next();
    if (ended) throw goneOn(there);
    if (!isSame(event, there)) throw otherEvents(there);
    done += 1;
    tell("copy events", done, all);
  }
  for await (const batch of batchesOf(ours)) {
    await append(to, batch);
    done += batch.length;
    tell("copy events", done, all);
  }
};

/** How many events and streams a log holds, and of how many streams the hash chain does not hold. */
export interface Compared {
  events: number;
  streams: number;
  brokenChains: number;
}

/** Checks that both hold the same events in the same order. @throws {MigrationError} when they do not. */
export const checkEvents = async (from: Log, to: Log, all: number, tell: Tell): Promise<Compared> => {
  const verifier = new ChainVerifier();
  const broken = new Set<string>();
  let [events, streams] = [0, 0];
  const theirs = ownEvents(to);
  await using _closing = { [Symbol.asyncDispose]: async () => void (await theirs.return()) };
  for await (const event of readable(from.readAll())) {
    const { value: there, done } = await theirs.next();
    if (done) throw new MigrationError(`The event store lacks ${placeOf(event)}: migrate again.`);
    if (!isSame(event, there)) throw otherEvents(there);
    if (!broken.has(event.stream) && !verifier.verify(hashedForm(event))) broken.add(event.stream);
    events += 1;
    if (event.revision === 0n) streams += 1;
    tell("check events", events, all);
  }
  const { value: more, done } = await theirs.next();
  if (!done) throw goneOn(more);
  return { events, streams, brokenChains: broken.size };
};

const readable = async function* (
  events: AsyncIterable<RecordedEvent>,
): AsyncGenerator<RecordedEvent, void, undefined> {
  for await (const event of events) {
    if (!parseStreamName(event.stream))
      throw new MigrationError(`The data folder holds the stream ${event.stream}, which is none of this version's.`);
    if (event.damage !== undefined)
      throw new MigrationError(
        `The data folder holds what can't be copied, ${placeOf(event)}: ${event.damage}; restore it from a backup.`,
      );
    yield event;
  }
};

/** Events that follow on each other in one stream, as many as one append takes. */
const batchesOf = async function* (events: AsyncIterable<RecordedEvent>): AsyncGenerator<RecordedEvent[]> {
  let batch: RecordedEvent[] = [];
  let batchBytes = 0;
  for await (const event of events) {
    const sizeBytes = sizeOf(event);
    const isFull = batch.length === BATCH_EVENTS || batchBytes + sizeBytes > BATCH_BYTES;
    if (batch.length > 0 && (isFull || batch[0]?.stream !== event.stream)) {
      yield batch;
      batch = [];
      batchBytes = 0;
    }
    batch.push(event);
    batchBytes += sizeBytes;
  }
  if (batch.length > 0) yield batch;
};

const append = async (to: EventStore, batch: readonly RecordedEvent[]): Promise<void> => {
  const [first] = batch;
  if (!first) return;
  try {
    await to.append(first.stream, first.revision === 0n ? "no_stream" : first.revision - 1n, batch.map(asNew));
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    throw new MigrationError(
      `The event store takes no event as ${placeOf(first)}: stop whatever else writes to it, and use an empty one.`,
      error,
    );
  }
};

const asNew = ({ id, type, data, metadata }: RecordedEvent): NewEvent => ({ id, type, data, metadata });

const sizeOf = ({ type, data, metadata }: RecordedEvent): number =>
  Buffer.byteLength(JSON.stringify(data)) + Buffer.byteLength(JSON.stringify(metadata)) + 2 * type.length;

/** All of it but the position, which is the store's own. */
const isSame = (one: RecordedEvent, other: RecordedEvent): boolean =>
  one.stream === other.stream &&
  one.revision === other.revision &&
  other.damage === undefined &&
  isDeepStrictEqual(asNew(one), asNew(other));

const placeOf = ({ stream, revision }: RecordedEvent): string => `revision ${revision} of ${stream}`;

const otherEvents = (there: RecordedEvent) =>
  new MigrationError(
    `The event store holds other events than the data folder, from ${placeOf(there)} on: use an empty one.`,
  );

const goneOn = (there: RecordedEvent) =>
  new MigrationError(
    `The event store has gone on after what the data folder holds, with ${placeOf(there)}: services have run on it, or the folder was put back from a backup.`,
  );

import type { DatabaseSync } from "node:sqlite";
import { type Clock, type Random, systemRandom } from "@rubrica/runtime";
import type {
  AppendResult,
  EventBatch,
  EventStore,
  ExpectedRevision,
  NewEvent,
  PlacedHash,
  Position,
  RecordedEvent,
  StreamEnd,
} from "../port.ts";
import { prepareAppend } from "../prepare-append.ts";
import { CachedEnds } from "./cached-ends.ts";
import { Changes } from "./changes.ts";
import { CommitThread } from "./commit-thread.ts";
import { IN_MEMORY, openDatabase } from "./database.ts";
import { EventStoreFailedError, explain, explained } from "./errors.ts";
import { faultsOf } from "./faults.ts";
import { gatherWhileBusy } from "./gathering.ts";
import { type Commit, GroupCommit } from "./group-commit.ts";
import { positionOf, Reader, seqOf } from "./reader.ts";
import { nextImmediate, subscribe } from "./subscription.ts";
import { Writer } from "./writer.ts";

const POLL_INTERVAL_MS = 250;

/** Past any revision. */
const NO_END = Number.MAX_SAFE_INTEGER;

/** What the embedded engine is opened with. */
export interface EmbeddedEventStoreOptions {
  /** The store's file, made when missing, in a directory that exists; or `:memory:`, which close() forgets. */
  path: string;
  clock: Clock;
  /** For jitter when another process holds the file. */
  random?: Random;
  /** What the names of our streams start with, each up to its first "-" (for `lastPosition`); none: all are ours. */
  streamPrefixes?: readonly string[];
  /** Whether ends of streams stay in memory: `streamEnd` may then miss for so long what another process appended. */
  cachesEnds?: boolean;
  /** How often to look for what other processes appended, in milliseconds; 250 by default. */
  pollIntervalMs?: number;
}

/**
 * The event store for a single machine, on SQLite. Several processes may open one file.
 *
 * An append is synced to disk before it resolves; those that come at the same time, or, while this thread is busy, within
 * 10 ms, share one sync. What another process appends is noticed within `pollIntervalMs`.
 * @throws {EventStoreFailedError} when the file can't be used; its methods reject with the same when it fails later.
 */
export const openEmbeddedEventStore = (options: EmbeddedEventStoreOptions): EventStore =>
  new EmbeddedEventStore(openDatabase(options.path), options);

/** Ends are forgotten before anybody is answered, also where nobody knows whether the group was written. */
const commitBy =
  (writer: Writer | CommitThread, ends: CachedEnds | undefined): Commit =>
  async (group) => {
    try {
      return await writer.commit(group);
    } finally {
      for (const { stream } of group) ends?.evict(stream);
    }
  };

class EmbeddedEventStore implements EventStore {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #reader: Reader;
  readonly #group: GroupCommit;
  /** Undefined for a store in memory: no other thread can reach it. */
  readonly #thread: CommitThread | undefined;
  readonly #streamPrefixes: readonly string[];
  readonly #changes = new Changes();
  readonly #ends: CachedEnds | undefined;
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  constructor(db: DatabaseSync, options: EmbeddedEventStoreOptions) {
    const { path, clock, random = systemRandom, pollIntervalMs, streamPrefixes = [] } = options;
    this.#db = db;
    this.#path = path;
    this.#reader = new Reader(db);
    this.#ends = options.cachesEnds ? new CachedEnds() : undefined;
    this.#streamPrefixes = streamPrefixes;
    this.#thread = path === IN_MEMORY ? undefined : new CommitThread(path);
    this.#group = new GroupCommit({
      commit: commitBy(this.#thread ?? new Writer(db), this.#ends),
      committed: () => this.#changes.notify(),
      gather: this.#thread && gatherWhileBusy(),
      clock,
      random,
    });
    if (path !== IN_MEMORY) void this.#watchOthers(clock, pollIntervalMs ?? POLL_INTERVAL_MS);
  }

  async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult> {
    this.#checkOpen();
    const append = prepareAppend(stream, expected, events);
    try {
      return await this.#group.append(append);
    } catch (error) {
      throw explain(error, this.#path);
    }
  }

  async *readStream(stream: string, from = 0n): AsyncGenerator<RecordedEvent, void, undefined> {
    let reached = Number(from) - 1;
    let last = NO_END;
    while (reached < last) {
      const chunk = this.#read((reader) => reader.stream(stream, reached, last));
      // What one chunk holds needs no end; a longer stream is read up to where it was at the first.
      if (last === NO_END && chunk.reached < NO_END)
        last = Number(this.#read((reader) => reader.end(stream))?.revision);
      yield* chunk.events;
      reached = chunk.reached;
      if (reached < last) await nextImmediate();
    }
  }

  async readLast(stream: string): Promise<RecordedEvent | undefined> {
    return this.#read((reader) => reader.last(stream));
  }

  async streamEnd(stream: string): Promise<StreamEnd | undefined> {
    return this.#read((reader) => {
      const read = () => reader.end(stream);
      return this.#ends ? this.#ends.of(stream, read) : read();
    });
  }

  async *readAll(
    after?: Position,
    options: { streamPrefix: string } | { type: string } = { streamPrefix: "" },
  ): AsyncGenerator<RecordedEvent, void, undefined> {
    const last = this.#read((reader) => reader.lastSeq());
    let reached = seqOf(after);
    while (reached < last) {
      const chunk = this.#read((reader) =>
        "type" in options
          ? reader.ofType(reached, last, options.type)
          : reader.all(reached, last, options.streamPrefix),
      );
      for (const event of chunk.events) yield event;
      reached = chunk.reached;
      if (reached < last) await nextImmediate();
    }
  }

  async *readHashes(after?: Position): AsyncGenerator<readonly PlacedHash[], void, undefined> {
    const last = this.#read((reader) => reader.lastSeq());
    let reached = seqOf(after);
    while (reached < last) {
      const chunk = this.#read((reader) => reader.hashes(reached, last));
      yield chunk.hashes;
      reached = chunk.reached;
      if (reached < last) await nextImmediate();
    }
  }

  subscribeToAll(options: {
    after?: Position | undefined;
    streamPrefix?: string;
    signal: AbortSignal;
  }): AsyncIterable<EventBatch> {
    return subscribe({
      read: (work) => this.#read(work),
      changes: this.#changes,
      after: options.after,
      prefix: options.streamPrefix ?? "",
      signal: AbortSignal.any([options.signal, this.#closing.signal]),
    });
  }

  async lastPosition(): Promise<Position | undefined> {
    return positionOf(this.#read((reader) => reader.lastSeqOf(this.#streamPrefixes)));
  }

  async faults(): Promise<readonly string[]> {
    this.#checkOpen();
    return explained(this.#path, () => faultsOf(this.#db));
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** Subscriptions end, appends that were queued are still written. */
  async #close(): Promise<void> {
    this.#closing.abort();
    await this.#group.drained();
    await this.#thread?.close();
    this.#db.close();
  }

  #read<T>(work: (reader: Reader) => T): T {
    this.#checkOpen();
    return explained(this.#path, () => work(this.#reader));
  }

  #checkOpen(): void {
    if (this.#closing.signal.aborted) throw new EventStoreFailedError("closed", "The event store is closed.");
  }

  /** `PRAGMA data_version` changes when another connection has committed. */
  async #watchOthers(clock: Clock, pollIntervalMs: number): Promise<void> {
    const { signal } = this.#closing;
    const statement = this.#db.prepare("PRAGMA data_version");
    let seen: unknown;
    for (;;) {
      await clock.wait(pollIntervalMs, { signal, background: true });
      if (signal.aborted) return;
      const version = this.#versionNow(() => statement.get()?.data_version);
      if (version !== seen) {
        this.#ends?.evictAll();
        this.#changes.notify();
      }
      seen = version;
    }
  }

  #versionNow(read: () => unknown): unknown {
    try {
      return read();
    } catch {
      // The subscribers that are woken will meet the fault themselves, and report it.
      return undefined;
    }
  }
}

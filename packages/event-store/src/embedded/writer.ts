import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type AppendResult, ConflictError, type ExpectedRevision } from "../port.ts";
import type { PreparedAppend, StoredForm } from "../prepare-append.ts";
import { categoryOf } from "./category.ts";

/** What became of one append of a group. */
export type AppendOutcome = AppendResult | ConflictError;

const MAX_REMEMBERED_STREAMS = 10_000;

/** The revision before a stream's first. */
const NO_REVISION = -1;

/** A stream's last event, as last seen. */
interface End {
  streamId: number;
  category: string;
  revision: number;
  seq: number;
}

/** @throws as node:sqlite does for what is beyond the integers that numbers are exact for: somebody else wrote one there. */
const countable = (seq: number | bigint): number => {
  if (Number.isSafeInteger(Number(seq))) return Number(seq);
  throw Object.assign(new RangeError("the log has no place that can be counted"), { code: "ERR_OUT_OF_RANGE" });
};

const resultAt = (revision: number, seq: number): AppendResult => {
  const place = BigInt(seq);
  return { revision: BigInt(revision), position: { commit: place, prepare: place } };
};

const asExpected = (revision: number): ExpectedRevision => (revision === NO_REVISION ? "no_stream" : BigInt(revision));

/** Writes groups of appends, each group in one transaction. Knows nothing of waiting. */
export class Writer {
  readonly #db: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #insertEvent: StatementSync;
  readonly #insertStream: StatementSync;
  readonly #selectEnd: StatementSync;
  readonly #selectIds: StatementSync;
  readonly #dataVersion: StatementSync;
  /** Ends of recent streams; true as long as no other connection has written, which `#seenVersion` tells. */
  readonly #ends = new Map<string, End>();
  #seenVersion = 0;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
    this.#insertStream = db.prepare("INSERT INTO streams (name) VALUES (?)");
    this.#insertEvent = db.prepare(
      "INSERT INTO events (stream_id, revision, category, id, type, data, metadata) VALUES (?, ?, ?, ?, ?, ?, ?)",
    );
    this.#selectEnd = db.prepare(
      `SELECT streams.id, revision, seq FROM streams CROSS JOIN events ON stream_id = streams.id
       WHERE name = ? ORDER BY revision DESC LIMIT 1`,
    );
    this.#selectIds = db.prepare(
      "SELECT id, seq FROM events WHERE stream_id = ? AND revision > ? ORDER BY revision LIMIT ?",
    );
    this.#dataVersion = db.prepare("PRAGMA data_version");
  }

  /**
   * Writes the group in one transaction and syncs it; the outcomes are in the group's order.
   * One that conflicts has written nothing and leaves the others as they are.
   * @throws when the transaction as a whole failed: then nothing of the group is stored.
   */
  commit(group: readonly PreparedAppend[]): AppendOutcome[] {
    try {
      this.#begin.run();
      this.#forgetStaleEnds();
      const outcomes = group.map((append) => this.#append(append));
      this.#commit.run();
      return outcomes;
    } catch (error) {
      this.#ends.clear();
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  #forgetStaleEnds(): void {
    const version = Number(this.#dataVersion.get()?.data_version);
    if (version !== this.#seenVersion || this.#ends.size > MAX_REMEMBERED_STREAMS) this.#ends.clear();
    this.#seenVersion = version;
  }

  #append({ stream, expected, events }: PreparedAppend): AppendOutcome {
    const end = this.#endOf(stream);
    const actual = end?.revision ?? NO_REVISION;
    const base = expected === "no_stream" ? NO_REVISION : Number(expected);
    if (base === actual) return this.#insert(end ?? this.#newStream(stream), events);
    const first = end && base < actual ? this.#resultOfRepeat(end, base, events) : undefined;
    return first ?? new ConflictError(stream, expected, asExpected(actual));
  }

  #insert(end: End, events: readonly StoredForm[]): AppendResult {
    for (const { id, type, data, metadata } of events) {
      end.revision += 1;
      const { lastInsertRowid } = this.#insertEvent.run(
        end.streamId,
        end.revision,
        end.category,
        id,
        type,
        data,
        metadata,
      );
      end.seq = countable(lastInsertRowid);
    }
    return resultAt(end.revision, end.seq);
  }

  /** The answer given when these same events were appended at this same place before. */
  #resultOfRepeat(end: End, base: number, events: readonly StoredForm[]): AppendResult | undefined {
    const stored = this.#selectIds.all(end.streamId, base, events.length);
    const same = stored.length === events.length && stored.every((row, index) => row.id === events[index]?.id);
    return same ? resultAt(base + events.length, Number(stored.at(-1)?.seq)) : undefined;
  }

  #endOf(stream: string): End | undefined {
    const known = this.#ends.get(stream);
    if (known) return known;
    const row = this.#selectEnd.get(stream);
    if (!row) return undefined;
    return this.#remember(stream, {
      streamId: Number(row.id),
      category: categoryOf(stream),
      revision: Number(row.revision),
      seq: Number(row.seq),
    });
  }

  #newStream(stream: string): End {
    const streamId = Number(this.#insertStream.run(stream).lastInsertRowid);
    return this.#remember(stream, { streamId, category: categoryOf(stream), revision: NO_REVISION, seq: 0 });
  }

  #remember(stream: string, end: End): End {
    this.#ends.set(stream, end);
    return end;
  }
}

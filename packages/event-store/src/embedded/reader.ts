import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { JsonObject, PlacedHash, Position, RecordedEvent, StreamEnd } from "../port.ts";
import { categoryOf } from "./category.ts";

/** A read holds up the event loop for one chunk: some milliseconds, some megabytes. */
const CHUNK_ROWS = 512;
const CHUNK_CHARACTERS = 1024 * 1024;
/** Rows of a chunk when only their type is looked at: some milliseconds as well. */
const SCANNED_ROWS = 4_096;

/** The place before the first event of all. */
export const START = 0;

/** Some events, in order, and how far the read has come with them. */
export interface Chunk {
  events: RecordedEvent[];
  /** All up to and including this place (of a stream: this revision) was looked at, wanted or not. */
  reached: number;
}

/** A row of the read statements: seq, stream, revision, id, type, data, metadata, category. */
type Row = [number, string, number, string, string, string, string, string];

const SELECT = `SELECT seq, streams.name, revision, events.id, type, data, metadata, category
  FROM events CROSS JOIN streams ON streams.id = stream_id`;

const toPosition = (seq: number): Position => {
  const place = BigInt(seq);
  return { commit: place, prepare: place };
};

/** The object that the text is; undefined when the text is not an object: the row was damaged. */
const objectOf = (text: string): JsonObject | undefined => {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const toEvent = ([seq, stream, revision, id, type, dataText, metadataText, category]: Row): RecordedEvent => {
  const data = objectOf(dataText);
  const metadata = objectOf(metadataText);
  const place = { stream, revision: BigInt(revision), position: toPosition(seq) };
  if (data && metadata && category === categoryOf(stream)) return { id, type, data, metadata, ...place };
  return { id, type, data: data ?? {}, metadata: metadata ?? {}, ...place, damage: damageOf(data, metadata) };
};

const damageOf = (data: JsonObject | undefined, metadata: JsonObject | undefined): string => {
  const unread = [data ? [] : ["data"], metadata ? [] : ["metadata"]].flat();
  // A reader of its stream's category would miss it.
  if (unread.length === 0) return "it stands under another category than its stream's";
  return `its ${unread.join(" and ")} can't be read as JSON`;
};

/** The place in the file that a position stands for. */
export const seqOf = (position: Position | undefined): number => (position ? Number(position.commit) : START);

/** The position of a place in the file; none before the first event. */
export const positionOf = (seq: number): Position | undefined => (seq === START ? undefined : toPosition(seq));

/** Reads the events, a bounded chunk at a time, each chunk at one moment. */
export class Reader {
  readonly #lastSeq: StatementSync;
  readonly #lastSeqOf: StatementSync;
  readonly #lastOf: StatementSync;
  readonly #endOf: StatementSync;
  readonly #ofStream: StatementSync;
  readonly #ofAll: StatementSync;
  readonly #hashes: StatementSync;
  readonly #ofCategory: StatementSync;
  readonly #ofType: StatementSync;

  constructor(db: DatabaseSync) {
    const prepare = (sql: string): StatementSync => {
      const statement = db.prepare(sql);
      // Arrays are made half again as fast as objects.
      statement.setReturnArrays(true);
      return statement;
    };
    // A stream's reader must see no event that a reader of the whole log does not.
    const ofStream = `stream_id = (SELECT id FROM streams WHERE name = ?) AND seq > ${START}`;
    this.#lastSeq = prepare("SELECT seq FROM events ORDER BY seq DESC LIMIT 1");
    this.#lastSeqOf = prepare(`SELECT max((SELECT seq FROM events WHERE category = value ORDER BY seq DESC LIMIT 1))
      FROM json_each(?)`);
    this.#endOf = prepare(`SELECT seq, revision FROM events WHERE ${ofStream} ORDER BY revision DESC LIMIT 1`);
    this.#lastOf = prepare(`${SELECT} WHERE ${ofStream} ORDER BY revision DESC LIMIT 1`);
    // As a parameter the limit would have SQLite plan each run anew, at several times the cost of the read.
    const limit = `LIMIT ${CHUNK_ROWS}`;
    this.#ofStream = prepare(
      `${SELECT} WHERE ${ofStream} AND revision > ? AND revision <= ? ORDER BY revision ${limit}`,
    );
    this.#ofAll = prepare(`${SELECT} WHERE seq > ? AND seq <= ? ORDER BY seq ${limit}`);
    // Parsed by SQLite, of each event's text its hash alone leaves the database.
    this.#hashes = prepare(`SELECT seq, streams.name, revision,
        CASE WHEN json_valid(metadata) AND json_type(metadata, '$.hash') = 'text' THEN metadata ->> '$.hash' END
      FROM events CROSS JOIN streams ON streams.id = stream_id WHERE seq > ? AND seq <= ? ORDER BY seq ${limit}`);
    this.#ofType = prepare(`${SELECT} WHERE seq > ? AND seq <= ? AND type = ? ORDER BY seq`);
    this.#ofCategory = prepare(`${SELECT} WHERE category = ? AND seq > ? AND seq <= ? ORDER BY seq ${limit}`);
  }

  /** The place of the last event of all; {@link START} when there is none. */
  lastSeq(): number {
    const [seq] = Object.values(this.#lastSeq.get() ?? {});
    return Number(seq ?? START);
  }

  /** The place of the last event of these categories, or of all when none is given. */
  lastSeqOf(categories: readonly string[]): number {
    if (categories.length === 0) return this.lastSeq();
    const [seq] = Object.values(this.#lastSeqOf.get(JSON.stringify(categories)) ?? {});
    return Number(seq ?? START);
  }

  last(stream: string): RecordedEvent | undefined {
    const row = this.#lastOf.get(stream) as Row | undefined;
    return row && toEvent(row);
  }

  end(stream: string): StreamEnd | undefined {
    const row = this.#endOf.get(stream) as unknown as [number, number] | undefined;
    return row && { position: toPosition(row[0]), revision: BigInt(row[1]) };
  }

  /** Events of the stream after revision `after` up to `upTo` inclusive. */
  stream(name: string, after: number, upTo: number): Chunk {
    const { events, last } = collect(this.#ofStream.iterate(name, after, upTo));
    return { events, reached: last?.[2] ?? upTo };
  }

  /** Events of the type after place `after` up to `upTo` inclusive, or less far: without an index, each is looked at. */
  ofType(after: number, upTo: number, type: string): Chunk {
    const bound = Math.min(upTo, after + SCANNED_ROWS);
    const { events, last } = collect(this.#ofType.iterate(after, bound, type));
    return { events, reached: last?.[0] ?? bound };
  }

  /** Places and hashes of the events after place `after` up to `upTo` inclusive. */
  hashes(after: number, upTo: number): { hashes: PlacedHash[]; reached: number } {
    const rows = this.#hashes.all(after, upTo) as unknown as [number, string, number, unknown][];
    const hashes = rows.map(([seq, stream, revision, hash]) => ({
      stream,
      revision: BigInt(revision),
      position: toPosition(seq),
      hash: typeof hash === "string" ? hash : "",
    }));
    return { hashes, reached: rows.length < CHUNK_ROWS ? upTo : Number(rows.at(-1)?.[0]) };
  }

  /** Events after place `after` up to `upTo` inclusive, of streams whose name starts with `prefix`. */
  all(after: number, upTo: number, prefix: string): Chunk {
    const category = categoryOf(prefix);
    const rows = category === "" ? this.#ofAll.iterate(after, upTo) : this.#ofCategory.iterate(category, after, upTo);
    const { events, last } = collect(rows, prefix === category ? undefined : (stream) => stream.startsWith(prefix));
    return { events, reached: last?.[0] ?? upTo };
  }
}

/** Takes rows until they end or are enough; `last` is the row at which it stopped short, if it did. */
const collect = (rows: NodeJS.Iterator<unknown>, wanted?: (stream: string) => boolean) => {
  const events: RecordedEvent[] = [];
  let looked = 0;
  let characters = 0;
  for (const row of rows as Iterable<Row>) {
    if (!wanted || wanted(row[1])) events.push(toEvent(row));
    looked += 1;
    characters += row[5].length + row[6].length;
    // Leaving the loop resets the statement.
    if (looked === CHUNK_ROWS || characters >= CHUNK_CHARACTERS) return { events, last: row };
  }
  return { events, last: undefined };
};

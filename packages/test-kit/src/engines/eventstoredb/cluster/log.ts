import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { dropEventsAfter } from "../../../damage.ts";

/** An event as it lies in a member's file, and goes to the others. */
export interface Row {
  seq: number;
  stream: string;
  revision: number;
  category: string;
  id: string;
  type: string;
  data: string;
  metadata: string;
}

/** From which event on a leader of that term wrote. */
export interface Epoch {
  term: number;
  from: number;
}

interface State {
  term: number;
  votedFor: number | undefined;
  epochs: Epoch[];
}

const ROWS = `SELECT seq, streams.name AS stream, revision, category, events.id AS id, type, data, metadata
  FROM events JOIN streams ON streams.id = stream_id WHERE seq > ? ORDER BY seq`;

/** The term in which the event at that place was written. */
export const termAt = (epochs: readonly Epoch[], seq: number): number =>
  epochs.findLast(({ from }) => from <= seq)?.term ?? 0;

/** Up to where two logs hold the same, by their epochs and ends. */
export const commonEnd = (a: readonly Epoch[], b: readonly Epoch[], headOfA: number, headOfB: number): number => {
  let same = 0;
  while (a[same] && a[same]?.term === b[same]?.term && a[same]?.from === b[same]?.from) same += 1;
  return Math.min(headOfA, headOfB, ...[a[same], b[same]].flatMap((next) => (next ? [next.from - 1] : [])));
};

/** What a member of the cluster keeps: its events, in the embedded engine's file, and who led when. */
export class Log {
  readonly #path: string;
  readonly #statePath: string;
  readonly #database: DatabaseSync;
  readonly #lastSeq: StatementSync;
  readonly #rows: StatementSync;
  readonly #addStream: StatementSync;
  readonly #addEvent: StatementSync;
  #state: State;

  /** The embedded engine has made the file. */
  constructor(folder: string) {
    this.#path = join(folder, "events.sqlite");
    this.#statePath = join(folder, "member.json");
    this.#database = new DatabaseSync(this.#path, { timeout: 5_000 });
    this.#lastSeq = this.#database.prepare("SELECT coalesce(max(seq), 0) AS lastSeq FROM events");
    this.#rows = this.#database.prepare(ROWS);
    this.#addStream = this.#database.prepare("INSERT OR IGNORE INTO streams (name) VALUES (?)");
    this.#addEvent = this.#database.prepare(
      `INSERT INTO events (seq, stream_id, revision, category, id, type, data, metadata)
       VALUES (?, (SELECT id FROM streams WHERE name = ?), ?, ?, ?, ?, ?, ?)`,
    );
    try {
      this.#state = JSON.parse(readFileSync(this.#statePath, "utf8"));
    } catch {
      this.#state = { term: 0, votedFor: undefined, epochs: [] };
    }
  }

  get state(): Readonly<State> {
    return this.#state;
  }

  /** Keeps it before it is told to anybody. */
  set state(state: State) {
    this.#state = state;
    writeFileSync(`${this.#statePath}.new`, JSON.stringify(state));
    renameSync(`${this.#statePath}.new`, this.#statePath);
  }

  lastSeq(): number {
    return Number(this.#lastSeq.get()?.lastSeq);
  }

  /** All events after that place, up to the end of an append. */
  after(seq: number): Row[] {
    return this.#rows.all(seq).map((row) => ({ ...row }) as unknown as Row);
  }

  /** Writes what follows on that place, all or nothing, in one transaction. */
  write(rows: readonly Row[]): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      for (const row of rows) this.#insert(row);
      this.#database.exec("COMMIT");
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  #insert({ seq, stream, revision, category, id, type, data, metadata }: Row): void {
    this.#addStream.run(stream);
    this.#addEvent.run(seq, stream, revision, category, id, type, data, metadata);
  }

  dropAfter(seq: number): void {
    dropEventsAfter(this.#path, seq);
  }
}

import type { DatabaseSync } from "node:sqlite";
import type { IdentityVerdict, PhotoKind } from "@rubrica/identity";
import type { RowCipher } from "@rubrica/secrets";
import { emptyLog, openSqlite } from "@rubrica/storage/sqlite";

/** The oldest checks go once there are more; with their photos they take some 300 MB. */
const MAX_CHECKS = 1_000;
/** The newest are shown, so that evidence stays within what any provider may send. */
const MAX_SHOWN_CHECKS = 100;
const MAX_SHOWN_PHOTOS = 19;
const BUSY_TIMEOUT_MS = 5_000;

/** A check as the audit tells it. */
export interface CheckRecord {
  checkId: string;
  /** ISO 8601. */
  checkedAt: string;
  /** Lower-case hex, of the photos as they came. */
  photos: Record<PhotoKind, { attempt: number; sha256: string }>;
  verdict: IdentityVerdict;
}

/** A photo of a check, reduced. */
export interface KeptPhoto {
  kind: PhotoKind;
  attempt: number;
  jpeg: Buffer;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS checks (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    subject TEXT NOT NULL,
    record BLOB NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS checks_by_subject ON checks (subject, number);
  CREATE TABLE IF NOT EXISTS photos (
    check_id TEXT NOT NULL REFERENCES checks (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    jpeg BLOB NOT NULL,
    PRIMARY KEY (check_id, kind)
  ) STRICT`;

type Row = Record<string, unknown>;

/** The simulator's memory: one SQLite file, for one process. What shows or names a person is encrypted. */
export class SimulatorStore {
  readonly #database: DatabaseSync;
  readonly #cipher: RowCipher;

  /** @param path a file, or ":memory:". @throws {StoreFileError} when the file can't be used. */
  constructor(path: string, cipher: RowCipher) {
    this.#cipher = cipher;
    this.#database = openSqlite(path, {
      timeoutMs: BUSY_TIMEOUT_MS,
      version: 0,
      // A killed process loses nothing; after a power cut a simulated check is made again.
      setUp: `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; ${SCHEMA}`,
      whenDamaged: "restore it from a backup, or remove it, and with it what was simulated",
    });
  }

  close(): void {
    this.#database.close();
  }

  /** Keeps a check unless it is kept already; the one that is kept, in either case. */
  keep(subject: string, record: CheckRecord, photos: readonly KeptPhoto[]): CheckRecord {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const { changes, lastInsertRowid } = this.#database
        .prepare("INSERT OR IGNORE INTO checks (id, subject, record) VALUES (?, ?, ?)")
        .run(record.checkId, subject, this.#cipher.encrypt(record.checkId, Buffer.from(JSON.stringify(record))));
      if (changes) {
        this.#addPhotos(record.checkId, photos);
        this.#database.prepare("DELETE FROM checks WHERE number <= ?").run(Number(lastInsertRowid) - MAX_CHECKS);
      }
      this.#database.exec("COMMIT");
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
    return this.find(record.checkId) ?? record;
  }

  /** Removes a subject's checks, and their photos with them, for good. @throws {Error} when it is to be done again */
  remove(subject: string): void {
    this.#database.prepare("DELETE FROM checks WHERE subject = ?").run(subject);
    emptyLog(this.#database, BUSY_TIMEOUT_MS);
  }

  find(checkId: string): CheckRecord | undefined {
    const row = this.#database.prepare("SELECT * FROM checks WHERE id = ?").get(checkId) as Row | undefined;
    return row && this.#recordOf(row);
  }

  /** A subject's newest checks, the oldest of them first. */
  checksOf(subject: string): CheckRecord[] {
    return (
      this.#database
        .prepare("SELECT * FROM checks WHERE subject = ? ORDER BY number DESC LIMIT ?")
        .all(subject, MAX_SHOWN_CHECKS) as Row[]
    )
      .reverse()
      .map((row) => this.#recordOf(row));
  }

  /** A subject's newest photos, one for each attempt, the oldest of them first. */
  photosOf(subject: string): KeptPhoto[] {
    const rows = this.#database
      .prepare(
        `SELECT photos.*, max(number) AS number FROM photos JOIN checks ON checks.id = photos.check_id
         WHERE subject = ? GROUP BY kind, attempt ORDER BY number DESC, kind DESC LIMIT ?`,
      )
      .all(subject, MAX_SHOWN_PHOTOS) as Row[];
    return rows.reverse().map(({ check_id, kind, attempt, jpeg }) => ({
      kind: kind as PhotoKind,
      attempt: Number(attempt),
      jpeg: this.#cipher.decrypt(`${check_id}/${kind}`, jpeg as Uint8Array),
    }));
  }

  #addPhotos(checkId: string, photos: readonly KeptPhoto[]): void {
    const insert = this.#database.prepare("INSERT INTO photos (check_id, kind, attempt, jpeg) VALUES (?, ?, ?, ?)");
    for (const { kind, attempt, jpeg } of photos) {
      insert.run(checkId, kind, attempt, this.#cipher.encrypt(`${checkId}/${kind}`, jpeg));
    }
  }

  #recordOf({ id, record }: Row): CheckRecord {
    return JSON.parse(this.#cipher.decrypt(String(id), record as Uint8Array).toString("utf8"));
  }
}

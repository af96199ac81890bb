import { closeSync, fdatasync, openSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { promisify } from "node:util";
import type { Clock } from "@rubrica/runtime";
import { IN_MEMORY } from "../sqlite/open.ts";
import { BUSY_TIMEOUT_MS } from "./embedded-database.ts";

const WIPE_ATTEMPTS = 50;
const WIPE_RETRY_MS = 100;

/** Has what was written to an open file durable, when it resolves. */
export type SyncFile = (file: number) => Promise<void>;

const syncFile: SyncFile = promisify(fdatasync);

/** The write-ahead log of the keys' database: what was committed is made durable, and what was destroyed is wiped from it. */
export class WriteAheadLog {
  readonly #database: DatabaseSync;
  readonly #clock: Clock;
  readonly #syncFile: SyncFile;
  readonly #checkpoint: StatementSync;
  /** For syncing it; none in memory. */
  readonly #file: number | undefined;
  /** Whether a sync failed: what it was to make durable may be lost, and no other sync would tell. */
  #isInDoubt = false;

  /**
   * Wipes the log, too: a process may have died between destroying a key and doing so.
   * @param path the database's
   * @param sync `fdatasync`, when not given
   */
  constructor(database: DatabaseSync, path: string, clock: Clock, sync: SyncFile = syncFile) {
    this.#database = database;
    this.#clock = clock;
    this.#syncFile = sync;
    this.#checkpoint = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
    this.#wipe();
    if (path !== IN_MEMORY) this.#file = openSync(`${path}-wal`, "r+");
  }

  /** Makes durable what was committed. @throws {Error} when the disk fails. */
  async sync(): Promise<void> {
    if (this.#file === undefined) return;
    // Moving the log into the database file writes and syncs it once more.
    if (this.#isInDoubt && !this.#wipe()) throw new Error("a sync failed, and another process keeps the log open");
    this.#isInDoubt = true;
    await this.#syncFile(this.#file);
    this.#isInDoubt = false;
  }

  /** Makes what was committed durable, and wipes from the log what it replaced. */
  async wipeWhenFree(): Promise<void> {
    for (let attempt = 1; !this.#wipe(); attempt++) {
      if (attempt === WIPE_ATTEMPTS) throw new Error("what was destroyed is still in a log that another process reads");
      await this.#clock.wait(WIPE_RETRY_MS);
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }

  /** Moves the log into the database file and empties it; false when another process was reading. */
  #wipe(): boolean {
    // SQLite's own wait for a reader would block the whole process: the caller waits instead.
    this.#database.exec("PRAGMA busy_timeout = 0");
    try {
      return this.#checkpoint.get()?.busy === 0;
    } finally {
      this.#database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }
}

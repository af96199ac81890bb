import type { KeyObject } from "node:crypto";
import { closeSync, fdatasync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import type { Clock, Random } from "@rubrica/runtime";
import type { Secrets } from "@rubrica/secrets";
import { IN_MEMORY, openSqlite } from "@rubrica/sqlite";
import { LRUCache } from "lru-cache";
import { KeyDestroyedError, type KeyStore } from "./port.ts";
import { newKey, unwrap, WRAPPED_BYTES, wrap } from "./wrapping.ts";

/** How long a statement waits for another process's transaction; those take milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;
/** Keys held unwrapped: what is worked on now. Unwrapping one takes some 20 µs. */
const HELD_KEYS = 10_000;
/** Of the schema; a file of a later one is refused. */
const SCHEMA_VERSION = 0;
const WIPE_ATTEMPTS = 50;
const WIPE_RETRY_MS = 100;

/**
 * Rows are only ever appended, and a key is destroyed by overwriting it in its place with as many zeros: SQLite then
 * moves no key between pages, so that no forgotten copy of one stays in a page's unused part (secure_delete wipes what
 * a page gives up, not what a split leaves behind).
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS keys (
    number INTEGER PRIMARY KEY,
    owner TEXT NOT NULL UNIQUE,
    destroyed INTEGER NOT NULL DEFAULT 0,
    wrapped BLOB NOT NULL
  ) STRICT`;

const syncData = promisify(fdatasync);

/** A key as it was read; durable once this process has seen to it, as another may have died before it could. */
interface HeldKey {
  key: KeyObject;
  durable: boolean;
}

interface Creation {
  owner: string;
  resolve: (key: KeyObject) => void;
  reject: (error: unknown) => void;
}

/**
 * Keys in an SQLite file (`path`, or ":memory:"), durable when a call answers. First calls that come while the disk is
 * waited for share the next transaction and sync; nothing else waits for it. A destroyed key is gone from the database file and its write-ahead log when `destroy`
 * answers; blocks that the file system or the disk gave up or copied are beyond reach.
 * @throws {StoreFileError} when the file can't be used. @throws {KeyUnreadableError} when its newest key does not open
 * with the secrets that are given.
 */
export const openEmbeddedKeyStore = (options: {
  path: string;
  secrets: Secrets;
  random: Random;
  clock: Clock;
}): KeyStore => new EmbeddedKeyStore(options);

class EmbeddedKeyStore implements KeyStore {
  readonly #database: DatabaseSync;
  readonly #secrets: Secrets;
  readonly #random: Random;
  readonly #clock: Clock;
  readonly #statements: ReturnType<typeof prepare>;
  readonly #held = new LRUCache<string, HeldKey>({ max: HELD_KEYS });
  /** The write-ahead log, for syncing it; none in memory. */
  readonly #log: number | undefined;
  /** Whether a sync of the log failed: what it was to make durable may be lost, and no other sync of it would tell. */
  #logInDoubt = false;
  #dataVersion: unknown;
  #creations: Creation[] = [];
  #creating: Promise<void> | undefined;

  constructor({ path, secrets, random, clock }: Parameters<typeof openEmbeddedKeyStore>[0]) {
    this.#secrets = secrets;
    this.#random = random;
    this.#clock = clock;
    this.#database = openDatabase(path);
    this.#statements = prepare(this.#database);
    try {
      this.#checkSecret();
    } catch (error) {
      this.#database.close();
      throw error;
    }
    // A process may have died between destroying a key and wiping the log.
    this.#wipeLog();
    if (path !== IN_MEMORY) this.#log = openSync(`${path}-wal`, "r+");
  }

  async obtain(owner: string): Promise<KeyObject> {
    const known = this.#read(owner);
    if (known?.durable) return known.key;
    return new Promise((resolve, reject) => {
      this.#creations.push({ owner, resolve, reject });
      this.#creating ??= this.#createAll();
    });
  }

  async find(owner: string): Promise<KeyObject | undefined> {
    try {
      return this.#read(owner)?.key;
    } catch (error) {
      if (error instanceof KeyDestroyedError) return undefined;
      throw error;
    }
  }

  async destroy(owner: string): Promise<void> {
    this.#held.delete(owner);
    this.#statements.destroy.run(owner, Buffer.alloc(WRAPPED_BYTES));
    for (let attempt = 1; !this.#wipeLog(); attempt++) {
      if (attempt === WIPE_ATTEMPTS)
        throw new Error("the key is destroyed, but another process keeps its old log open");
      await this.#clock.wait(WIPE_RETRY_MS);
    }
  }

  async close(): Promise<void> {
    await this.#creating;
    if (!this.#database.isOpen) return;
    this.#held.clear();
    this.#database.close();
    if (this.#log !== undefined) closeSync(this.#log);
  }

  /** Found out at the start: later each answer would fail, and new keys would be wrapped by a secret of another folder. */
  #checkSecret(): void {
    const row = this.#statements.newest.get();
    if (row) unwrap(this.#secrets, String(row.owner), row.wrapped as Uint8Array);
  }

  /** @throws {KeyDestroyedError} */
  #read(owner: string): HeldKey | undefined {
    this.#noticeOthers();
    const held = this.#held.get(owner);
    if (held) return held;
    const row = this.#statements.find.get(owner);
    if (!row) return undefined;
    if (row.destroyed === 1) throw new KeyDestroyedError();
    const key = { key: unwrap(this.#secrets, owner, row.wrapped as Uint8Array), durable: false };
    this.#held.set(owner, key);
    return key;
  }

  /** Forgets what is held as soon as another process has written: it may have destroyed any of the keys. */
  #noticeOthers(): void {
    const version = this.#statements.dataVersion.get()?.data_version;
    if (version !== this.#dataVersion) this.#held.clear();
    this.#dataVersion = version;
  }

  async #createAll(): Promise<void> {
    while (this.#creations.length > 0) {
      // Those that arrive in this turn of the event loop belong to the same transaction.
      await new Promise(setImmediate);
      await this.#create(this.#creations.splice(0));
    }
    this.#creating = undefined;
  }

  /** Makes the keys that were asked for, all in one transaction. Never throws. */
  async #create(creations: readonly Creation[]): Promise<void> {
    try {
      this.#insert(creations);
      await this.#syncLog();
    } catch (error) {
      for (const { reject } of creations) reject(error);
      return;
    }
    for (const { owner, resolve, reject } of creations)
      try {
        const made = this.#read(owner);
        if (!made) throw new Error("a key that was just made is not there");
        made.durable = true;
        resolve(made.key);
      } catch (error) {
        reject(error);
      }
  }

  #insert(creations: readonly Creation[]): void {
    try {
      this.#database.exec("BEGIN IMMEDIATE");
      for (const { owner } of creations)
        this.#statements.create.run(owner, wrap(this.#secrets, this.#random, owner, newKey(this.#random)));
      this.#database.exec("COMMIT");
    } catch (error) {
      if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  /** Makes durable what was committed. @throws {Error} when the disk fails. */
  async #syncLog(): Promise<void> {
    if (this.#log === undefined) return;
    // Moved into the database file it is written, and synced, once more.
    if (this.#logInDoubt && !this.#wipeLog()) throw new Error("a sync failed, and another process keeps the log open");
    this.#logInDoubt = true;
    await syncData(this.#log);
    this.#logInDoubt = false;
  }

  /** Moves the log into the database file and empties it; false when another process was reading. */
  #wipeLog(): boolean {
    // SQLite would wait for the reader with the whole process standing still; whoever calls waits without.
    this.#database.exec("PRAGMA busy_timeout = 0");
    try {
      return this.#statements.wipeLog.get()?.busy === 0;
    } finally {
      this.#database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }
}

// NORMAL: a commit is not synced, with everybody waiting; see #syncLog. What moves the log into the file syncs both.
const SET_UP = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA secure_delete = ON;
  PRAGMA temp_store = MEMORY;
  ${SCHEMA}`;

const openDatabase = (path: string): DatabaseSync => {
  if (path !== IN_MEMORY) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return openSqlite(path, {
    timeoutMs: BUSY_TIMEOUT_MS,
    version: SCHEMA_VERSION,
    setUp: SET_UP,
    whenDamaged: "restore the data folder from a backup",
  });
};

const prepare = (database: DatabaseSync) => ({
  find: database.prepare("SELECT destroyed, wrapped FROM keys WHERE owner = ?"),
  create: database.prepare("INSERT INTO keys (owner, wrapped) VALUES (?, ?) ON CONFLICT (owner) DO NOTHING"),
  destroy: database.prepare(`
    INSERT INTO keys (owner, destroyed, wrapped) VALUES (?, 1, ?)
    ON CONFLICT (owner) DO UPDATE SET destroyed = 1, wrapped = excluded.wrapped`),
  newest: database.prepare("SELECT owner, wrapped FROM keys WHERE destroyed = 0 ORDER BY number DESC LIMIT 1"),
  dataVersion: database.prepare("PRAGMA data_version"),
  wipeLog: database.prepare("PRAGMA wal_checkpoint(TRUNCATE)"),
});

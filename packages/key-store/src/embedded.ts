import type { KeyObject } from "node:crypto";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Clock, Random } from "@rubrica/runtime";
import type { Secrets } from "@rubrica/secrets";
import { LRUCache } from "lru-cache";
import { KeyDestroyedError, type KeyStore } from "./port.ts";
import { newKey, unwrap, WRAPPED_BYTES, wrap } from "./wrapping.ts";

/** How long a statement waits for another process's transaction; those take milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;
/** Keys held unwrapped: what is worked on now. Unwrapping one takes some 20 µs. */
const HELD_KEYS = 10_000;
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

/** The memory engine's path. */
const IN_MEMORY = ":memory:";

interface Creation {
  owner: string;
  resolve: (key: KeyObject) => void;
  reject: (error: unknown) => void;
}

/**
 * Keys in an SQLite file (`path`, or ":memory:"), durable when a call answers. Concurrent first calls share one
 * transaction and one sync. A destroyed key is gone from the database file and its write-ahead log when `destroy`
 * answers; blocks that the file system or the disk gave up or copied are beyond reach.
 * @throws {Error} when the file cannot be opened, or is no database.
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
  readonly #held = new LRUCache<string, KeyObject>({ max: HELD_KEYS });
  #dataVersion: unknown;
  #creations: Creation[] = [];

  constructor({ path, secrets, random, clock }: Parameters<typeof openEmbeddedKeyStore>[0]) {
    this.#secrets = secrets;
    this.#random = random;
    this.#clock = clock;
    this.#database = openDatabase(path);
    this.#statements = prepare(this.#database);
    // A process may have died between destroying a key and wiping the log.
    this.#wipeLog();
  }

  async obtain(owner: string): Promise<KeyObject> {
    const key = this.#read(owner);
    if (key) return key;
    return new Promise((resolve, reject) => {
      this.#creations.push({ owner, resolve, reject });
      // The requests that arrived in this turn of the event loop share the next transaction.
      if (this.#creations.length === 1) setImmediate(() => this.#create());
    });
  }

  async find(owner: string): Promise<KeyObject | undefined> {
    try {
      return this.#read(owner);
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
    if (!this.#database.isOpen) return;
    this.#create();
    this.#held.clear();
    this.#database.close();
  }

  /** @throws {KeyDestroyedError} */
  #read(owner: string): KeyObject | undefined {
    this.#noticeOthers();
    const held = this.#held.get(owner);
    if (held) return held;
    const row = this.#statements.find.get(owner);
    if (!row) return undefined;
    if (row.destroyed === 1) throw new KeyDestroyedError();
    const key = unwrap(this.#secrets, owner, row.wrapped as Uint8Array);
    this.#held.set(owner, key);
    return key;
  }

  /** Forgets what is held as soon as another process has written: it may have destroyed any of the keys. */
  #noticeOthers(): void {
    const version = this.#statements.dataVersion.get()?.data_version;
    if (version !== this.#dataVersion) this.#held.clear();
    this.#dataVersion = version;
  }

  /** Makes the keys that were asked for, all in one transaction. */
  #create(): void {
    const creations = this.#creations;
    this.#creations = [];
    if (creations.length === 0) return;
    try {
      this.#database.exec("BEGIN IMMEDIATE");
      for (const { owner } of creations)
        this.#statements.create.run(owner, wrap(this.#secrets, this.#random, owner, newKey(this.#random)));
      this.#database.exec("COMMIT");
    } catch (error) {
      if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec("ROLLBACK");
      for (const { reject } of creations) reject(error);
      return;
    }
    for (const { owner, resolve, reject } of creations)
      try {
        const key = this.#read(owner);
        if (!key) throw new Error("a key that was just made is not there");
        resolve(key);
      } catch (error) {
        reject(error);
      }
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

const openDatabase = (path: string): DatabaseSync => {
  if (path !== IN_MEMORY) {
    mkdirSync(dirname(path), { recursive: true });
    // Made here so that it is its owner's alone; SQLite gives its log the same mode.
    closeSync(openSync(path, "a", 0o600));
  }
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA secure_delete = ON;
      PRAGMA temp_store = MEMORY;
      ${SCHEMA}`);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
};

const prepare = (database: DatabaseSync) => ({
  find: database.prepare("SELECT destroyed, wrapped FROM keys WHERE owner = ?"),
  create: database.prepare("INSERT INTO keys (owner, wrapped) VALUES (?, ?) ON CONFLICT (owner) DO NOTHING"),
  destroy: database.prepare(`
    INSERT INTO keys (owner, destroyed, wrapped) VALUES (?, 1, ?)
    ON CONFLICT (owner) DO UPDATE SET destroyed = 1, wrapped = excluded.wrapped`),
  dataVersion: database.prepare("PRAGMA data_version"),
  wipeLog: database.prepare("PRAGMA wal_checkpoint(TRUNCATE)"),
});

import type { KeyObject } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { type Clock, type Random, yieldToOthers } from "@rubrica/runtime";
import type { Secrets } from "@rubrica/secrets";
import { LRUCache } from "lru-cache";
import { Creations } from "./creations.ts";
import { openDatabase, prepare } from "./embedded-database.ts";
import { embeddedKnownLog } from "./embedded-known-log.ts";
import { type EmbeddedLines, embeddedLines } from "./embedded-lines.ts";
import type { KnownLog } from "./known-log.ts";
import { KeyDestroyedError, type KeyRow, type KeyStore } from "./port.ts";
import { checkSecret, LOOKED_AT_KEYS } from "./secret-check.ts";
import { KeyUnreadableError, newKey, unwrap, WRAPPED_BYTES, wrap } from "./wrapping.ts";
import { type SyncFile, WriteAheadLog } from "./write-ahead-log.ts";

/** Keys held unwrapped: what is worked on now. Unwrapping one takes some 20 µs. */
const HELD_KEYS = 10_000;
/** Read in one iteration of the event loop: a millisecond of work. */
const PAGE_ROWS = 500;

/** A key as it was read; durable once this process has seen to it, as another may have died before it could. */
interface HeldKey {
  key: KeyObject;
  durable: boolean;
}

/**
 * Keys in an SQLite file (`path`, or ":memory:"), durable when a call answers. First calls that come while the disk
 * is waited for share the next transaction and sync; nothing else waits for it. A destroyed key is gone from the
 * database file and its write-ahead log when `destroy` answers; blocks that the file system or the disk gave up or
 * copied are beyond reach.
 * @param options.sync `fdatasync`, when not given
 * @param options.mayHold whether unwrapped keys may be kept in memory now; always, when not given
 * @throws {StoreFileError} when the file can't be used. @throws {KeyUnreadableError} when none of its newest keys
 * opens with the secrets that are given.
 */
export const openEmbeddedKeyStore = (options: {
  path: string;
  secrets: Secrets;
  random: Random;
  clock: Clock;
  sync?: SyncFile;
  mayHold?: () => boolean;
}): KeyStore => new EmbeddedKeyStore(options);

/**
 * What is known of the log beside such keys, for who opens none of them.
 * @throws {StoreFileError} when the file can't be used.
 */
export const openEmbeddedKnownLog = (path: string): KnownLog & { close(): Promise<void> } => {
  const database = openDatabase(path);
  return { ...embeddedKnownLog(database), close: async () => database.close() };
};

class EmbeddedKeyStore implements KeyStore {
  readonly log: KnownLog;
  readonly lines: EmbeddedLines;
  readonly #database: DatabaseSync;
  readonly #secrets: Secrets;
  readonly #random: Random;
  readonly #mayHold: () => boolean;
  readonly #statements: ReturnType<typeof prepare>;
  readonly #held = new LRUCache<string, HeldKey>({ max: HELD_KEYS });
  readonly #wal: WriteAheadLog;
  #dataVersion: unknown;
  /** What is written together: each gives the statements that write it. */
  readonly #creations = new Creations<() => void, void>((writes) => this.#write(writes));

  constructor(options: Parameters<typeof openEmbeddedKeyStore>[0]) {
    const { path, secrets, random, clock, sync, mayHold = () => true } = options;
    this.#secrets = secrets;
    this.#random = random;
    this.#mayHold = mayHold;
    this.#database = openDatabase(path);
    this.#statements = prepare(this.#database);
    this.log = embeddedKnownLog(this.#database);
    this.lines = embeddedLines(this.#database, clock, (statements) => this.#creations.obtain(statements));
    try {
      const newest = this.#statements.newest.all(LOOKED_AT_KEYS);
      checkSecret(
        secrets,
        newest.map(({ owner, wrapped }) => ({ owner: String(owner), wrapped: wrapped as Uint8Array })),
      );
    } catch (error) {
      this.#database.close();
      throw error;
    }
    this.#wal = new WriteAheadLog(this.#database, path, clock, sync);
  }

  async obtain(owner: string): Promise<KeyObject> {
    const known = this.#read(owner);
    if (known?.durable) return known.key;
    await this.#creations.obtain(() => {
      this.#statements.create.run(owner, wrap(this.#secrets, this.#random, owner, newKey(this.#random)));
    });
    const made = this.#read(owner);
    if (!made) throw new Error("a key that was just made is not there");
    made.durable = true;
    return made.key;
  }

  async find(owner: string): Promise<KeyObject | undefined> {
    try {
      return this.#read(owner)?.key;
    } catch (error) {
      if (error instanceof KeyDestroyedError) return undefined;
      throw error;
    }
  }

  async findMany(owners: Iterable<string>): Promise<ReadonlyMap<string, KeyObject | KeyUnreadableError>> {
    this.#noticeOthers();
    const found = new Map<string, KeyObject | KeyUnreadableError>();
    const missing: string[] = [];
    for (const owner of owners) {
      const held = this.#held.get(owner);
      if (held) found.set(owner, held.key);
      else missing.push(owner);
    }
    if (missing.length === 0) return found;
    for (const { owner, wrapped } of this.#statements.findMany.all(JSON.stringify(missing)))
      found.set(String(owner), this.#opened(String(owner), wrapped as Uint8Array));
    return found;
  }

  #opened(owner: string, wrapped: Uint8Array): KeyObject | KeyUnreadableError {
    try {
      return this.#hold(owner, wrapped).key;
    } catch (error) {
      if (error instanceof KeyUnreadableError) return error;
      throw error;
    }
  }

  async destroy(owner: string): Promise<void> {
    this.#transact(() => this.#destroyRow(owner));
    await this.#wal.wipeWhenFree();
  }

  evict(owner?: string): void {
    if (owner === undefined) this.#held.clear();
    else this.#held.delete(owner);
  }

  async erasuresDone(): Promise<string | undefined> {
    const upTo = this.#statements.erasuresDone.get()?.up_to;
    return upTo === undefined ? undefined : String(upTo);
  }

  async noteErasuresDone(upTo: string): Promise<void> {
    this.#statements.noteErasuresDone.run(upTo);
  }

  async *rows(): AsyncGenerator<KeyRow, void, undefined> {
    let page = this.#statements.firstRows.all(PAGE_ROWS);
    while (page.length > 0) {
      for (const { owner, destroyed, wrapped } of page)
        yield { owner: String(owner), wrapped: destroyed === 1 ? null : (wrapped as Uint8Array) };
      await yieldToOthers();
      page = this.#statements.nextRows.all(String(page.at(-1)?.owner), PAGE_ROWS);
    }
  }

  async putRows(rows: readonly KeyRow[]): Promise<void> {
    this.#transact(() => {
      for (const { owner, wrapped } of rows)
        if (wrapped) this.#statements.create.run(owner, wrapped);
        else this.#destroyRow(owner);
    });
    await this.#wal.wipeWhenFree();
  }

  async close(): Promise<void> {
    await this.#creations.end();
    if (!this.#database.isOpen) return;
    this.#held.clear();
    this.#database.close();
    this.#wal.close();
  }

  /** @throws {KeyDestroyedError} */
  #read(owner: string): HeldKey | undefined {
    this.#noticeOthers();
    const held = this.#held.get(owner);
    if (held) return held;
    const row = this.#statements.find.get(owner);
    if (!row) return undefined;
    if (row.destroyed === 1) throw new KeyDestroyedError();
    return this.#hold(owner, row.wrapped as Uint8Array);
  }

  /** @throws {KeyUnreadableError} */
  #hold(owner: string, wrapped: Uint8Array): HeldKey {
    const key = { key: unwrap(this.#secrets, owner, wrapped), durable: false };
    if (this.#mayHold()) this.#held.set(owner, key);
    return key;
  }

  /** Forgets what is held when it may not be, and as soon as another process has written: it may have destroyed any of the keys. */
  #noticeOthers(): void {
    const version = this.#statements.dataVersion.get()?.data_version;
    if (version !== this.#dataVersion || !this.#mayHold()) this.#held.clear();
    this.#dataVersion = version;
  }

  /** All of it in one transaction, which is durable when it resolves. */
  async #write(writes: readonly (() => void)[]): Promise<() => void> {
    this.#transact(() => {
      for (const write of writes) write();
    });
    await this.#wal.sync();
    return () => undefined;
  }

  #destroyRow(owner: string): void {
    this.#held.delete(owner);
    this.#statements.destroy.run(owner, Buffer.alloc(WRAPPED_BYTES));
    this.lines.takeAll(owner);
  }

  #transact(write: () => void): void {
    try {
      this.#database.exec("BEGIN IMMEDIATE");
      write();
      this.#database.exec("COMMIT");
    } catch (error) {
      if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }
}

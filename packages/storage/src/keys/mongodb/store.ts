import type { KeyObject } from "node:crypto";
import type { Clock, Random } from "@rubrica/runtime";
import type { Secrets } from "@rubrica/secrets";
import type { Collection } from "mongodb";
import { findByIds } from "../../mongodb/by-ids.ts";
import { isDuplicateKey, retryingDuplicates } from "../../mongodb/duplicates.ts";
import type { Mongo } from "../../mongodb/open.ts";
import { Creations } from "../creations.ts";
import type { KnownLog } from "../known-log.ts";
import { KeyDestroyedError, type KeyRow, type KeyStore } from "../port.ts";
import { checkSecret, LOOKED_AT_KEYS } from "../secret-check.ts";
import { KeyUnreadableError, newKey, unwrap, wrap } from "../wrapping.ts";
import { HeldKeys } from "./held-keys.ts";
import { mongoKnownLog } from "./known-log.ts";
import { type MongoLines, mongoLines } from "./lines.ts";

const PAGE_ROWS = 500;
/** Rows that one command writes. */
const ROWS_AT_ONCE = 100;
const ERASURES_DONE = "erasures-done";

/** A key; a destroyed one stays without it, so that it can't be made again. */
interface StoredKey {
  _id: string;
  wrapped: Uint8Array | null;
  destroyed: boolean;
  /** In milliseconds since the UNIX epoch. */
  madeAt: number;
}

interface Note {
  _id: string;
  upTo: string;
}

/**
 * Keys in MongoDB: `keys`, one document an owner, and beside it `keys.notes`. What a call answers is on a majority's
 * disks. A destroyed key is gone from its document when `destroy` answers; the server's log of operations and its files
 * hold the wrapped one until they are overwritten (docs/security.md).
 * @param options.mayHold whether this process hears of what others destroy, and may hold unwrapped keys for some seconds;
 * never, when not given.
 * @throws {KeyUnreadableError} when none of the newest keys opens with the secrets that are given.
 */
export const openMongoKeyStore = async (options: {
  mongo: Mongo;
  secrets: Secrets;
  random: Random;
  clock: Clock;
  mayHold?: () => boolean;
}): Promise<KeyStore> => {
  const store = new MongoKeyStore(options);
  await store.check();
  return store;
};

class MongoKeyStore implements KeyStore {
  readonly log: KnownLog;
  readonly lines: MongoLines;
  readonly #keys: Collection<StoredKey>;
  readonly #notes: Collection<Note>;
  readonly #secrets: Secrets;
  readonly #random: Random;
  readonly #clock: Clock;
  readonly #held: HeldKeys;
  readonly #creations = new Creations<string, KeyObject>((owners) => this.#create(owners));

  constructor({ mongo, secrets, random, clock, mayHold = () => false }: Parameters<typeof openMongoKeyStore>[0]) {
    this.#keys = mongo.db.collection("keys", { promoteBuffers: true });
    this.#notes = mongo.db.collection("keys.notes");
    this.log = mongoKnownLog(mongo.db);
    const isDestroyed = async (owner: string) => (await this.#keys.findOne({ _id: owner }))?.destroyed === true;
    this.lines = mongoLines(mongo.db, clock, isDestroyed);
    this.#secrets = secrets;
    this.#random = random;
    this.#clock = clock;
    this.#held = new HeldKeys(clock, mayHold);
  }

  /** Makes the indexes, and finds out whether the secrets are the right ones. */
  async check(): Promise<void> {
    await this.#keys.createIndex({ destroyed: 1, madeAt: -1 });
    await this.lines.createIndex();
    const newest = this.#keys.find({ destroyed: false }).sort({ madeAt: -1 }).limit(LOOKED_AT_KEYS);
    checkSecret(this.#secrets, (await newest.toArray()).map(rowOf));
  }

  async obtain(owner: string): Promise<KeyObject> {
    const held = this.#held.get(owner);
    if (held?.durable) return held.key;
    return this.#creations.obtain(owner);
  }

  async find(owner: string): Promise<KeyObject | undefined> {
    const found = (await this.findMany([owner])).get(owner);
    if (found instanceof KeyUnreadableError) throw found;
    return found;
  }

  async findMany(owners: Iterable<string>): Promise<ReadonlyMap<string, KeyObject | KeyUnreadableError>> {
    const found = new Map<string, KeyObject | KeyUnreadableError>();
    const missing = new Set<string>();
    for (const owner of owners) {
      const held = this.#held.get(owner);
      if (held) found.set(owner, held.key);
      else missing.add(owner);
    }
    if (missing.size === 0) return found;
    const hold = this.#held.whileReading();
    for (const { _id: owner, wrapped } of await findByIds(this.#keys, [...missing])) {
      if (!wrapped) continue;
      const key = this.#opened(owner, wrapped);
      found.set(owner, key);
      if (!(key instanceof KeyUnreadableError)) hold(owner, { key, durable: false });
    }
    return found;
  }

  async destroy(owner: string): Promise<void> {
    this.#held.evict(owner);
    const destroyed = { wrapped: null, destroyed: true };
    const madeAt = this.#clock.now();
    await retryingDuplicates(() =>
      this.#keys.updateOne({ _id: owner }, { $set: destroyed, $setOnInsert: { madeAt } }, { upsert: true }),
    );
    // Read meanwhile, it may have been held again.
    this.#held.evict(owner);
    await this.lines.takeAll(owner);
  }

  evict(owner?: string): void {
    this.#held.evict(owner);
  }

  async erasuresDone(): Promise<string | undefined> {
    return (await this.#notes.findOne({ _id: ERASURES_DONE }))?.upTo;
  }

  async noteErasuresDone(upTo: string): Promise<void> {
    await retryingDuplicates(() => this.#notes.updateOne({ _id: ERASURES_DONE }, { $set: { upTo } }, { upsert: true }));
  }

  async *rows(): AsyncGenerator<KeyRow, void, undefined> {
    const page = (after?: string) =>
      this.#keys
        .find(after === undefined ? {} : { _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(PAGE_ROWS)
        .toArray();
    for (let rows = await page(); rows.length > 0; rows = await page(rows.at(-1)?._id)) yield* rows.map(rowOf);
  }

  async putRows(rows: readonly KeyRow[]): Promise<void> {
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
      const some = rows.slice(at, at + ROWS_AT_ONCE);
      await this.#insert(some.flatMap(({ owner, wrapped }) => (wrapped ? [{ owner, wrapped }] : [])));
      for (const { owner, wrapped } of some) if (!wrapped) await this.destroy(owner);
    }
  }

  async close(): Promise<void> {
    await this.#creations.end();
    this.#held.evict();
  }

  /** Owners who have a key are written too, and refused by the database: a key that is lost with the primary must encrypt nothing. */
  async #create(owners: readonly string[]): Promise<(owner: string) => KeyObject> {
    const hold = this.#held.whileReading();
    const wrapNew = (owner: string) => wrap(this.#secrets, this.#random, owner, newKey(this.#random));
    await this.putRows([...new Set(owners)].map((owner) => ({ owner, wrapped: wrapNew(owner) })));
    const stored = await findByIds(this.#keys, [...new Set(owners)]);
    const rows = new Map(stored.map(({ _id, wrapped }) => [_id, wrapped]));
    return (owner) => {
      const wrapped = rows.get(owner);
      if (!wrapped) throw new KeyDestroyedError();
      const key = unwrap(this.#secrets, owner, wrapped);
      hold(owner, { key, durable: true });
      return key;
    };
  }

  /**
   * Keeps keys of owners that have none. What is there stays; it is on a majority's disks as well when this resolves, since
   * the server has a write wait for that also where it changes nothing.
   */
  async #insert(rows: readonly { owner: string; wrapped: Uint8Array }[]): Promise<void> {
    if (rows.length === 0) return;
    const madeAt = this.#clock.now();
    const documents = rows.map(({ owner, wrapped }) => ({ _id: owner, wrapped, destroyed: false, madeAt }));
    try {
      await this.#keys.insertMany(documents, { ordered: false });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  #opened(owner: string, wrapped: Uint8Array): KeyObject | KeyUnreadableError {
    try {
      return unwrap(this.#secrets, owner, wrapped);
    } catch (error) {
      if (error instanceof KeyUnreadableError) return error;
      throw error;
    }
  }
}

const rowOf = ({ _id, wrapped }: StoredKey): KeyRow => ({ owner: _id, wrapped });

import { isDuplicateKey } from "@rubrica/storage/mongodb";
import { type AnyBulkWriteOperation, type BulkWriteResult, MongoBulkWriteError, type ObjectId } from "mongodb";
import { type DocumentChange, type Generation, OvertakenError } from "../port.ts";
import {
  asUpdate,
  hasChanged,
  isBelow,
  operationOf,
  replacedBy,
  unnamed,
  versionAfter,
  type Write,
  type WriteLayout,
  writeOf,
} from "./document-write.ts";
import { type AnyRecord, findDocuments, type PartRecord, type Records } from "./records.ts";
import type { Semaphore } from "./semaphore.ts";
import type { StoredVersion, StoredVersions } from "./stored-versions.ts";

/** Operations that one command holds. */
export const OPERATIONS_AT_ONCE = 64;
/** Versions of parts that one command makes or removes. */
const VERSIONS_AT_ONCE = 1_000;
/** So few versions and documents are written by one command, one after another; more are faster kind by kind. */
const FEW = 16;
/** How often what another process writes at the same moment is tried again. */
const ATTEMPTS = 20;

/**
 * Writes changes into a generation's records. A document is written where it is still where it was looked at, and names
 * its parts in the same write; until then their versions are nobody's.
 * @throws {OvertakenError} when a document is not where its change was made from.
 */
export const writeChanges = async (target: Target, changes: readonly DocumentChange[]): Promise<void> => {
  // What can fail without the server fails here, before anything is written.
  const rounds: Map<string, Write>[] = [];
  for (const change of changes) {
    const free = rounds.find((round) => !round.has(change.id)) ?? new Map<string, Write>();
    if (free.size === 0) rounds.push(free);
    free.set(change.id, writeOf(change, target));
  }
  for (const round of rounds) await new Round(target).write([...round.values()]);
};

export interface Target extends WriteLayout {
  records: Records;
  generation: Generation;
  semaphore: Semaphore;
  storedVersions: StoredVersions;
}

/** Changes of different documents, written together. */
class Round {
  readonly #records: Records;
  readonly #generation: Generation;
  readonly #semaphore: Semaphore;
  readonly #storedVersions: StoredVersions;

  constructor({ records, generation, semaphore, storedVersions }: Target) {
    this.#records = records;
    this.#generation = generation;
    this.#semaphore = semaphore;
    this.#storedVersions = storedVersions;
  }

  async write(writes: readonly Write[]): Promise<void> {
    /**
     * For each write, the versions of parts that its document names no more once it is written. `retired`: those of
     * writes that are not needed any more.
     */
    const replaced = new Map<Write, ObjectId[]>();
    const retired: ObjectId[] = [];
    let left = writes;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const storedVersions =
        attempt === 1 ? await this.#rememberedVersionsOf(left) : await this.#storedVersionsOf(left);
      for (const write of left)
        if (attempt > 1 && !isBelow(storedVersions.get(write.id), write))
          retired.push(
            ...unnamed(storedVersions.get(write.id), [
              ...write.made.map(({ _id }) => _id),
              ...(replaced.get(write) ?? []),
            ]),
          );
      left = left.filter((write) => isBelow(storedVersions.get(write.id), write));
      const overtaken = left.some((write) => hasChanged(storedVersions.get(write.id), write));
      if (overtaken && attempt > 1)
        await this.#remove([...retired, ...left.flatMap(({ made }) => made.map(({ _id }) => _id))]);
      if (overtaken) throw new OvertakenError(this.#generation);
      for (const write of left) replaced.set(write, replacedBy(write, storedVersions.get(write.id)));
      if (await this.#writeAll(left, storedVersions, attempt === 1)) {
        for (const write of left)
          this.#storedVersions.remember(this.#generation, write.id, versionAfter(write, storedVersions));
        return this.#remove([...retired, ...left.flatMap((write) => replaced.get(write) ?? [])]);
      }
      for (const { id } of left) this.#storedVersions.evict(this.#generation, id);
    }
    throw new OvertakenError(this.#generation);
  }

  /**
   * The stored versions that this process remembers. Those that don't fit the write, or that it does not remember though the
   * write names one, are read from the server. Of the others it is tried whether they are new.
   */
  async #rememberedVersionsOf(writes: readonly Write[]): Promise<Map<string, StoredVersion>> {
    const remembered = new Map<string, StoredVersion>();
    const unknown: Write[] = [];
    for (const write of writes) {
      const stored = this.#storedVersions.of(this.#generation, write.id);
      const isKnown = stored !== undefined || write.before === undefined;
      if (!isKnown || hasChanged(stored ?? undefined, write)) unknown.push(write);
      else if (stored) remembered.set(write.id, stored);
    }
    return unknown.length === 0 ? remembered : new Map([...remembered, ...(await this.#storedVersionsOf(unknown))]);
  }

  async #storedVersionsOf(writes: readonly Write[]): Promise<Map<string, StoredVersion>> {
    const storedVersions = new Map<string, StoredVersion>();
    const ids = writes.map(({ id }) => id);
    const projection = { position: 1, parts: 1 };
    for (const { _id, ...stored } of await findDocuments(this.#records, ids, { projection }))
      storedVersions.set(_id, stored);
    return storedVersions;
  }

  /** Versions of parts, then the documents; whether those were all written, or else some were not where they were looked at. */
  async #writeAll(
    writes: readonly Write[],
    storedVersions: ReadonlyMap<string, StoredVersion>,
    isFirst: boolean,
  ): Promise<boolean> {
    const versions = writes.flatMap(({ made }) => made);
    if (versions.length > 0 && versions.length + writes.length <= FEW)
      return this.#writeInOrder(versions, writes, storedVersions);
    if (isFirst) await this.#make(versions);
    return this.#writeDocuments(writes, storedVersions);
  }

  /** By one command, which ends at what fails: no document is written before its parts. It may be repeated. */
  async #writeInOrder(
    versions: readonly PartRecord[],
    writes: readonly Write[],
    storedVersions: ReadonlyMap<string, StoredVersion>,
  ): Promise<boolean> {
    const operations: AnyBulkWriteOperation<AnyRecord>[] = [
      ...versions.map(({ _id, ...replacement }) => ({ replaceOne: { filter: { _id }, replacement, upsert: true } })),
      ...writes.map((write) => asUpdate(operationOf(write, storedVersions.get(write.id)))),
    ];
    return (
      (await this.#semaphore.run(operations.length, () => this.#writeSome(operations, true))) === operations.length
    );
  }

  async #writeDocuments(
    writes: readonly Write[],
    storedVersions: ReadonlyMap<string, StoredVersion>,
  ): Promise<boolean> {
    let written = 0;
    for (const some of slicesOf(writes, OPERATIONS_AT_ONCE)) {
      const operations = some.map((write) => operationOf(write, storedVersions.get(write.id)));
      written += await this.#semaphore.run(operations.length, () => this.#writeSome(operations));
    }
    return written === writes.length;
  }

  async #writeSome(operations: AnyBulkWriteOperation<AnyRecord>[], ordered = false): Promise<number> {
    const count = ({ insertedCount, matchedCount, upsertedCount }: BulkWriteResult) =>
      insertedCount + matchedCount + upsertedCount;
    try {
      return count(await this.#records.bulkWrite(operations, { ordered }));
    } catch (error) {
      // Another process made one of them.
      if (error instanceof MongoBulkWriteError && isDuplicateKey(error)) return count(error.result);
      throw error;
    }
  }

  async #make(versions: readonly PartRecord[]): Promise<void> {
    for (const some of slicesOf(versions, VERSIONS_AT_ONCE))
      await this.#records.insertMany([...some], { ordered: false });
  }

  async #remove(versions: readonly ObjectId[]): Promise<void> {
    for (const some of slicesOf(versions, VERSIONS_AT_ONCE))
      await this.#records.deleteMany({ _id: { $in: [...some] } });
  }
}

function* slicesOf<T>(all: readonly T[], size: number): Generator<readonly T[], void, undefined> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

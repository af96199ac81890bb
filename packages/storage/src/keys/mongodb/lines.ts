import type { Clock } from "@rubrica/runtime";
import type { Collection, Db } from "mongodb";
import { retryingDuplicates } from "../../mongodb/duplicates.ts";
import type { Lines } from "../lines.ts";
import { KeyDestroyedError } from "../port.ts";

const TAKE_ATTEMPTS = 50;
const ADOPTED = "lines-adopted";

/** A line, with whom it was given to, in that order; by its name. */
interface StoredLine {
  _id: string;
  line: string;
  owners: string[];
  /** When it was given last, in milliseconds since the UNIX epoch. */
  since: number;
}

export interface MongoLines extends Lines {
  createIndex(): Promise<void>;
  /** Takes every line from an owner whose key is destroyed. */
  takeAll(owner: string): Promise<void>;
}

/** Lines in MongoDB: `keys.lines`, one document a line, so that it goes with its last owner in one write; a note in `keys.notes`. */
export const mongoLines = (db: Db, clock: Clock, isDestroyed: (owner: string) => Promise<boolean>): MongoLines => {
  const lines: Collection<StoredLine> = db.collection("keys.lines");
  const notes: Collection<{ _id: string; adopted: boolean }> = db.collection("keys.notes");

  const take = async (lookup: string, owner: string, sinceMs?: number): Promise<void> => {
    const line = { _id: lookup, ...(sinceMs === undefined ? {} : { since: sinceMs }) };
    // Each write holds by itself what it goes by, since others may be given the line, or lose it, between the two: then
    // it is the other one's turn to change something.
    for (let attempt = 1; attempt <= TAKE_ATTEMPTS; attempt++) {
      if ((await lines.deleteOne({ ...line, owners: [owner] })).deletedCount > 0) return;
      const among = { ...line, owners: owner, "owners.1": { $exists: true } };
      if ((await lines.updateOne(among, { $pull: { owners: owner } })).matchedCount > 0) return;
      if (!(await lines.findOne({ ...line, owners: owner }))) return;
    }
    throw new Error("a line changed as often as somebody was to be taken off it");
  };

  const lookupsOf = async (owner: string): Promise<readonly string[]> => {
    const found = await lines.find({ owners: owner }, { projection: { _id: 1 } }).toArray();
    return found.map(({ _id }) => _id);
  };

  return {
    createIndex: async () => void (await lines.createIndex({ owners: 1 })),
    async find(lookup) {
      const found = await lines.findOne({ _id: lookup });
      const [first] = found?.owners ?? [];
      return found && first !== undefined ? { line: found.line, owner: first, sinceMs: found.since } : undefined;
    },
    async give(lookup, owner, otherwise) {
      const since = clock.now();
      const line = await retryingDuplicates(() =>
        lines.findOneAndUpdate(
          { _id: lookup },
          { $addToSet: { owners: owner }, $set: { since }, $setOnInsert: { line: otherwise } },
          { upsert: true, returnDocument: "after" },
        ),
      );
      if (!line) throw new Error("a line that was just given is not there");
      // Who destroys a key takes the lines after that: one that is not destroyed yet will lose this one.
      if (!(await isDestroyed(owner))) return line.line;
      await take(lookup, owner);
      throw new KeyDestroyedError();
    },
    lookupsOf,
    take,
    async takeAll(owner) {
      for (const lookup of await lookupsOf(owner)) await take(lookup, owner);
    },
    areAdopted: async () => (await notes.findOne({ _id: ADOPTED })) !== null,
    async noteAdopted() {
      await retryingDuplicates(() => notes.updateOne({ _id: ADOPTED }, { $set: { adopted: true } }, { upsert: true }));
    },
    async *rows() {
      for await (const { _id: lookup, line, owners, since } of lines.find())
        for (const owner of owners) yield { lookup, line, owner, sinceMs: since };
    },
  };
};

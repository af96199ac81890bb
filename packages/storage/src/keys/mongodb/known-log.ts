import type { Collection, Db } from "mongodb";
import type { KnownEnd, KnownLog } from "../known-log.ts";

/** Rows that one command writes. */
const ROWS_AT_ONCE = 500;
const HEAD = "known-head";

interface Note {
  _id: string;
  head: string;
}

interface StoredEnd {
  _id: string;
  revision: number;
  hash: string;
}

const endOf = ({ _id, revision, hash }: StoredEnd): KnownEnd => ({ stream: _id, revision: BigInt(revision), hash });

/** What is known of the log in MongoDB: `keys.ends`, one document a stream, and the head among `keys.notes`. */
export const mongoKnownLog = (db: Db): KnownLog => {
  const notes: Collection<Note> = db.collection("keys.notes");
  const ends: Collection<StoredEnd> = db.collection("keys.ends");
  return {
    head: async () => (await notes.findOne({ _id: HEAD }))?.head,
    async note(head, known) {
      for (let from = 0; from < known.length; from += ROWS_AT_ONCE) {
        const writes = known.slice(from, from + ROWS_AT_ONCE).map(({ stream, revision, hash }) => ({
          replaceOne: { filter: { _id: stream }, replacement: { revision: Number(revision), hash }, upsert: true },
        }));
        await ends.bulkWrite(writes, { ordered: false });
      }
      await notes.replaceOne({ _id: HEAD }, { head }, { upsert: true });
    },
    async end(stream) {
      const found = await ends.findOne({ _id: stream });
      return found ? endOf(found) : undefined;
    },
    async *ends() {
      for await (const found of ends.find()) yield endOf(found);
    },
    async remove(streams) {
      await notes.deleteOne({ _id: HEAD });
      if (streams.length > 0) await ends.deleteMany({ _id: { $in: [...streams] } });
    },
  };
};

import type { Collection, Db } from "mongodb";
import type { KnownEnd, KnownHead, KnownLog } from "../known-log.ts";

/** Rows that one command writes. */
const ROWS_AT_ONCE = 500;
const HEAD = "known-head";
const FIRST_HEAD = "known-first-head";
const FORMER_HEAD = "known-former-head";

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

/**
 * What is known of the log in MongoDB: `keys.ends`, `keys.firstEnds` and `keys.formerEnds`, one document a stream, and the heads among
 * `keys.notes`.
 */
export const mongoKnownLog = (db: Db): KnownLog => {
  const notes: Collection<Note> = db.collection("keys.notes");
  const ends: Collection<StoredEnd> = db.collection("keys.ends");
  return {
    ...knownHead(notes, HEAD, ends),
    first: knownHead(notes, FIRST_HEAD, db.collection("keys.firstEnds")),
    former: knownHead(notes, FORMER_HEAD, db.collection("keys.formerEnds")),
    async remove(streams) {
      await notes.deleteOne({ _id: HEAD });
      if (streams.length > 0) await ends.deleteMany({ _id: { $in: [...streams] } });
    },
  };
};

const knownHead = (notes: Collection<Note>, _id: string, ends: Collection<StoredEnd>): KnownHead => {
  return {
    head: async () => (await notes.findOne({ _id }))?.head,
    async note(head, known) {
      for (let from = 0; from < known.length; from += ROWS_AT_ONCE) {
        const writes = known.slice(from, from + ROWS_AT_ONCE).map(({ stream, revision, hash }) => ({
          replaceOne: { filter: { _id: stream }, replacement: { revision: Number(revision), hash }, upsert: true },
        }));
        await ends.bulkWrite(writes, { ordered: false });
      }
      await notes.replaceOne({ _id }, { head }, { upsert: true });
    },
    async end(stream) {
      const found = await ends.findOne({ _id: stream });
      return found ? endOf(found) : undefined;
    },
    async *ends() {
      for await (const found of ends.find()) yield endOf(found);
    },
  };
};

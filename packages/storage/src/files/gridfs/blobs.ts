import type { Clock, Random } from "@rubrica/runtime";
import { retryingDuplicates } from "../../mongodb/duplicates.ts";
import type { Mongo } from "../../mongodb/open.ts";
import type { BlobStore } from "../encrypted.ts";
import { CHUNK_BYTES, chunkStore } from "./chunks.ts";
import { collectionsOf, objectIdOf, startingWith } from "./collections.ts";

const PAGE_NAMES = 1_000;
/** How often a file that is replaced while it is read is read again. */
const READ_ATTEMPTS = 10;

/** Where MongoDB keeps encrypted bytes. */
export const gridFsBlobs = async (mongo: Mongo, clock: Clock, random: Random): Promise<BlobStore> => {
  const { files, chunks, notes } = collectionsOf(mongo);
  await chunks.createIndex({ files_id: 1, n: 1 }, { unique: true });

  const stored = chunkStore(chunks, clock, random);

  return {
    async write(name, bytes) {
      const upload = `${name}/${objectIdOf(clock, random).toHexString()}`;
      await stored.write(upload, bytes);
      const file = { upload, length: bytes.length, chunkSize: CHUNK_BYTES, uploadDate: new Date(clock.now()) };
      const before = await retryingDuplicates(() =>
        files.findOneAndUpdate({ _id: name }, { $set: file }, { upsert: true, returnDocument: "before" }),
      );
      if (before) await chunks.deleteMany({ files_id: before.upload });
    },

    async read(name, maxBytes) {
      let bytes: Buffer | undefined;
      for (let attempt = 1, last = ""; attempt <= READ_ATTEMPTS; attempt++) {
        const file = await files.findOne({ _id: name });
        if (!file) return undefined;
        if (file.length > maxBytes) return "too large";
        // The same upload was read twice: what is missing is really missing.
        if (bytes && file.upload === last) break;
        last = file.upload;
        bytes = await stored.read(file.upload);
        if (bytes.length === file.length) break;
      }
      return bytes;
    },

    async sync(name) {
      // Changes nothing, and is answered when a majority has what was found.
      const { matchedCount } = await files.updateOne({ _id: name }, { $unset: { settled: "" } });
      if (matchedCount === 0) throw new Error("the file was removed while it was put again");
    },

    async *names() {
      const page = (after?: string) =>
        files
          .find(after === undefined ? {} : { _id: { $gt: after } }, { projection: { _id: 1 } })
          .sort({ _id: 1 })
          .limit(PAGE_NAMES)
          .toArray();
      for (let found = await page(); found.length > 0; found = await page(found.at(-1)?._id))
        for (const { _id } of found) yield _id;
    },

    async removeAll(prefix) {
      await files.deleteMany({ _id: startingWith(prefix) });
      // The prefix finds the chunks of cut uploads as well.
      await chunks.deleteMany({ files_id: startingWith(prefix) });
    },

    erasuresDone: async () => (await notes.findOne({ _id: "erasures-done" }))?.upTo,
    async noteErasuresDone(upTo) {
      await retryingDuplicates(() => notes.updateOne({ _id: "erasures-done" }, { $set: { upTo } }, { upsert: true }));
    },

    async close() {},
  };
};

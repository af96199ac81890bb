import type { Clock } from "@rubrica/runtime";
import { ObjectId } from "mongodb";
import { retryingDuplicates } from "../../mongodb/duplicates.ts";
import type { Mongo } from "../../mongodb/open.ts";
import { collectionsOf, firstObjectIdAt } from "./collections.ts";

/**
 * Chunks of no file that are older than this belong to a process that died: no upload takes so long, even where clocks
 * differ.
 */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;
const PAGE_CHUNKS = 500;

/**
 * Removes the chunks of uploads that were cut before they became files. Goes through those that were made since it last
 * did, by their ids, which tell when.
 */
export const sweepAbandoned = async (mongo: Mongo, clock: Clock, signal: AbortSignal): Promise<void> => {
  const { files, chunks, notes } = collectionsOf(mongo);
  const upTo = firstObjectIdAt(clock.now() - ABANDONED_AFTER_MS);
  const note = await notes.findOne({ _id: "swept" });
  let after = note ? new ObjectId(note.upTo) : firstObjectIdAt(0);
  while (!signal.aborted) {
    const page = await chunks
      .find({ _id: { $gt: after, $lt: upTo } }, { projection: { files_id: 1 } })
      .sort({ _id: 1 })
      .limit(PAGE_CHUNKS)
      .toArray();
    const uploads = [...new Set(page.map(({ files_id }) => files_id))];
    const ofFiles = await files.find({ _id: { $in: uploads.map(nameOf) } }, { projection: { upload: 1 } }).toArray();
    const kept = new Set(ofFiles.map(({ upload }) => upload));
    const abandoned = uploads.filter((upload) => !kept.has(upload));
    if (abandoned.length > 0) await chunks.deleteMany({ files_id: { $in: abandoned } });
    after = page.length < PAGE_CHUNKS ? upTo : (page.at(-1)?._id ?? upTo);
    await retryingDuplicates(() =>
      notes.updateOne({ _id: "swept" }, { $set: { upTo: after.toHexString() } }, { upsert: true }),
    );
    if (page.length < PAGE_CHUNKS) return;
  }
};

const nameOf = (upload: string): string => upload.slice(0, upload.indexOf("/"));

import type { Clock, Random } from "@rubrica/runtime";
import { ObjectId } from "mongodb";
import type { Mongo } from "../../mongodb/open.ts";

/** A file: `_id` is its name, `upload` what its chunks are found by. */
export interface StoredFile {
  _id: string;
  upload: string;
  length: number;
  chunkSize: number;
  uploadDate: Date;
}

/** Some of a file's bytes; `files_id`, as GridFS calls it, is the upload: `{name}/{24 hex digits}`. */
export interface StoredChunk {
  /** Tells when it was made. */
  _id: ObjectId;
  files_id: string;
  n: number;
  data: Uint8Array;
}

/** What is kept beside: up to where erasures were carried out, and up to where uploads that were cut were swept. */
export interface Note {
  _id: "erasures-done" | "swept";
  upTo: string;
}

export const collectionsOf = ({ db }: Mongo) => ({
  files: db.collection<StoredFile>("files.files"),
  chunks: db.collection<StoredChunk>("files.chunks", { promoteBuffers: true }),
  notes: db.collection<Note>("files.notes"),
});

/** An id that begins with the time, in seconds, as MongoDB's own do. */
export const objectIdOf = (clock: Clock, random: Random): ObjectId =>
  new ObjectId(Buffer.concat([secondsOf(clock.now()), random.bytes(8)]));

/** The first id of the moment. */
export const firstObjectIdAt = (epochMs: number): ObjectId =>
  new ObjectId(Buffer.concat([secondsOf(epochMs), Buffer.alloc(8)]));

const secondsOf = (epochMs: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(Math.max(0, Math.floor(epochMs / 1000)));
  return bytes;
};

/** Strings that start so, which are ASCII. */
export const startingWith = (prefix: string) => ({ $gte: prefix, $lt: `${prefix}\u{7f}` });

import type { Clock, Random } from "@rubrica/runtime";
import type { Collection } from "mongodb";
import { objectIdOf, type StoredChunk } from "./collections.ts";

/** GridFS's own. */
export const CHUNK_BYTES = 255 * 1024;
/** Chunks that one command writes: some 8 MB. */
const CHUNKS_AT_ONCE = 32;

/** The bytes of uploads, cut into chunks. */
export const chunkStore = (chunks: Collection<StoredChunk>, clock: Clock, random: Random) => ({
  async write(upload: string, bytes: Buffer): Promise<void> {
    const count = Math.ceil(bytes.length / CHUNK_BYTES);
    const chunkAt = (n: number): StoredChunk => ({
      _id: objectIdOf(clock, random),
      files_id: upload,
      n,
      data: bytes.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES),
    });
    for (let at = 0; at < count; at += CHUNKS_AT_ONCE) {
      const length = Math.min(CHUNKS_AT_ONCE, count - at);
      await chunks.insertMany(Array.from({ length }, (_, index) => chunkAt(at + index)));
    }
  },

  async read(upload: string): Promise<Buffer> {
    const found = await chunks.find({ files_id: upload }).sort({ n: 1 }).toArray();
    return Buffer.concat(found.map(({ data }) => data));
  },
});

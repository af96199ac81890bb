import { type FileStoreOptions, fileStoreOn } from "./encrypted.ts";
import type { FileStore } from "./port.ts";

/** Files in this process's memory, encrypted like on disk; for tests and simulations. */
export const openMemoryFileStore = (options: FileStoreOptions): FileStore => {
  const blobs = new Map<string, Buffer>();
  let note: string | undefined;
  return fileStoreOn(
    {
      async write(name, bytes) {
        blobs.set(name, bytes);
      },
      async read(name, maxBytes) {
        const bytes = blobs.get(name);
        return bytes && bytes.length > maxBytes ? "too large" : bytes;
      },
      async sync() {},
      async *names() {
        yield* [...blobs.keys()].sort();
      },
      async removeAll(prefix) {
        for (const name of blobs.keys()) if (name.startsWith(prefix)) blobs.delete(name);
      },
      erasuresDone: async () => note,
      async noteErasuresDone(text) {
        note = text;
      },
      async close() {
        blobs.clear();
      },
    },
    options,
  );
};

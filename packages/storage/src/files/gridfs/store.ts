import type { Clock } from "@rubrica/runtime";
import type { Mongo } from "../../mongodb/open.ts";
import { type FileStoreOptions, fileStoreOn } from "../encrypted.ts";
import type { FileStore } from "../port.ts";
import { gridFsBlobs } from "./blobs.ts";
import { sweepAbandoned } from "./sweep.ts";

/** How often the chunks of cut uploads are swept. */
const SWEEP_INTERVAL_MS = 60 * 60 * 1000;

/**
 * Files in MongoDB, encrypted like on disk; see `encryption.ts` and `encrypted.ts`. In GridFS's collections: `files.chunks`
 * holds the bytes, `files.files` what file they are, written last. Unlike GridFS's own, chunks belong to an upload, not to
 * a file: two that are put under one name at once don't mix, and replacing one leaves at each moment one of them whole.
 */
export const openGridFsFileStore = async (
  options: FileStoreOptions & { mongo: Mongo; clock: Clock },
): Promise<FileStore> => {
  const { mongo, clock, random } = options;
  const blobs = await gridFsBlobs(mongo, clock, random);
  const closing = new AbortController();
  const { signal } = closing;
  const sweeping = (async () => {
    while (!signal.aborted) {
      // A failed sweep only leaves garbage: the next one takes it.
      await sweepAbandoned(mongo, clock, signal).catch(() => {});
      await clock.wait(SWEEP_INTERVAL_MS, { signal, background: true });
    }
  })();
  const close = async () => {
    closing.abort();
    await sweeping;
    await blobs.close();
  };
  return fileStoreOn({ ...blobs, close }, options);
};

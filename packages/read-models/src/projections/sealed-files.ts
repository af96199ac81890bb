import { hasSealedFile } from "@rubrica/events";
import type { Projection } from "../projection.ts";

/** Which document a sealed file is. */
export type SealedFileRecord = { documentId: string };

/** What a file that somebody shows is recognised by. A record's id is the sealed file's SHA-256, in lower-case hex. */
export const sealedFiles: Projection<SealedFileRecord> = {
  name: "sealed-files",
  version: 2,
  indexes: [],
  keysOf: (event) => (hasSealedFile(event) ? [event.data.file.sha256] : []),
  // Should two documents ever have the very same file, the first keeps it.
  project: (record, event) => record ?? { documentId: event.streamId },
};

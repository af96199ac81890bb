import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** Writes a new file for its owner alone, durable before it resolves, but for its name: see {@link syncFolder}. */
export const writeDurably = async (path: string, bytes: Uint8Array | string): Promise<void> => {
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
};

/** Makes the names of a folder's files durable: a file that was synced may else have none after a crash. */
export const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

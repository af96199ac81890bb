import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The data folder can't be used as it is; the message is one sentence for the operator. */
export class DataFolderError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "DataFolderError";
  }
}

/** Makes the folder, readable by its owner only, when it is not there. @throws {DataFolderError} */
export const ensureDataFolder = (dataDir: string): void => {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DataFolderError(`The data folder ${dataDir} can't be made: set DATA_DIR to another one.`, error);
  }
};

/**
 * Takes the data folder for one service process, until the lock is closed or the process ends, however it ends: the
 * operating system drops a dead process's lock. The CLI does not take it: it may append beside the service.
 *
 * @throws {DataFolderError} when another process has it.
 */
export const lockDataFolder = (dataDir: string): { close(): void } => {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(join(dataDir, "service.lock"), { timeout: 0 });
    // The lock is the transaction's; nothing is ever written.
    lock.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
    const held = lock;
    return { close: () => held.close() };
  } catch (error) {
    lock?.close();
    throw new DataFolderError(
      `The data folder ${dataDir} is in use by another process: stop that one, or set DATA_DIR to another folder.`,
      error,
    );
  }
};

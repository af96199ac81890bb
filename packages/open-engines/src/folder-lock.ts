import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isBusy, makeOwnersAlone, reasonOf } from "@rubrica/storage/sqlite";
import { DataFolderError } from "./data-folder.ts";

/**
 * Takes the data folder for one process of its kind, until the lock is closed or the process ends, however it ends: the
 * operating system drops a dead process's lock. The CLI takes none: it may append beside the service.
 *
 * @param kind `service`, or the name of an app that stands beside it.
 * @throws {DataFolderError} when another process has it.
 */
export const lockDataFolder = (dataDir: string, kind = "service"): { close(): void } => {
  const path = join(dataDir, `${kind}.lock`);
  let lock: DatabaseSync | undefined;
  try {
    makeOwnersAlone(path);
    lock = new DatabaseSync(path, { timeout: 0 });
    // The lock is the transaction's; nothing is ever written.
    lock.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
    const held = lock;
    return { close: () => held.close() };
  } catch (error) {
    lock?.close();
    if (!isBusy(error)) throw lockFailure(path, error);
    throw new DataFolderError(
      `The data folder ${dataDir} is in use by another process: stop that one, or set DATA_DIR to another folder.`,
      error,
    );
  }
};

const lockFailure = (path: string, error: unknown): unknown => {
  const reason = reasonOf(error);
  const remedy = reason?.failure === "corrupt" ? ": remove it, it holds nothing" : "";
  return reason ? new DataFolderError(`The file ${path} can't be used: ${reason.words}${remedy}.`, error) : error;
};

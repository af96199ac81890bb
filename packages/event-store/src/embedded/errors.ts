import { explain as explainFile, isBusy, StoreFileError } from "@rubrica/storage/sqlite/failure";

export { isBusy };

/** Why the embedded engine could not do its work. */
export type EventStoreFailure =
  | "directory_missing"
  | "not_an_event_store"
  | "newer_version"
  | "corrupt"
  | "disk_full"
  | "not_writable"
  | "busy"
  | "input_output"
  | "closed";

/** The store's file can't be used as asked; `message` is a sentence that says what to do, `failure` is for programs. */
export class EventStoreFailedError extends StoreFileError<EventStoreFailure> {
  constructor(failure: EventStoreFailure, message: string, options?: ErrorOptions) {
    super(failure, message, options);
    this.name = "EventStoreFailedError";
  }
}

const SQLITE_NOTADB = 26;

/** SQLite's error as one that says what happened to which file; anything else stays as it is. */
export const explain = (error: unknown, path: string): unknown => {
  const explained = explainFile(error, path, "restore the data folder from a backup");
  if (!(explained instanceof StoreFileError)) return error;
  const foreign = error instanceof Error && "errcode" in error && error.errcode === SQLITE_NOTADB;
  return new EventStoreFailedError(foreign ? "not_an_event_store" : explained.failure, explained.message, {
    cause: error,
  });
};

/** Runs `work`, turning SQLite's errors into explained ones. @throws {EventStoreFailedError} */
export const explained = <T>(path: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw explain(error, path);
  }
};

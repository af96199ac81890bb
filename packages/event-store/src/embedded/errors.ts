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
const SQLITE_CONSTRAINT_UNIQUE = 2_067;
const WHEN_DAMAGED = "restore the data folder from a backup";

/** SQLite's error as one that says what happened to which file; anything else stays as it is. */
export const explain = (error: unknown, path: string): unknown => {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  // Each append looks where its stream ends: somebody else took that end away.
  if (code === SQLITE_CONSTRAINT_UNIQUE) {
    const message = `The file ${path} can't be used: its streams and its events contradict each other: ${WHEN_DAMAGED}.`;
    return new EventStoreFailedError("corrupt", message, { cause: error });
  }
  const explained = explainFile(error, path, WHEN_DAMAGED);
  if (!(explained instanceof StoreFileError)) return error;
  const foreign = code === SQLITE_NOTADB;
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

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

/** The store's file can't be used as asked; `message` says what to do about it, `failure` is for programs. */
export class EventStoreFailedError extends Error {
  readonly failure: EventStoreFailure;

  constructor(failure: EventStoreFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EventStoreFailedError";
    this.failure = failure;
  }
}

// Primary result codes, https://www.sqlite.org/rescode.html
const SQLITE_BUSY = 5;
const FAILURES = new Map<number, [EventStoreFailure, string]>([
  [SQLITE_BUSY, ["busy", "is locked by another process"]],
  [8, ["not_writable", "can't be written"]],
  [10, ["input_output", "can't be read or written: the disk reported an error"]],
  [11, ["corrupt", "is damaged: restore it from a backup"]],
  [13, ["disk_full", "can't grow: the disk is full"]],
  [14, ["not_writable", "can't be opened"]],
  [26, ["not_an_event_store", "is not an event store"]],
]);

const resultCode = (error: unknown): number | undefined =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : undefined;

/** True when another connection held the lock that was needed; trying again later may help. */
export const isBusy = (error: unknown): boolean => resultCode(error) === SQLITE_BUSY;

/** SQLite's error as one that says what happened to which file; anything else stays as it is. */
export const explain = (error: unknown, path: string): unknown => {
  const code = resultCode(error);
  const known = code === undefined ? undefined : FAILURES.get(code);
  return known ? new EventStoreFailedError(known[0], `the event store ${path} ${known[1]}`, { cause: error }) : error;
};

/** Runs `work`, turning SQLite's errors into explained ones. @throws {EventStoreFailedError} */
export const explained = <T>(path: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw explain(error, path);
  }
};

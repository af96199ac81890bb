/** Why a store's file can't be used. */
export type StoreFileFailure = "busy" | "not_writable" | "input_output" | "corrupt" | "disk_full" | "newer_version";

/** A store's file can't be used as asked; `message` is one sentence for the operator, `failure` is for programs. */
export class StoreFileError<Failure extends string = StoreFileFailure> extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreFileError";
    this.failure = failure;
  }
}

const NO_SPACE = "no space is left on its disk";
const DISK_ERROR = "its disk reported an error";

/** What errors mean, by their codes, for whoever runs the service. */
const REASONS_BY_CODE: Readonly<Record<string, readonly [StoreFileFailure, string]>> = {
  ENOSPC: ["disk_full", NO_SPACE],
  EDQUOT: ["disk_full", "its quota is used up"],
  EFBIG: ["disk_full", "a file may not grow any more"],
  EROFS: ["not_writable", "it is on a disk that can only be read"],
  EACCES: ["not_writable", "this user has no right to it"],
  EPERM: ["not_writable", "this user has no right to it"],
  EISDIR: ["not_writable", "it is a folder"],
  ENOTDIR: ["not_writable", "it is no folder"],
  ENOENT: ["not_writable", "it is gone"],
  EMFILE: ["input_output", "too many files are open"],
  ENFILE: ["input_output", "too many files are open"],
  EIO: ["input_output", DISK_ERROR],
  // Of node:sqlite: an integer that no number of JavaScript is.
  ERR_OUT_OF_RANGE: ["corrupt", "it holds a number that the service does not write"],
};

// Primary result codes, https://www.sqlite.org/rescode.html
const SQLITE_BUSY = 5;
const SQLITE_REASONS = new Map<number, readonly [StoreFileFailure, string]>([
  [SQLITE_BUSY, ["busy", "another process has locked it"]],
  [8, ["not_writable", "it can only be read"]],
  [10, ["input_output", DISK_ERROR]],
  [11, ["corrupt", "it is damaged"]],
  [13, ["disk_full", NO_SPACE]],
  [14, ["not_writable", "it can't be opened"]],
  [26, ["corrupt", "it is no database"]],
]);
/** SQLITE_IOERR_SHMSIZE: the index of the write-ahead log can't grow, which only a full disk does. */
const SHARED_MEMORY_SIZE = 4_874;

const fieldOf = (error: unknown, name: "errcode" | "code"): unknown =>
  error instanceof Error && name in error ? Reflect.get(error, name) : undefined;

const sqliteCodeOf = (error: unknown): number | undefined => {
  const code = fieldOf(error, "errcode");
  if (typeof code !== "number") return undefined;
  // The lowest byte is the primary code, the rest says more of it.
  return code === SHARED_MEMORY_SIZE ? 13 : code & 0xff;
};

/** True when another connection held the lock that was needed; trying again later may help. */
export const isBusy = (error: unknown): boolean => sqliteCodeOf(error) === SQLITE_BUSY;

/** What an error of SQLite or of the file system says, in words that name no file; undefined for any other error. */
export const reasonOf = (error: unknown): { failure: StoreFileFailure; words: string } | undefined => {
  const sqlite = sqliteCodeOf(error);
  const code = fieldOf(error, "code");
  const known = sqlite === undefined ? REASONS_BY_CODE[String(code)] : SQLITE_REASONS.get(sqlite);
  return known && { failure: known[0], words: known[1] };
};

/**
 * An error of SQLite or of the file system as one that says what is wrong with which file; any other stays as it is.
 * @param whenDamaged what to do about a damaged one, to follow a colon.
 */
export const explain = (error: unknown, path: string, whenDamaged: string): unknown => {
  const reason = reasonOf(error);
  if (!reason) return error;
  const { failure, words } = reason;
  const remedy = failure === "corrupt" ? `: ${whenDamaged}` : "";
  return new StoreFileError(failure, `The file ${path} can't be used: ${words}${remedy}.`, { cause: error });
};

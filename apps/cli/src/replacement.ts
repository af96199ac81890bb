import { chmodSync, chownSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const PREFIX = ".unfinished-";
/** What nobody has written to for so long is of a run that was cut. */
const LEFT_AFTER_MS = 3_600_000;

/**
 * Files that take the places of those of their names in a folder once all are whole. They are written in a folder of their
 * own beside them, so that of two runs at once neither writes to what the other puts in place. To be disposed of.
 */
export class Replacement implements Disposable {
  readonly #folder: string;
  readonly #unfinished: string;

  /** @param folder is there. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#unfinished = mkdtempSync(join(folder, PREFIX));
    removeLeft(folder, lastWrite(this.#unfinished) - LEFT_AFTER_MS);
  }

  /** Where a file is to be written. */
  pathOf(name: string): string {
    return join(this.#unfinished, name);
  }

  /** Puts all that is written in place. Whoever may read a file that was there may read the new one. */
  finish(): void {
    for (const name of readdirSync(this.#unfinished)) {
      giveAccess(join(this.#folder, name), this.pathOf(name));
      renameSync(this.pathOf(name), join(this.#folder, name));
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#unfinished, { recursive: true, force: true });
  }
}

/** When anything in a folder was last written, in ms since 1970. */
const lastWrite = (folder: string): number =>
  Math.max(...[folder, ...readdirSync(folder).map((name) => join(folder, name))].map((path) => statSync(path).mtimeMs));

/** Removes what runs that were cut have left, by the clock of the disk. */
const removeLeft = (folder: string, beforeMs: number): void => {
  for (const name of readdirSync(folder))
    if (name.startsWith(PREFIX) && lastWrite(join(folder, name)) < beforeMs)
      rmSync(join(folder, name), { recursive: true });
};

/** Has a file the owner, group and mode of the one whose place it takes; where that may not be, it stays its owner's alone. */
const giveAccess = (former: string, path: string): void => {
  const there = statSync(former, { throwIfNoEntry: false });
  if (!there) return;
  try {
    chownSync(path, there.uid, there.gid);
  } catch {
    return;
  }
  chmodSync(path, there.mode & 0o777);
};

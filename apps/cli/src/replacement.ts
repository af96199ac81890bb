import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

const PREFIX = ".unfinished-";
/** A folder that nobody has written to for so long was left by a run that was cut. */
const LEFT_AFTER_MS = 3_600_000;

/** Makes a folder and those that it is in, where they are not there. Node's own does not end where one can't be made, as in `/proc`. */
export const makeFolder = (path: string): void => {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  mkdirSync(path);
};

/**
 * Files that take the places of those of their names in a folder once all are whole. They are written in a folder of their
 * own beside them, so that of two runs at once neither writes to what the other puts in place. To be disposed of.
 */
export class Replacement implements Disposable {
  readonly #folder: string;
  readonly #unfinished: string;
  #sums: string | undefined;

  /**
   * @param folder is there.
   * @param names of the files.
   * @throws when a folder has a file's place.
   */
  constructor(folder: string, names: readonly string[]) {
    const taken = names.find((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory());
    if (taken !== undefined) throw new Error(`${taken} in it is a folder`);
    this.#folder = folder;
    this.#unfinished = mkdtempSync(join(folder, PREFIX));
    removeLeft(folder, lastWrite(this.#unfinished) - LEFT_AFTER_MS);
  }

  /** Where a file is to be written. */
  pathOf(name: string): string {
    return join(this.#unfinished, name);
  }

  /** Adds a file for `sha256sum --check` with the sums of all files. It is written last: until then the former one stays. */
  async addSums(name: string): Promise<void> {
    const path = this.pathOf(name);
    const lines: string[] = [];
    for (const file of readdirSync(this.#unfinished).sort())
      lines.push(`${await sha256Of(this.pathOf(file))}  ${file}\n`);
    writeFileSync(path, lines.join(""), { flush: true });
    this.#sums = name;
  }

  /** Puts all that is written in place, one after the other. Whoever may read a file that was there may read the new one. */
  finish(): void {
    const names = readdirSync(this.#unfinished).filter((name) => name !== this.#sums);
    for (const name of this.#sums ? [...names, this.#sums] : names) {
      giveAccess(join(this.#folder, name), this.pathOf(name));
      renameSync(this.pathOf(name), join(this.#folder, name));
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#unfinished, { recursive: true, force: true });
  }
}

const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash("sha256");
  for await (const some of createReadStream(path)) hash.update(some);
  return hash.digest("hex");
};

/** When anything in a folder was last written, in ms since 1970. */
const lastWrite = (folder: string): number =>
  Math.max(...[folder, ...readdirSync(folder).map((name) => join(folder, name))].map((path) => statSync(path).mtimeMs));

/** Removes what runs that were cut have left, by the clock of the disk. */
const removeLeft = (folder: string, beforeMs: number): void => {
  for (const name of readdirSync(folder))
    if (name.startsWith(PREFIX) && lastWrite(join(folder, name)) < beforeMs)
      rmSync(join(folder, name), { recursive: true });
};

/** Gives a file the owner, group and mode of the one it replaces; where that is not permitted, only its owner can read it. */
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

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

const PYTHON = process.env.RUBRICA_PYTHON ?? "python3";
const SCRIPT = join(import.meta.dirname, "judge.py");

/** What pyHanko says of the last signature of a file. */
export type PyHankoVerdict =
  | {
      intact: boolean;
      valid: boolean;
      trusted: boolean;
      /** The indication of ETSI EN 319 102-1, of what was sealed for the long term; null of other seals. */
      ades: string | null;
    }
  | { unreadable: string };

/** pyHanko in one process for all files: to load it takes longer than a file does. */
export class PyHanko {
  readonly #process: ChildProcess;
  readonly #waiting: ((line: string | undefined) => void)[] = [];

  private constructor(roots: readonly string[]) {
    this.#process = spawn(PYTHON, [SCRIPT, ...roots], { stdio: ["pipe", "pipe", "inherit"] });
    if (this.#process.stdout === null) throw new Error("pyHanko can't be heard");
    createInterface({ input: this.#process.stdout }).on("line", (line) => this.#waiting.shift()?.(line));
    this.#process.once("close", () => {
      for (const answer of this.#waiting.splice(0)) answer(undefined);
    });
  }

  /**
   * Null where pyHanko is not there (RUBRICA_PYTHON names a Python that has it).
   * @param roots paths of the certificates (DER) that seals and timestamps chain to
   */
  static open(roots: readonly string[]): PyHanko | null {
    const isThere = spawnSync(PYTHON, ["-c", "import pyhanko.sign.validation"]).status === 0;
    return isThere ? new PyHanko(roots) : null;
  }

  /** @param longTerm whether what the file holds must be enough to validate it for good */
  async judge(path: string, longTerm: boolean): Promise<PyHankoVerdict> {
    const line = await new Promise<string | undefined>((resolve) => {
      this.#waiting.push(resolve);
      this.#process.stdin?.write(`${JSON.stringify({ path, longTerm })}\n`);
    });
    if (line === undefined) throw new Error("pyHanko ended before it had judged all");
    return JSON.parse(line) as PyHankoVerdict;
  }

  close(): void {
    this.#process.stdin?.end();
  }
}

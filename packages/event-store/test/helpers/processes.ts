import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { followWarningsOf } from "@rubrica/test-kit/warnings";

const APPENDER = fileURLToPath(new URL("./appender.ts", import.meta.url));

/** A second process that appends to the store at `path`; see appender.ts for its modes. */
export interface Appender {
  child: ChildProcess;
  /** What it has said so far, line by line. */
  lines: string[];
  /** Resolves when it has said so many lines, or has ended. */
  said(count: number): Promise<void>;
  ended: Promise<void>;
}

const follow = (child: ChildProcess): Appender => {
  followWarningsOf("appender", child, true);
  const lines: string[] = [];
  let wake = () => {};
  let over = false;
  const output = child.stdout;
  if (!output) throw new Error("the child has no standard output");
  createInterface({ input: output }).on("line", (line) => {
    lines.push(line);
    wake();
  });
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => {
      over = true;
      wake();
      resolve();
    });
  });
  const said = async (count: number) => {
    while (!over && lines.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { child, lines, said, ended };
};

export const startAppender = (path: string, mode: "contend" | "spread", count: number): Appender =>
  follow(spawn(process.execPath, ["--trace-warnings", APPENDER, path, mode, String(count)]));

/** The same, in a process that can't make a file larger than `limitKilobytes`: its disk is full then. */
export const startCrampedAppender = (path: string, count: number, limitKilobytes: number): Appender =>
  follow(
    spawn("sh", [
      "-c",
      // Ignoring the signal turns going over the limit into an error of the write. POSIX counts in blocks of 512 bytes.
      `trap "" XFSZ; ulimit -f ${2 * limitKilobytes}; exec "$0" "$@"`,
      ...[process.execPath, "--trace-warnings", APPENDER, path, "spread", String(count)],
    ]),
  );

/** The acknowledged appends among the lines: stream and revision. */
export const acknowledged = (lines: readonly string[]): { stream: string; revision: bigint }[] =>
  lines.flatMap((line) => {
    const match = /^(\S+-\S+) (\d+)$/.exec(line);
    return match?.[1] && match[2] ? [{ stream: match[1], revision: BigInt(match[2]) }] : [];
  });

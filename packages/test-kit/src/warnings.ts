// Warnings of the runtime (leaks of listeners, what is deprecated, unhandled or experimental) in the process of the tests,
// and in those that they start. `test/support/each-file.ts` fails the file in whose time one came, `warnings-left.ts` beside it
// the run where one came after that, or of a file whose tests are all skipped.
import { AsyncLocalStorage } from "node:async_hooks";
import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Names the folder in which each process keeps what it was warned of until somebody takes that. */
export const LEFT_VARIABLE = "RUBRICA_TEST_WARNINGS";

const noted: string[] = [];
/** Warnings that were printed in this process. */
const printed: string[] = [];
/** The file of tests that something goes back to, however late it comes. */
const origin = new AsyncLocalStorage<string>();

/** Runs a file's tests so that what comes after them is known for theirs. */
export const asFile = <Result>(file: string, run: () => Result): Result => origin.run(file, run);

/** The file of tests that runs, or ran last. */
const currentFile = (): string | undefined => process.env.RUBRICA_TEST_FILE;

/** What nobody has taken yet. What a process prints of its own warnings is no second one. */
const untaken = (): string[] => {
  const isOwn = (text: string): boolean => {
    const [head = ""] = text.replace(HEAD, "").split("\n");
    return noted.some((warning) => warning.includes(head));
  };
  return [...noted, ...printed.filter((text) => !isOwn(text)).map((text) => `a thread: ${text}`)];
};

/** Keeps that where it is found when this process is gone. */
const keepLeft = (): void => {
  const folder = process.env[LEFT_VARIABLE];
  // It is gone when the run has been judged.
  if (folder === undefined || !existsSync(folder)) return;
  const left = untaken().map((text) => `${currentFile() ?? "outside of tests"}: ${text}`);
  writeFileSync(join(folder, String(process.pid)), JSON.stringify(left));
};

/** What processes of a run were warned of and nobody took. @param folder of {@link LEFT_VARIABLE} */
export const leftWarnings = (folder: string): string[] =>
  readdirSync(folder).flatMap((name): string[] => JSON.parse(readFileSync(join(folder, name), "utf8")));

/** Keeps a warning for the end of the file of tests that runs. */
export const noteWarning = (text: string): void => {
  const from = origin.getStore();
  noted.push(from === undefined || from === currentFile() ? text : `of ${from}, which was over: ${text}`);
  keepLeft();
};

let isFollowing = false;
let isPassingOn = false;

/** Keeps what the runtime warns of in this process, from now on. */
export const followOwnWarnings = (): void => {
  // The detail of a helper's is its stack.
  process.on("warning", ({ name, message, stack, detail }: Error & { detail?: string }) =>
    noteWarning([stack ?? `${name}: ${message}`, ...(detail ? [detail] : [])].join("\n")),
  );
};

/** Keeps what the runtime warns of in this process and its threads, from now on, however often it is asked to. */
export const followWarnings = (): void => {
  if (isFollowing) return;
  isFollowing = true;
  followOwnWarnings();
  // What a thread of this process prints comes by here, and maybe what the process itself warned of.
  const { stderr } = process;
  const write = stderr.write.bind(stderr) as (...given: unknown[]) => boolean;
  stderr.write = (...given: unknown[]): boolean => {
    const found = isPassingOn ? [] : warningsIn(String(given[0]));
    printed.push(...found);
    if (found.length > 0) keepLeft();
    return write(...given);
  };
};

/** The warnings so far, each with its stack; they count as seen. */
export const takeWarnings = (): string[] => {
  const warnings = untaken();
  noted.length = 0;
  printed.length = 0;
  keepLeft();
  return warnings;
};

/** What comes before a printed warning's name. */
const HEAD = /^\(node:\d+\) (?:\[\w+\] )?/;

/** How the runtime prints a warning: `(node:4711) MaxListenersExceededWarning: …`, or with a code in brackets. */
const PRINTED = /^\(node:\d+\) .*(?:\n {4}at .*)*/gm;

/** What the runtime warned of in what a process of Node wrote to its standard error. */
export const warningsIn = (stderr: string): string[] => [...stderr.matchAll(PRINTED)].map(([warning]) => warning);

/** Keeps that for the end of the file of tests that runs. */
export const noteWarningsIn = (name: string, stderr: string): void => {
  for (const warning of warningsIn(stderr)) noteWarning(`${name}: ${warning}`);
};

/**
 * Keeps what the runtime warns of in a process of Node whose standard error is piped, once it has closed. Stacks are there
 * if it was started with `--trace-warnings`.
 *
 * @param passOn whether all that it writes there is printed as well: for what nobody else reads
 */
export const followWarningsOf = <Followed extends ChildProcess>(
  name: string,
  child: Followed,
  passOn = false,
): Followed => {
  if (!child.stderr) throw new Error(`the standard error of ${name} is not piped`);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    if (passOn) print(text);
  });
  child.once("close", () => noteWarningsIn(name, stderr));
  return child;
};

/** Prints what another process wrote: its warnings are noted once it has closed. */
const print = (text: string): void => {
  isPassingOn = true;
  process.stderr.write(text);
  isPassingOn = false;
};

// Warnings of the runtime (leaks of listeners, what is deprecated, unhandled or experimental) in the process of the tests,
// and in those that they start. `test/support/each-file.ts` fails the file that one came from.
import type { ChildProcess } from "node:child_process";

const noted: string[] = [];

/** Keeps a warning for the end of the file of tests that runs. */
export const noteWarning = (text: string): void => void noted.push(text);

let isFollowing = false;

/** Keeps what the runtime warns of in this process, from now on, however often it is asked to. */
export const followWarnings = (): void => {
  if (!isFollowing) process.on("warning", (warning) => noteWarning(warning.stack ?? String(warning)));
  isFollowing = true;
};

/** The warnings so far, each with its stack; they count as seen. */
export const takeWarnings = (): string[] => noted.splice(0);

/** How the runtime prints a warning: `(node:4711) MaxListenersExceededWarning: …`, or with a code in brackets. */
const PRINTED = /^\(node:\d+\) .*(?:\n {4}at .*)*/gm;

/** Keeps what the runtime warned of in what a process of Node wrote to its standard error. */
export const noteWarningsIn = (name: string, stderr: string): void => {
  for (const [warning] of stderr.matchAll(PRINTED)) noteWarning(`${name}: ${warning}`);
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
    if (passOn) process.stderr.write(text);
  });
  child.once("close", () => noteWarningsIn(name, stderr));
  return child;
};

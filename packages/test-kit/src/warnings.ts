// Warnings of the runtime (leaks of listeners, what is deprecated, unhandled or experimental) in the process of the tests,
// and in those that they start. `test/support/each-file.ts` fails the file that one came from.
import type { ChildProcess } from "node:child_process";

const noted: string[] = [];
/** Warnings that were printed in this process. */
const printed: string[] = [];

/** Keeps a warning for the end of the file of tests that runs. */
export const noteWarning = (text: string): void => void noted.push(text);

let isFollowing = false;
let isPassingOn = false;

/** Keeps what the runtime warns of in this process and its threads, from now on, however often it is asked to. */
export const followWarnings = (): void => {
  if (isFollowing) return;
  isFollowing = true;
  // The detail of a helper's is its stack.
  process.on("warning", ({ name, message, stack, detail }: Error & { detail?: string }) =>
    noteWarning([stack ?? `${name}: ${message}`, ...(detail ? [detail] : [])].join("\n")),
  );
  // What a thread of this process prints comes by here, and maybe what the process itself warned of.
  const { stderr } = process;
  const write = stderr.write.bind(stderr) as (...given: unknown[]) => boolean;
  stderr.write = (...given: unknown[]): boolean => {
    if (!isPassingOn) printed.push(...warningsIn(String(given[0])));
    return write(...given);
  };
};

/** The warnings so far, each with its stack; they count as seen. */
export const takeWarnings = (): string[] => {
  const warnings = noted.splice(0);
  const isOwn = (text: string): boolean => {
    const [head = ""] = text.replace(HEAD, "").split("\n");
    return warnings.some((warning) => warning.startsWith(head));
  };
  return [
    ...warnings,
    ...printed
      .splice(0)
      .filter((text) => !isOwn(text))
      .map((text) => `a thread: ${text}`),
  ];
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

// Warnings of the runtime (leaks of listeners, what is deprecated, unhandled or experimental) in the process of the tests,
// and in those that they start. `test/support/each-file.ts` fails the file that one came from.

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

/** What the runtime warned of on a process' standard error, each with its stack. */
export const warningsIn = (stderr: string): string[] => stderr.match(PRINTED) ?? [];

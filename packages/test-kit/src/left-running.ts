// Services that tests started and did not end. `test/support/each-file.ts` fails the file that left one.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { HANGING_MS } from "./polling.ts";

const running = new Set<ChildProcess>();
// A test run that is broken off leaves no service behind.
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Takes note of a service until it has ended. */
export const noteRunning = (child: ChildProcess): void => {
  running.add(child);
  child.once("close", () => running.delete(child));
};

/** What was started and does not end by itself, by process ids: it is ended. */
export const leftRunning = async (): Promise<number[]> => {
  if (running.size === 0) return [];
  const over = AbortSignal.timeout(HANGING_MS);
  await Promise.all([...running].map((child) => once(child, "close", { signal: over }).catch(() => undefined)));
  const left = [...running];
  for (const child of left) child.kill("SIGKILL");
  return left.map(({ pid = 0 }) => pid);
};

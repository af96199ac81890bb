import { flushCompileCache } from "node:module";
import { getPriority, setPriority } from "node:os";
import { getHeapStatistics } from "node:v8";
import { takeOver } from "./handover.ts";
import { tellWarnings, type Warned } from "./warned.ts";

/** What a helper is asked. */
export interface Question {
  /** Without its `bytes`, where they were handed over. */
  task: unknown;
  /** How many bytes were. */
  handedOver?: number;
}

/** What it answers. */
export type Answer =
  | { kind: "ready" }
  | { kind: "done"; result: unknown }
  | { kind: "failed"; message: string }
  | Warned;

/** Below whatever serves requests, above what is only done when nothing else is (`nice(1)`). */
const NICENESS = 10;

/**
 * How much may be held beyond what was left after the last full collection, before there is another. Such a collection
 * takes half a second and a new process a whole one, since both lose compiled code; ordinary documents leave less than
 * this before the engine collects by itself.
 */
const UNTIDIED_BYTES = 80 * 1_048_576;

const heldBytes = (): number => {
  const { total_heap_size: heapBytes, external_memory: outsideBytes } = getHeapStatistics();
  return heapBytes + outsideBytes;
};

let tidiedBytes = 0;

/** Gives back what a task no longer needs, which the engine keeps until it needs the room itself. */
const tidy = (): void => {
  if (heldBytes() - tidiedBytes <= UNTIDIED_BYTES) return;
  globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
  tidiedBytes = heldBytes();
};

let keepsCode = false;

/**
 * Has the runtime write what it compiled so far to its cache, where it has one. By itself it does so when the process
 * exits, and most helpers are ended by a signal: each would compile all of it anew.
 */
const keepCode = (): void => {
  if (keepsCode) return;
  keepsCode = true;
  flushCompileCache();
};

const taskOf = ({ task, handedOver }: Question): unknown =>
  handedOver === undefined ? task : { ...(task as object), bytes: takeOver(handedOver) };

/**
 * Makes this process a helper: runs one task after the other as its parent sends them, and ends with its parent. What
 * its files' libraries print belongs to no log and goes nowhere.
 *
 * @param run gives a task's result, which has to be structured-clonable; what it throws is told as a failure, with its
 * stack, so that refusals of files are better results than errors
 */
export const serveTasks = <Task, Result>(run: (task: Task) => Promise<Result> | Result): void => {
  if (process.send === undefined) throw new Error("this runs as a helper only");
  process.on("disconnect", () => process.exit());
  // Who was started further below stays there: nobody but root may rise again.
  if (getPriority() < NICENESS) setPriority(NICENESS);
  for (const method of ["log", "warn", "error", "info", "debug"] as const) console[method] = () => undefined;
  const answer = (message: Answer): void => {
    process.send?.(message);
  };
  tellWarnings(answer);
  process.on("message", async (question: Question) => {
    try {
      const result = await run(taskOf(question) as Task);
      tidy();
      answer({ kind: "done", result });
      keepCode();
    } catch (error) {
      answer({ kind: "failed", message: error instanceof Error ? (error.stack ?? error.message) : "unknown" });
    }
  });
  answer({ kind: "ready" });
};

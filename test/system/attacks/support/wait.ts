import type { Watched, WatchedTask } from "@rubrica/test-kit";

/**
 * How many requests of one name had begun and not ended when the first of another name began.
 * @throws {Error} when the service saw none of that name.
 */
export const waitingBefore = (watched: readonly Watched[], name: string, others: string): number => {
  const begun = watched.findIndex((each) => each.name === name && each.what === "begun");
  if (begun === -1) throw new Error(`the service saw no request of the name ${name}`);
  const theirs = watched.slice(0, begun).filter((each) => each.name === others);
  return theirs.filter(({ what }) => what === "begun").length - theirs.filter(({ what }) => what === "ended").length;
};

/** Whether a task of a caller waits for a helper. */
export const isWaiting = (tasks: readonly WatchedTask[], caller: string): boolean => {
  const theirs = tasks.filter((task) => task.caller === caller);
  return theirs.filter(({ what }) => what === "queued").length > theirs.filter(({ what }) => what === "taken").length;
};

/**
 * How many tasks of a backlog got a helper while one of another caller waited for one of the same kind. What was in hand
 * before it came does not count, however long that goes on.
 * @throws {Error} when the other caller had no task.
 */
export const overtaken = (tasks: readonly WatchedTask[], caller: string, backlog: string): number => {
  if (!tasks.some((task) => task.caller === caller)) throw new Error(`no helper had a task of ${caller}`);
  const waiting = new Map<string, number>();
  let count = 0;
  for (const { pool, caller: whose, what } of tasks) {
    const waits = waiting.get(pool) ?? 0;
    if (whose === caller) waiting.set(pool, waits + (what === "queued" ? 1 : -1));
    else if (whose === backlog && what === "taken" && waits > 0) count += 1;
  }
  return count;
};

/** The callers of tasks, who had most of them first. */
export const callersOf = (tasks: readonly WatchedTask[]): string[] => {
  const counts = new Map<string, number>();
  for (const { caller } of tasks) counts.set(caller, (counts.get(caller) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([caller]) => caller);
};

import { readdirSync, readFileSync } from "node:fs";
import { eventually } from "./polling.ts";

/** The state of a thread, as `proc_pid_stat(5)` has it: the name before it stands in brackets, and may hold anything. */
const stateOf = (pid: number, thread: string): string | undefined => {
  const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[0];
};

/** Whether no thread runs; true as well where the process is gone. */
const stands = (pid: number): boolean => {
  try {
    return readdirSync(`/proc/${pid}/task`).every((thread) => stateOf(pid, thread) === "T");
  } catch {
    // A thread, or the process, has ended since it was listed.
    return !readdirSync("/proc").includes(String(pid));
  }
};

/**
 * Stops a process (`SIGSTOP`), and resolves when each of its threads stands: until then it may still answer. Where there
 * is no `/proc`, at once.
 */
export const standStill = async (pid: number): Promise<void> => {
  process.kill(pid, "SIGSTOP");
  if (process.platform === "linux") await eventually(`process ${pid} to stand still`, () => stands(pid));
};

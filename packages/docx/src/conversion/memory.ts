import { readdirSync, readFileSync } from "node:fs";

/**
 * The memory of a process and all that it started, in MB, without what they share with others (`proc(5)`); 0 where the
 * system does not tell.
 */
export const memoryMbOf = (pid: number): number => {
  try {
    const [, kilobytes = "0"] = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    // A process belongs to the thread that started it.
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1").split(" ").filter(Boolean),
    );
    return children.reduce((sum, child) => sum + memoryMbOf(Number(child)), Number(kilobytes) / 1024);
  } catch {
    return 0;
  }
};

import { readFileSync } from "node:fs";

/** Ticks of Linux' clock for user space, in milliseconds (`sysconf(_SC_CLK_TCK)` is 100 on every architecture of Node's). */
const TICK_MS = 10;

/** What a process takes of the machine. */
export interface Usage {
  /** Memory of its own, in MB: without the program's file, which all share. */
  memoryMb: number;
  /** Time of processors that it had since it began, in milliseconds. */
  cpuMs: number;
}

/**
 * What a process takes, as the system accounts for it (`proc(5)`); undefined where the system does not tell, and when
 * the process is gone. Never waits for a disk.
 */
export function usageOf(pid: number): Usage | undefined {
  try {
    const [, kilobytes] = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field, the program's name, may hold anything; those after its last parenthesis are plain.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [userTicks, systemTicks] = [Number(fields[11]), Number(fields[12])];
    if (kilobytes === undefined || Number.isNaN(userTicks + systemTicks)) return undefined;
    return { memoryMb: Number(kilobytes) / 1024, cpuMs: (userTicks + systemTicks) * TICK_MS };
  } catch {
    return undefined;
  }
}

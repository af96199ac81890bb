import { readFileSync } from "node:fs";

/** Ticks of Linux' clock for user space, in milliseconds (`sysconf(_SC_CLK_TCK)` is 100 on every architecture of Node's). */
const TICK_MS = 10;

/** What a process takes of the machine. */
export interface Usage {
  /** Memory of its own, in MB: without the program's file, which all share. */
  memoryMb: number;
  /** The most that it ever had in memory, with what is shared, in MB. */
  highWaterMb: number;
  /** Time of processors that it had since it began, in milliseconds. */
  cpuMs: number;
}

/**
 * What a process takes, as the system accounts for it (`proc(5)`); undefined where the system does not tell, and when
 * the process is gone. Never waits for a disk.
 */
export function usageOf(pid: number): Usage | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    const memoryMb = megabytes(status, /^RssAnon:\s+(\d+) kB/m);
    const highWaterMb = megabytes(status, /^VmHWM:\s+(\d+) kB/m);
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field, the program's name, may hold anything; those after its last parenthesis are plain.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [userTicks, systemTicks] = [Number(fields[11]), Number(fields[12])];
    const cpuMs = (userTicks + systemTicks) * TICK_MS;
    return Number.isNaN(memoryMb + highWaterMb + cpuMs) ? undefined : { memoryMb, highWaterMb, cpuMs };
  } catch {
    return undefined;
  }
}

/** What this process takes of memory of its own, in MB; 0 where the system does not tell. */
export const ownMemoryMb = (): number => usageOf(process.pid)?.memoryMb ?? 0;

const megabytes = (status: string, line: RegExp): number => Number(line.exec(status)?.[1]) / 1024;

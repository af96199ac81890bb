import { readFileSync } from "node:fs";

/** Ticks of Linux' clock for user space, in milliseconds (`sysconf(_SC_CLK_TCK)` is 100 on every architecture of Node's). */
const TICK_MS = 10;
const MEGABYTE_KB = 1_024;
const MEGABYTE = 1_048_576;
const AT_PAGESZ = 6n;

/** What a process takes of the machine. */
export interface Usage {
  /** Memory of its own, in MB: without the program's file, which all share. */
  memoryMb: number;
  /** Processor time that it has used since it began, in milliseconds. */
  cpuMs: number;
}

/**
 * What a process takes, as the system accounts for it (`proc(5)`); undefined where the system does not tell, and when
 * the process is gone. Never waits for a disk.
 */
export const usageOf = (pid: number): Usage | undefined => {
  try {
    const memoryMb = memoryMbOf(pid);
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field, the program's name, may hold anything; those after its last parenthesis are plain.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ", 13);
    const [userTicks, systemTicks] = [Number(fields[11]), Number(fields[12])];
    const cpuMs = (userTicks + systemTicks) * TICK_MS;
    return Number.isNaN(memoryMb + cpuMs) ? undefined : { memoryMb, cpuMs };
  } catch {
    return undefined;
  }
};

/** The most that a process ever had in memory, with what is shared, in MB; undefined as for {@link usageOf}. */
export const highWaterMbOf = (pid: number): number | undefined => {
  try {
    // A long file that the system writes at each reading: not for hot paths.
    const kilobytes = Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]);
    return Number.isNaN(kilobytes) ? undefined : kilobytes / MEGABYTE_KB;
  } catch {
    return undefined;
  }
};

/** What this process takes of memory of its own, in MB; 0 where the system does not tell. */
export const ownMemoryMb = (): number => {
  try {
    return memoryMbOf("self");
  } catch {
    return 0;
  }
};

/** `statm`, which counts pages, is one short line; `status` says the same in twenty times the time. */
const memoryMbOf = (pid: number | "self"): number => {
  const [, resident = Number.NaN, shared = Number.NaN] = readFileSync(`/proc/${pid}/statm`, "latin1")
    .split(" ", 3)
    .map(Number);
  pageBytes ??= readPageBytes();
  return ((resident - shared) * pageBytes) / MEGABYTE;
};

let pageBytes: number | undefined;

/** AT_PAGESZ of the auxiliary vector, whose entries are a type and a value (`getauxval(3)`): 4 KB on most machines. */
const readPageBytes = (): number => {
  const entries = new BigUint64Array(new Uint8Array(readFileSync("/proc/self/auxv")).buffer);
  const at = entries.findIndex((type, index) => index % 2 === 0 && type === AT_PAGESZ);
  return Number(entries[at + 1]);
};

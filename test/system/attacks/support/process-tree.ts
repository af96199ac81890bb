import { readdirSync, readFileSync } from "node:fs";

/** A tick of Linux' clock for user space: `sysconf(_SC_CLK_TCK)` is 100 on every architecture of Node's. */
const TICK_MS = 10;
/** How LibreOffice is started: as a program, or as WebAssembly by a module of this repository. */
const OFFICE = { native: /soffice|oosplash/, wasm: /conversion\/wasm\/child\.ts/ };

/** A process of the service's tree. */
export interface TreeProcess {
  pid: number;
  parent: number;
  /** R: running or waiting for a processor; S: waiting for something to happen. See proc_pid_stat(5). */
  state: string;
  /** Processor time that it and its children that ended took, in milliseconds. */
  cpuMs: number;
  /** Without its children. */
  ownCpuMs: number;
  /** Its command line, arguments parted by spaces. */
  command: string;
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // It has ended since it was listed.
    return undefined;
  }
};

const processOf = (pid: number): TreeProcess | undefined => {
  const stat = textOf(`/proc/${pid}/stat`);
  const command = textOf(`/proc/${pid}/cmdline`);
  if (stat === undefined || command === undefined) return undefined;
  // The name stands in parentheses and may hold anything; what follows is parted by spaces: state, parent …
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = "", parent] = fields;
  if (state === "Z") return undefined;
  // utime, stime, cutime, cstime.
  const [user, system, ...ofChildren] = fields.slice(11, 15).map((ticks) => Number(ticks) * TICK_MS);
  const ownCpuMs = (user ?? 0) + (system ?? 0);
  const words = command.replaceAll("\0", " ").trim();
  return { pid, parent: Number(parent), state, cpuMs: ownCpuMs + sumOf(ofChildren), ownCpuMs, command: words };
};

/**
 * Of each root, the processes that do not descend from it, as they were listed last. None of them ever will, and a machine
 * that runs many tests has some two hundred: only new ones are looked at again.
 */
const others = new Map<number, ReadonlySet<string>>();

/** The process with this id among the given ones, and those that descend from it. */
const branchOf = (root: number, processes: readonly TreeProcess[]): TreeProcess[] => {
  const branch = processes.filter(({ pid }) => pid === root);
  for (const { pid } of branch) branch.push(...processes.filter(({ parent }) => parent === pid));
  return branch;
};

/** The process and all that descend from it. Linux alone: it reads `/proc`. */
export const treeOf = (root: number): TreeProcess[] => {
  const known = others.get(root);
  const listed = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const tree = branchOf(
    root,
    listed.flatMap((name) => (known?.has(name) ? [] : (processOf(Number(name)) ?? []))),
  );
  const pids = new Set(tree.map(({ pid }) => String(pid)));
  others.set(root, new Set(listed.filter((name) => !pids.has(name))));
  return tree;
};

/** LibreOffice, and what starts and confines it. */
const isOffice = ({ command }: TreeProcess): boolean => Object.values(OFFICE).some((name) => name.test(command));

/** The memory that a process takes alone, and its share of what it shares (PSS), in bytes. */
const memoryOf = ({ pid }: { pid: number }): number => {
  const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(textOf(`/proc/${pid}/smaps_rollup`) ?? "") ?? [];
  return Number(kilobytes ?? 0) * 1_024;
};

/** What the whole tree holds but for LibreOffice, in bytes; or, without its descendants, the process alone. */
export const treeBytes = (root: number, descendants = true): number =>
  sumOf(
    treeOf(root)
      .filter((process) => (descendants ? !isOffice(process) : process.pid === root))
      .map(memoryOf),
  );

/** What the largest LibreOffice of each engine holds, with all that started and confines it, in bytes. */
export const officeBytes = (root: number): Record<keyof typeof OFFICE, number> => {
  const tree = treeOf(root);
  const largest = (name: RegExp): number => {
    const offices = tree.filter(({ command }) => name.test(command));
    const pids = new Set(offices.map(({ pid }) => pid));
    const first = offices.filter(({ parent }) => !pids.has(parent));
    return Math.max(0, ...first.map(({ pid }) => sumOf(branchOf(pid, tree).map(memoryOf))));
  };
  return { native: largest(OFFICE.native), wasm: largest(OFFICE.wasm) };
};

/** Processor time that the whole tree took since it began, those that ended included, in milliseconds. */
export const treeCpuMs = (root: number): number => sumOf(treeOf(root).map(({ cpuMs }) => cpuMs));

/** The same of helpers and LibreOffice alone. */
export const helpersCpuMs = (root: number): number =>
  sumOf(treeOf(root).map(({ pid, cpuMs, ownCpuMs }) => (pid === root ? cpuMs - ownCpuMs : cpuMs)));

/** Whether nothing below the process works: no thread runs or waits for a processor or a disk. */
export const isTreeIdle = (root: number): boolean =>
  treeOf(root)
    .filter(({ pid }) => pid !== root)
    .every(({ pid }) => threadsOf(pid).every((state) => state !== "R" && state !== "D"));

const threadsOf = (pid: number): string[] => {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => {
      const stat = textOf(`/proc/${pid}/task/${thread}/stat`) ?? "";
      return stat.charAt(stat.lastIndexOf(")") + 2);
    });
  } catch {
    return [];
  }
};

/** The service's helper processes, with the name of each one's pool. */
export const helpersOf = (root: number): { pid: number; pool: string }[] =>
  treeOf(root).flatMap(({ pid, command }) => {
    const [, pool] = /(?:^|--title=)rubrica: ([A-Za-z ]+?)(?: --|$)/.exec(command) ?? [];
    return pid !== root && pool !== undefined ? [{ pid, pool: pool.trim() }] : [];
  });

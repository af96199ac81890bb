import { readdirSync, readFileSync } from "node:fs";

/** A process of the service's tree. */
export interface TreeProcess {
  pid: number;
  parent: number;
  /** Its command line, arguments parted by spaces. */
  command: string;
}

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
  const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (state === "Z") return undefined;
  return { pid, parent: Number(parent), command: command.replaceAll("\0", " ").trim() };
};

/** The process and all that descend from it. Linux alone: it reads `/proc`. */
export const treeOf = (root: number): TreeProcess[] => {
  const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (processOf(Number(name)) ?? []) : []));
  const tree = all.filter(({ pid }) => pid === root);
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree;
};

/** LibreOffice, and what starts and confines it. */
const isOffice = ({ command }: TreeProcess): boolean => /soffice|oosplash/.test(command);

/** The memory that a process takes alone, and its share of what it shares (PSS), in bytes. */
const memoryOf = (pid: number): number => {
  const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(textOf(`/proc/${pid}/smaps_rollup`) ?? "") ?? [];
  return Number(kilobytes ?? 0) * 1_024;
};

/** What the whole tree holds but for LibreOffice, in bytes; or, without its descendants, the process alone. */
export const treeBytes = (root: number, descendants = true): number =>
  treeOf(root)
    .filter((process) => (descendants ? !isOffice(process) : process.pid === root))
    .reduce((sum, { pid }) => sum + memoryOf(pid), 0);

/** The service's helper processes, with the name of each one's pool. */
export const helpersOf = (root: number): { pid: number; pool: string }[] =>
  treeOf(root).flatMap(({ pid, command }) => {
    const [, pool] = /(?:^|--title=)rubrica: ([A-Za-z ]+?)(?: --|$)/.exec(command) ?? [];
    return pid !== root && pool !== undefined ? [{ pid, pool: pool.trim() }] : [];
  });

import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { ROOT } from "@rubrica/runtime/bundle";
import type { OtherUser } from "./other-user.ts";

/** What differs between helpers' runtimes. */
export interface RuntimeOptions {
  /** What the system's list of processes shows. */
  title: string;
  /** JavaScript memory, in MB. */
  heapMb: number;
  /** Undefined: it runs as this process' own user. */
  user: OtherUser | undefined;
}

/** What `fork` needs to start a helper: the program, what stands before the helper's entry, and its whole environment. */
export interface StartCommand {
  execPath: string;
  execArgv: string[];
  env: NodeJS.ProcessEnv;
}

/** A main thread has 8 MB of stack on every system that servers run; some honest files are nested deep. */
const STACK_KB = 3_900;
/** New objects, in MB: less than the runtime's own choice, which makes no task faster. */
const SEMI_SPACE_MB = 8;

/** How the runtime is started as a helper: bounded, without rights, and so that it ends with this process. */
export const startCommand = ({ title, heapMb, user }: RuntimeOptions): StartCommand => {
  const cache = user ? undefined : process.env.NODE_COMPILE_CACHE;
  const [execPath = "", ...execArgv] = launched(user, [
    process.execPath,
    `--title=${title}`,
    `--max-old-space-size=${heapMb}`,
    `--max-semi-space-size=${SEMI_SPACE_MB}`,
    `--stack-size=${STACK_KB}`,
    "--expose-gc",
    ...permissions(cache),
  ]);
  return { execPath, execArgv, env: environment(cache) };
};

/**
 * Nothing of the service's own (keys, passwords, paths) is of use to who reads strangers' files.
 * @param cache of compiled code; another user's helpers have none: what they write there, the service would run.
 */
const environment = (cache: string | undefined): NodeJS.ProcessEnv => ({
  // One arena of glibc's for a few threads: memory that is free is given back.
  MALLOC_ARENA_MAX: "2",
  ...(cache ? { NODE_COMPILE_CACHE: cache } : {}),
});

const READABLE = ["node_modules", "packages", "apps"].map((folder) => join(ROOT, folder));

/**
 * Node's permissions of a helper: it may read code and nothing else of the disk, and start nothing. They stop a parser
 * that a file tricks into opening another file, not a stranger's machine code: see docs/security.md.
 */
const permissions = (cache: string | undefined): string[] => [
  "--permission",
  // The image library is one.
  "--allow-addons",
  "--no-warnings",
  ...[...READABLE, ...(cache ? [cache] : [])].map((folder) => `--allow-fs-read=${join(folder, "*")}`),
  ...(cache ? [`--allow-fs-write=${join(cache, "*")}`] : []),
];

/** Ends with its parent, however that ended (`PR_SET_PDEATHSIG`), and never gains a right that it was not started with. */
const TIES = ["--pdeathsig", "KILL", "--no-new-privs", "--"];

/**
 * A shell that becomes the helper, and leaves a watcher in its process group: when descriptor 4 closes, because the
 * service is gone, however it ended, the watcher ends the group. The system brings a user's processes no signal of
 * another user's end.
 */
const WATCHED = '(exec 2>/dev/null 3>&-; read -r _ <&4; kill -s KILL 0) & exec "$@" 4<&-';

/** The program that starts helpers with {@link TIES}, once it was looked for; null where there is none that can. */
let tie: string | null | undefined;

/**
 * The command that starts a helper so that it ends with this process: one that is busy would not hear its channel close.
 * Where util-linux's `setpriv` is missing, only those that are idle end with a parent that was killed, the others after
 * their task.
 */
const launched = (user: OtherUser | undefined, program: readonly string[]): string[] => {
  if (user) return user.as(["/bin/sh", "-c", WATCHED, "sh", ...program]);
  tie ??= findTie() ?? null;
  return tie === null ? [...program] : [tie, ...TIES, ...program];
};

const findTie = (): string | undefined => {
  const path = onPath("setpriv");
  // Others of the name know fewer options.
  return path !== undefined && spawnSync(path, [...TIES, "true"], { stdio: "ignore" }).status === 0 ? path : undefined;
};

const onPath = (name: string): string | undefined => {
  const candidates = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  return candidates.map((folder) => join(folder, name)).find(isExecutable);
};

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

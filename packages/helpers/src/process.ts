import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { accessSync, closeSync, constants } from "node:fs";
import type { Socket } from "node:net";
import { delimiter, join } from "node:path";
import { ROOT, runnableOf } from "@rubrica/runtime/bundle";
import { openHandover } from "./handover.ts";
import type { OtherUser } from "./other-user.ts";
import type { Answer, Question } from "./serve.ts";
import { highWaterMbOf, type Usage, usageOf } from "./usage.ts";

/** How a helper is started. */
export interface Start {
  /** The module that calls `serveTasks`. */
  entry: URL;
  /** What the system's list of processes shows. */
  title: string;
  /** JavaScript memory, in MB. */
  heapMb: number;
  /** Undefined: it runs as this process' own user. */
  user: OtherUser | undefined;
}

/** Why a helper is gone. `out_of_memory`: by its own runtime, whose heap was full or asked for more than there can be. */
export type End = "out_of_memory" | "died";

/** A main thread has 8 MB of stack on every system that servers run; some honest files are nested deep. */
const STACK_KB = 3_900;
/** New objects, in MB: less than the runtime's own choice, which makes no task faster. */
const SEMI_SPACE_MB = 8;
/** Of what a helper writes to its standard error, the first characters are kept. */
const MAX_STDERR = 16_384;
/** How V8 says that a task wanted more memory than there is; it says no more than this, and nothing of the task. */
const OUT_OF_MEMORY = /out of memory|Allocation failed|invalid (table|array|size)|CALL_AND_RETRY/i;

/** A helper process: runs one task at a time. */
export class HelperProcess {
  /** Tasks that it was given. */
  tasks = 0;
  readonly #child: ChildProcess;
  readonly #user: OtherUser | undefined;
  readonly #handover = openHandover();
  /** Resolves when it can take its first task, or is gone. */
  readonly ready: Promise<void>;
  #stderr = "";
  #waiting: ((answer: Answer | End) => void) | undefined;
  #isGone = false;
  #isEnding = false;
  readonly #gone: Promise<void>;

  constructor({ entry, title, heapMb, user }: Start) {
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
    this.#user = user;
    this.#child = fork(runnableOf(entry), [], {
      execPath,
      execArgv,
      env: environment(cache),
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc", user ? "pipe" : "ignore", this.#handover?.readable ?? "ignore"],
      // A group of its own is ended with whatever it started.
      detached: user !== undefined,
    });
    if (this.#handover) closeSync(this.#handover.readable);
    // Its watcher, which holds the other end, ends by it.
    this.#child.once("exit", () => this.#tie?.destroy());
    this.#child.stderr?.setEncoding("latin1").on("data", (text: string) => {
      if (this.#stderr.length < MAX_STDERR) this.#stderr += text.slice(0, MAX_STDERR);
    });
    this.#gone = new Promise((resolve) => {
      // "close" comes after its standard error was read; "error" when it could not be started at all.
      this.#child.once("close", resolve);
      this.#child.once("error", resolve);
    });
    this.ready = new Promise((resolve) => {
      this.#child.on("message", (answer: Answer) => {
        if (answer.kind === "ready") resolve();
        else if (answer.kind === "warned") warnOf(title, answer);
        else this.#answer(answer);
      });
      void this.#gone.then(() => {
        this.#isGone = true;
        this.#handover?.close();
        this.#answer(OUT_OF_MEMORY.test(this.#stderr) ? "out_of_memory" : "died");
        resolve();
      });
    });
    this.#rest();
  }

  /** How it ended, for the log; with what it wrote to its standard error only where no task was in that. */
  get end(): string {
    const { exitCode, signalCode } = this.#child;
    return `${signalCode ?? `exit code ${exitCode}`}${this.tasks === 0 ? ` ${this.#stderr}` : ""}`;
  }

  get isAlive(): boolean {
    return !this.#isGone && !this.#isEnding && this.#child.connected;
  }

  /** What it takes of the machine; undefined where that is not known. */
  usage(): Usage | undefined {
    return this.#child.pid === undefined || this.#isGone ? undefined : usageOf(this.#child.pid);
  }

  /** The most that it ever had in memory, with what is shared, in MB; undefined where that is not known. */
  highWaterMb(): number | undefined {
    return this.#child.pid === undefined || this.#isGone ? undefined : highWaterMbOf(this.#child.pid);
  }

  /** Keeps this process alive for it, until it has answered. */
  hold(): void {
    for (const part of this.#parts()) part?.ref();
  }

  /** Its answer, or how it ended instead. */
  run(task: unknown): Promise<Answer | End> {
    return new Promise((resolve) => {
      if (!this.isAlive) return resolve("died");
      this.tasks += 1;
      this.#waiting = resolve;
      this.hold();
      // What can't be sent, since it is just ending, is told by its end.
      this.#child.send(this.#question(task), () => undefined);
    });
  }

  /** A task, its file handed over where it has a large one. */
  #question(task: unknown): Question {
    const { bytes } = (task ?? {}) as { bytes?: unknown };
    if (!(bytes instanceof Uint8Array) || !this.#handover?.put(bytes)) return { task };
    return { task: { ...(task as object), bytes: undefined }, handedOver: bytes.length };
  }

  /** Ends it by force. */
  async kill(): Promise<void> {
    if (!this.#isGone) {
      this.#kill();
      // Only once: each hold of a closed socket adds a listener that is never removed.
      if (!this.#isEnding) this.hold();
    }
    this.#isEnding = true;
    await this.#gone;
  }

  #kill(): void {
    const { pid, exitCode, signalCode } = this.#child;
    if (!this.#user) return void this.#child.kill("SIGKILL");
    this.#tie?.destroy();
    // What runs in the group may have ended the watcher: the group is ended directly as well.
    if (pid !== undefined && exitCode === null && signalCode === null) this.#user.killGroup(pid);
  }

  #answer(answer: Answer | End): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (!this.#isGone) this.#handover?.clear();
    this.#rest();
    waiting?.(answer);
  }

  /** Without a task it keeps nobody's process alive. */
  #rest(): void {
    for (const part of this.#parts()) part?.unref();
  }

  /** What the watcher of another user's helper reads from (see {@link WATCHED}). */
  get #tie(): Socket | undefined {
    return (this.#child.stdio[4] ?? undefined) as Socket | undefined;
  }

  /** What may keep this process alive. */
  #parts() {
    return [this.#child, this.#child.channel, this.#child.stderr as Socket | null, this.#tie];
  }
}

/** What the runtime warned of in a helper, it warns of here, where somebody reads it. */
const warnOf = (title: string, { name, stack }: { name: string; stack: string }): void =>
  process.emitWarning(`in a helper (${title})`, { type: name, detail: stack });

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
 * What a helper may do by the runtime's own word: read code, and nothing else of the disk; start nothing. That holds off
 * a reader of files that is talked into opening another one, not machine code of a stranger's: see docs/security.md.
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

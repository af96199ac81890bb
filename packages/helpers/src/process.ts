import { type ChildProcess, fork } from "node:child_process";
import { closeSync } from "node:fs";
import type { Socket } from "node:net";
import { runnableOf } from "@rubrica/runtime/bundle";
import { openHandover } from "./handover.ts";
import type { OtherUser } from "./other-user.ts";
import type { Answer, Question } from "./serve.ts";
import { type RuntimeOptions, startCommand } from "./start-command.ts";
import { highWaterMbOf, type Usage, usageOf } from "./usage.ts";
import { warnOf } from "./warned.ts";

/** How a helper is started. */
export interface Start extends RuntimeOptions {
  /** The module that calls `serveTasks`. */
  entry: URL;
}

/** Why a helper is gone. `out_of_memory`: by its own runtime, whose heap was full or asked for more than there can be. */
export type End = "out_of_memory" | "died";

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
    this.#user = user;
    this.#child = fork(runnableOf(entry), [], {
      ...startCommand({ title, heapMb, user }),
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

  /** What the watcher of another user's helper reads from (see start-command.ts). */
  get #tie(): Socket | undefined {
    return (this.#child.stdio[4] ?? undefined) as Socket | undefined;
  }

  /** What may keep this process alive. */
  #parts() {
    return [this.#child, this.#child.channel, this.#child.stderr as Socket | null, this.#tie];
  }
}

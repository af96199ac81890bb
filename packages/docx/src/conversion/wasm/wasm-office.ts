import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Warned, warnOf } from "@rubrica/helpers/warned";
import type { Clock } from "@rubrica/runtime";
import { memoryMbOf } from "../memory.ts";
import { type Office, type OfficeProcess, UnreadableDocx } from "../office.ts";
import { prepareWasmFolder } from "./wasm-folder.ts";

/** What the parent asks. */
export interface WasmQuestion {
  docx: Uint8Array;
}

/** What the child says: once that it is ready, then an answer to each question; beside them, what it was warned of. */
export type WasmAnswer =
  | { kind: "ready" }
  | { kind: "pdf"; pdf: Uint8Array }
  | { kind: "failed"; unreadable: boolean }
  | Warned;

/** About one of three fresh processes comes to a standstill in its first conversion, and ends itself (see `child.ts`). */
const STARTS = 8;
/** A start takes 3 to 5 s, on a busy machine many times that. */
const START_MS = 60_000;

/** LibreOffice as WASM, of an npm package, each in a process of its own (1.3 to 2.4 GB). */
export class WasmOffice implements Office {
  readonly engine = "wasm";
  /** Its files are in its memory: nothing of this machine's is mounted there. */
  readonly isConfined = true;
  readonly convertOnce = undefined;
  readonly #folder: string;
  readonly #clock: Clock;

  private constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /** @param wasm the package's folder of that name. @throws {Error} when it is of an unknown version. */
  static async open(wasm: string, folder: string, clock: Clock): Promise<WasmOffice> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const own = await mkdtemp(join(folder, "office-"));
    await prepareWasmFolder(wasm, join(own, "wasm"));
    return new WasmOffice(own, clock);
  }

  async start(signal: AbortSignal): Promise<OfficeProcess> {
    for (let start = 1; start <= STARTS; start++) {
      const child = this.#fork();
      if (await this.#isReady(child, START_MS, signal)) return new WasmProcess(child);
      await kill(child);
      signal.throwIfAborted();
    }
    throw new Error("the office program does not start");
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  #fork(): ChildProcess {
    const child = fork(fileURLToPath(new URL("child.ts", import.meta.url)), [join(this.#folder, "wasm")], {
      cwd: this.#folder,
      env: { PATH: process.env.PATH, HOME: this.#folder },
      execArgv: [],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    child.on("message", (told: WasmAnswer) => {
      if (told.kind === "warned") warnOf("LibreOffice as WebAssembly", told);
    });
    return child;
  }

  async #isReady(child: ChildProcess, limitMs: number, signal: AbortSignal): Promise<boolean> {
    const ended = new AbortController();
    const either = AbortSignal.any([ended.signal, signal]);
    try {
      return await Promise.race([
        answerOf(child).then(({ kind }) => kind === "ready"),
        this.#clock.wait(limitMs, { signal: either, background: true }).then(() => false),
      ]);
    } catch {
      return false;
    } finally {
      ended.abort();
    }
  }
}

class WasmProcess implements OfficeProcess {
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
  }

  async convert(docx: Uint8Array): Promise<Uint8Array> {
    const answering = answerOf(this.#child);
    this.#child.send({ docx } satisfies WasmQuestion, () => undefined);
    const answer = await answering;
    if (answer.kind === "pdf") return answer.pdf;
    if (answer.kind === "failed" && answer.unreadable) throw new UnreadableDocx();
    throw new Error("the office program failed");
  }

  memoryMb(): number {
    return this.#child.pid === undefined ? 0 : memoryMbOf(this.#child.pid);
  }

  kill(): Promise<void> {
    return kill(this.#child);
  }
}

/** The child's next answer. @throws {Error} when it ends before. */
const answerOf = (child: ChildProcess): Promise<Exclude<WasmAnswer, Warned>> =>
  new Promise((resolve, reject) => {
    const told = (answer: WasmAnswer): void => {
      if (answer.kind === "warned") return;
      stop();
      resolve(answer);
    };
    const gone = (): void => {
      stop();
      reject(new Error("the office program ended"));
    };
    const stop = (): void => void child.off("message", told).off("exit", gone);
    child.on("message", told).on("exit", gone);
  });

const kill = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
};

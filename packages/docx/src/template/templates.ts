import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Clock } from "@rubrica/runtime";
import { type DocxRefusal, DocxRefused } from "../refused.ts";
import type { Variables } from "./fill.ts";

/** What the thread is asked: to fill, or, without variables, to inspect. */
export interface TemplateJob {
  docx: Uint8Array;
  variables: Variables | undefined;
}

export type TemplateOutcome =
  | { ok: true; docx: Uint8Array | undefined }
  | { ok: false; reason: DocxRefusal; message: string };

/** DOCX templates, read and filled off the event loop, within bounds of time and memory. */
export interface DocxTemplates {
  /** Resolves when the file is a DOCX that can be filled. @throws {DocxRefused} */
  inspect(docx: Uint8Array): Promise<void>;
  /** The template with its variables filled, as a new DOCX. @throws {DocxRefused} */
  fill(docx: Uint8Array, variables: Variables): Promise<Uint8Array>;
  /** Ends the thread; what is waiting is rejected. */
  close(): Promise<void>;
}

/**
 * Starts one thread for templates, and another whenever a document brought it down.
 *
 * @param options.timeoutMs for one document.
 * @param options.memoryMb of the thread's JavaScript heap.
 */
export function openDocxTemplates(options: { clock: Clock; timeoutMs?: number; memoryMb?: number }): DocxTemplates {
  return new Templates({ timeoutMs: 10_000, memoryMb: 512, ...options });
}

class Templates implements DocxTemplates {
  readonly #options: { clock: Clock; timeoutMs: number; memoryMb: number };
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(options: { clock: Clock; timeoutMs: number; memoryMb: number }) {
    this.#options = options;
  }

  async inspect(docx: Uint8Array): Promise<void> {
    await this.#enqueue({ docx, variables: undefined });
  }

  async fill(docx: Uint8Array, variables: Variables): Promise<Uint8Array> {
    const filled = await this.#enqueue({ docx, variables });
    if (!filled) throw new Error("the thread answered another question");
    return filled;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
  }

  /** One document at a time, in the order of asking. */
  #enqueue(job: TemplateJob): Promise<Uint8Array | undefined> {
    const result = this.#last.then(() => this.#run(job));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #run(job: TemplateJob): Promise<Uint8Array | undefined> {
    if (this.#closed) throw new Error("the templates are closed");
    this.#worker ??= this.#start();
    const outcome = await this.#ask(this.#worker, job);
    if (this.#closed) throw new Error("the templates are closed");
    if (!outcome.ok) throw new DocxRefused(outcome.reason, outcome.message);
    return outcome.docx;
  }

  async #ask(worker: Worker, job: TemplateJob): Promise<TemplateOutcome> {
    const ended = new AbortController();
    const { signal } = ended;
    const { clock, timeoutMs } = this.#options;
    try {
      worker.ref();
      worker.postMessage(job);
      const answer = await Promise.race([
        once(worker, "message", { signal }),
        once(worker, "exit", { signal }).then(() => undefined),
        clock.wait(timeoutMs, { signal, background: true }).then(() => undefined),
      ]);
      if (answer) return answer[0];
    } catch {
      // The thread's own end, for want of memory or by a fault in reading: told below.
    } finally {
      ended.abort();
      worker.unref();
    }
    this.#worker = undefined;
    await worker.terminate();
    return { ok: false, reason: "too_complex", message: "the file is too complex to be read" };
  }

  #start(): Worker {
    const worker = new Worker(new URL("worker.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#options.memoryMb },
      env: {},
      stdout: true,
      stderr: true,
    });
    // While nothing is asked, an error only means that the next question needs a new thread.
    worker.on("error", () => undefined);
    worker.unref();
    return worker;
  }
}

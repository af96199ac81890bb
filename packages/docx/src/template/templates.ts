import { BoundExceeded, createHelperPool, type HelperBudget, type HelperPool } from "@rubrica/helpers";
import type { Clock } from "@rubrica/runtime";
import { type DocxRefusal, DocxRefused } from "../refused.ts";
import type { FilledTemplate, Variables } from "./fill.ts";

/** What a helper is asked: to fill, or, without variables, to inspect. */
export interface TemplateTask {
  docx: Uint8Array;
  variables: Variables | undefined;
}

export type TemplateOutcome =
  | { ok: true; filled: FilledTemplate | undefined }
  | { ok: false; reason: DocxRefusal; message: string };

/** DOCX templates, read and filled in a process of their own, within bounds of time and memory. */
export interface DocxTemplates {
  /**
   * Resolves when the file is a DOCX that can be filled.
   * @param caller who it is done for, such as `account:<id>`: callers share the process fairly
   * @throws {DocxRefused} @throws {HelpersBusy}
   */
  inspect(docx: Uint8Array, caller: string): Promise<void>;
  /** The template with its variables filled, as a new DOCX. @throws {DocxRefused} @throws {HelpersBusy} */
  fill(docx: Uint8Array, variables: Variables, caller: string): Promise<FilledTemplate>;
  /** Ends the process; what is waiting is rejected. */
  close(): Promise<void>;
}

/** For one document: the largest that is taken needs about half of each. */
const LIMITS = { cpuMs: 10_000, heapMb: 384, memoryMb: 448 };
/** Documents that wait are in memory; more than these come again later. */
const QUEUE = { all: 64, ofOne: 24 };

/** Starts no process yet. @param options.budget what all helpers of the service share */
export const openDocxTemplates = ({ clock, budget }: { clock: Clock; budget: HelperBudget }): DocxTemplates => {
  const entry = new URL("helper.ts", import.meta.url);
  return new Templates(
    createHelperPool({ clock, budget, name: "DOCX templates", entry, processes: 1, limits: LIMITS, queue: QUEUE }),
  );
};

class Templates implements DocxTemplates {
  readonly #pool: HelperPool<TemplateTask, TemplateOutcome>;

  constructor(pool: HelperPool<TemplateTask, TemplateOutcome>) {
    this.#pool = pool;
  }

  async inspect(docx: Uint8Array, caller: string): Promise<void> {
    await this.#ask({ docx, variables: undefined }, caller);
  }

  async fill(docx: Uint8Array, variables: Variables, caller: string): Promise<FilledTemplate> {
    const filled = await this.#ask({ docx, variables }, caller);
    if (!filled) throw new Error("the helper answered another question");
    return filled;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #ask(task: TemplateTask, caller: string): Promise<FilledTemplate | undefined> {
    const outcome = await this.#pool.run(task, caller).catch((error: unknown) => {
      if (!(error instanceof BoundExceeded)) throw error;
      throw new DocxRefused("too_complex", `the file is too complex to be read: it takes too much ${error.bound}`);
    });
    if (!outcome.ok) throw new DocxRefused(outcome.reason, outcome.message);
    return outcome.filled;
  }
}

import { BoundExceeded, type HelperPool } from "@rubrica/helpers";
import { PdfRefused } from "@rubrica/pdf-reading/refused";
import { type PdfOutcome, resultOf } from "./outcome.ts";
import type { Results, Task } from "./tasks.ts";

/** Helper processes that do the engine's tasks, and maybe others. */
export type PdfPool = Pick<HelperPool<Task, PdfOutcome>, "run" | "warm" | "close">;

/** Runs tasks for one caller. */
export interface TaskRunner {
  /**
   * @throws {PdfRefused} when the document can't be taken (`too_complex` when it exceeds time or memory).
   * @throws {HelpersBusy} when too much waits, or helpers die.
   */
  run<Kind extends Task["kind"]>(task: Extract<Task, { kind: Kind }>): Promise<Results[Kind]>;
}

/** A runner on a pool of helpers. */
export const runnerOn = (pool: PdfPool, caller: string): TaskRunner => ({
  async run<Kind extends Task["kind"]>(task: Extract<Task, { kind: Kind }>) {
    try {
      return resultOf<Kind>(task, await pool.run(task, caller));
    } catch (error) {
      throw error instanceof BoundExceeded ? new PdfRefused("too_complex", { cause: error }) : error;
    }
  },
});

import { createHelperBudget, createHelperPool, type HelperBudget } from "@rubrica/helpers";
import { createPdfEngine, type PdfEngine, type PdfPool, type Sealing } from "@rubrica/pdf";
import type { PdfOutcome, PdfTask } from "@rubrica/pdf/tasks";
import type { Clock } from "@rubrica/runtime";
import type { Content } from "../layout/blocks.ts";
import { createReportSealer } from "./sealer.ts";

/** What helpers of reports do. */
export type ReportTask = { kind: "set"; content: Content } | PdfTask;

/** Reports of fifty signers with three photos each take 2 s and 150 MB. */
const LIMITS = { cpuMs: 15_000, heapMb: 320, memoryMb: 400 };

/** Sets reports as PDFs and seals them, in processes of its own. */
export interface Renderer {
  /** @throws {BoundExceeded} when it takes more than a report may. @throws {HelpersBusy} when too many wait. */
  render(content: Content, sealing: Sealing, caller: string): Promise<Uint8Array>;
  /** Looks at documents in the same processes. */
  readonly pdf: Pick<PdfEngine, "admit">;
  close(): Promise<void>;
}

export interface RendererOptions {
  clock: Clock;
  /** What the system's list of processes shows, and measurements (`reports`). */
  name?: string;
  /** Memory that is shared with other helpers (its own). */
  budget?: HelperBudget | undefined;
  limits?: typeof LIMITS;
}

/** Starts no process yet. The key that seals stays in this one. */
export const createRenderer = ({ clock, budget, name = "reports", limits = LIMITS }: RendererOptions): Renderer => {
  const pool = createHelperPool<ReportTask, Uint8Array | PdfOutcome>({
    clock,
    budget: budget ?? createHelperBudget({ clock, totalMb: limits.memoryMb }),
    name,
    entry: new URL("./helper.ts", import.meta.url),
    processes: 2,
    limits,
    queue: { all: 200, ofOne: 100 },
  });
  const pdf = createPdfEngine({ clock, pool: pool as PdfPool });
  const seal = createReportSealer(pdf, clock);
  return {
    pdf,
    async render(content, sealing, caller) {
      const report = (await pool.run({ kind: "set", content }, caller)) as Uint8Array;
      return await seal(report, sealing, caller);
    },
    close: () => pool.close(),
  };
};

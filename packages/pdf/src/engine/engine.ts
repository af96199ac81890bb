import {
  BoundExceeded,
  createHelperBudget,
  createHelperPool,
  type HelperBudget,
  type HelperPool,
  type TaskLimits,
} from "@rubrica/helpers";
import { isPlain } from "@rubrica/pdf-drawing/text/plain";
import { PdfRefused } from "@rubrica/pdf-reading/refused";
import { type Clock, type Random, systemRandom } from "@rubrica/runtime";
import type { AdmittedAndPlaced, AskedPlaces, PdfEngine } from "../port.ts";
import { augment } from "../sealing/augment.ts";
import { seal } from "../sealing/seal.ts";
import { type PdfOutcome, resultOf } from "./outcome.ts";
import type { Results, Task } from "./tasks.ts";

/** What one task on a document may take. Honest files were seen to take 2.6 s and 290 MB at most. */
export const PDF_TASK_LIMITS: TaskLimits = { cpuMs: 8_000, heapMb: 256, memoryMb: 400 };

/** Helper processes that do the engine's tasks, and maybe others. */
export type PdfPool = Pick<HelperPool<Task, PdfOutcome>, "run" | "warm" | "close">;

/** What an engine takes; all but the clock has a default. */
export interface PdfEngineOptions {
  clock: Clock;
  /** For the nonces of timestamp requests (the system's). */
  random?: Random;
  /** Helpers that others use as well; without it the engine has its own, by the options below. */
  pool?: PdfPool;
  /** What the system's list of processes shows (`pdf`). */
  name?: string;
  /** Helper processes (2). */
  processes?: number;
  /** Helper processes beyond these, for callers who have none at work (0). */
  spare?: number;
  limits?: TaskLimits;
  /** Memory that is shared with other helpers (its own). */
  budget?: HelperBudget;
  /** Tasks that may wait (200). */
  queued?: number;
}

const ownPool = (options: PdfEngineOptions): PdfPool => {
  const { clock, name = "pdf", processes = 2, spare = 0, limits = PDF_TASK_LIMITS, queued = 200 } = options;
  const budget = options.budget ?? createHelperBudget({ clock, totalMb: processes * limits.memoryMb });
  const entry = new URL("./helper.ts", import.meta.url);
  const queue = { all: queued, ofOne: Math.ceil(queued / 2) };
  return createHelperPool<Task, PdfOutcome>({ clock, budget, name, entry, processes, spare, limits, queue });
};

/** Runs tasks for one caller. */
interface TaskRunner {
  /**
   * @throws {PdfRefused} when the document can't be taken (`too_complex` when it exceeds time or memory).
   * @throws {HelpersBusy} when too much waits, or helpers die.
   */
  run<Kind extends Task["kind"]>(task: Extract<Task, { kind: Kind }>): Promise<Results[Kind]>;
}

/** A runner on a pool of helpers. */
const runnerOn = (pool: PdfPool, caller: string): TaskRunner => ({
  async run<Kind extends Task["kind"]>(task: Extract<Task, { kind: Kind }>) {
    try {
      return resultOf<Kind>(task, await pool.run(task, caller));
    } catch (error) {
      throw error instanceof BoundExceeded ? new PdfRefused("too_complex", { cause: error }) : error;
    }
  },
});

/** Drawing a page may take more than a task may have, where reading the document does not: then it is not looked at. */
const admittedAndPlaced = async (
  runner: TaskRunner,
  bytes: Uint8Array,
  asked: AskedPlaces,
): Promise<AdmittedAndPlaced> => {
  try {
    return await runner.run({ kind: "admitAndPlace", bytes, asked, renders: true });
  } catch (error) {
    const mayBeDrawing = asked.places.some(({ x, y }) => x === undefined || y === undefined);
    if (!mayBeDrawing || !(error instanceof PdfRefused) || error.reason !== "too_complex") throw error;
    return runner.run({ kind: "admitAndPlace", bytes, asked, renders: false });
  }
};

/** The document engine on helper processes, which start when they are first needed, or by `warm()`. */
export const createPdfEngine = (options: PdfEngineOptions): PdfEngine => {
  const { clock, random = systemRandom, pool = ownPool(options) } = options;
  const toolsFor = (caller = "") => ({ runner: runnerOn(pool, caller), clock, random });
  return {
    inspect: (bytes, caller = "") => runnerOn(pool, caller).run({ kind: "inspect", bytes }),
    admit: (bytes, caller = "") => runnerOn(pool, caller).run({ kind: "admit", bytes }),
    admitAndPlace: (bytes, asked, caller = "") => admittedAndPlaced(runnerOn(pool, caller), bytes, asked),
    stamp: (bytes, stamps, caller = "") => runnerOn(pool, caller).run({ kind: "stamp", bytes, stamps }),
    seal: (bytes, sealing, caller) => seal(toolsFor(caller), bytes, [], sealing),
    stampAndSeal: (bytes, stamps, sealing, caller) => seal(toolsFor(caller), bytes, stamps, sealing),
    augment: (bytes, augmentation, caller) => augment(toolsFor(caller), bytes, augmentation),
    undrawable: async (texts, caller = "") =>
      texts.every(isPlain) ? texts.map(() => []) : runnerOn(pool, caller).run({ kind: "undrawable", texts }),
    verify: (bytes, roots, caller = "", knowledge = {}) => {
      const beside = { ...knowledge, now: clock.now() };
      return runnerOn(pool, caller).run({ kind: "verify", bytes, roots, beside });
    },
    asSigned: (bytes, signedBytes, caller = "") => runnerOn(pool, caller).run({ kind: "asSigned", bytes, signedBytes }),
    warm: () => pool.warm(),
    close: () => pool.close(),
  };
};

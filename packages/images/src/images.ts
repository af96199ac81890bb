import { BoundExceeded, createHelperBudget, createHelperPool, type HelperBudget } from "@rubrica/helpers";
import type { Clock } from "@rubrica/runtime";
import type { ImageResults, ImageTask } from "./tasks.ts";

export type { Drawing } from "./reading/drawing.ts";
export type { Glance } from "./reading/glance.ts";
export type { Reduced } from "./reading/reduced.ts";

/**
 * Reads pictures that strangers sent, in processes of their own, within bounds of time and memory, shared fairly between
 * callers. What is no picture, or takes more than a picture may, gives undefined; whatever is asked may throw
 * `HelpersBusy`.
 */
export interface Images {
  /** A drawn signature. */
  drawing(bytes: Uint8Array, caller: string): Promise<ImageResults["drawing"]>;
  /** A photo as it is kept. */
  photo(bytes: Uint8Array, caller: string): Promise<ImageResults["photo"]>;
  /** A photo small enough for print. */
  reduced(bytes: Uint8Array, caller: string): Promise<ImageResults["reduced"]>;
  /** What a glance at a photo tells. */
  glance(bytes: Uint8Array, caller: string): Promise<ImageResults["glance"]>;
  /** Starts a process before it is needed. */
  warm(): void;
  close(): Promise<void>;
}

export interface ImagesOptions {
  clock: Clock;
  /** Memory that is shared with other helpers (its own). */
  budget?: HelperBudget;
  /** Helper processes (1). */
  processes?: number;
}

/** The largest photo takes some 250 MB and 3 s of a slow processor. */
const LIMITS = { cpuMs: 8_000, heapMb: 64, memoryMb: 450 };
const QUEUE = { all: 200, ofOne: 12 };

/** Starts no process yet. */
export const createImages = ({ clock, processes = 1, budget }: ImagesOptions): Images => {
  const pool = createHelperPool<ImageTask, ImageResults[ImageTask["kind"]]>({
    clock,
    budget: budget ?? createHelperBudget({ clock, totalMb: processes * LIMITS.memoryMb }),
    name: "images",
    entry: new URL("./helper.ts", import.meta.url),
    processes,
    limits: LIMITS,
    queue: QUEUE,
  });
  const ask =
    <Kind extends ImageTask["kind"]>(kind: Kind) =>
    async (bytes: Uint8Array, caller: string): Promise<ImageResults[Kind]> => {
      try {
        return (await pool.run({ kind, bytes }, caller)) as ImageResults[Kind];
      } catch (error) {
        if (error instanceof BoundExceeded) return undefined;
        throw error;
      }
    };
  return {
    drawing: ask("drawing"),
    photo: ask("photo"),
    reduced: ask("reduced"),
    glance: ask("glance"),
    warm: () => pool.warm(),
    close: () => pool.close(),
  };
};

import { type Clock, type Random, systemRandom } from "@rubrica/runtime";
import type { PdfEngine } from "../port.ts";
import { seal } from "../sealing/seal.ts";
import { WorkerPool } from "./pool.ts";

/** What an engine takes; all but the clock has a default. */
export interface PdfEngineOptions {
  clock: Clock;
  /** For the nonces of timestamp requests (the system's). */
  random?: Random;
  /** Worker threads (2). */
  workers?: number;
  /** What one task may take, in milliseconds (8,000). */
  timeoutMs?: number;
  /** JavaScript memory of a worker, in MB (256). */
  memoryMb?: number;
  /** Tasks that may wait (200). */
  queued?: number;
}

/** The document engine on worker threads. Threads start when they are first needed, or by `warm()`. */
export function createPdfEngine(options: PdfEngineOptions): PdfEngine {
  const { clock, random = systemRandom, workers = 2, timeoutMs = 8_000, memoryMb = 256, queued = 200 } = options;
  const pool = new WorkerPool(clock, { workers, timeoutMs, memoryMb, queued });
  return {
    inspect: (bytes) => pool.run({ kind: "inspect", bytes }),
    stamp: (bytes, stamps) => pool.run({ kind: "stamp", bytes, stamps }),
    seal: (bytes, sealing) => seal({ pool, clock, random }, bytes, [], sealing),
    stampAndSeal: (bytes, stamps, sealing) => seal({ pool, clock, random }, bytes, stamps, sealing),
    verify: (bytes, roots) => pool.run({ kind: "verify", bytes, roots }),
    warm: () => pool.warm(),
    close: () => pool.close(),
  };
}

import { getHeapStatistics } from "node:v8";
import type { Clock } from "@rubrica/runtime";

/** How often a process looks at itself. */
const LOOK_MS = 15_000;
/** A process is at rest while it uses less than this share of one processor … */
const AT_REST_SHARE = 0.05;
/** … at so many looks in a row. */
const LOOKS_AT_REST = 2;
/** After a collection, none for so long. */
const AGAIN_AFTER_MS = 120_000;
/** Fewer bytes are not worth a collection. */
const GATHERED_BYTES = 4 * 1024 * 1024;

/** What a process has used of the machine. */
export interface Usage {
  /** Processor time since it started, in milliseconds. */
  processorMs: number;
  /** Memory that it has now. */
  bytes: number;
}

/** Not by `process.memoryUsage`: that opens a file, and throws where the process may open no more. */
export const usageNow = (): Usage => {
  const { user, system } = process.cpuUsage();
  const { used_heap_size, external_memory } = getHeapStatistics();
  return { processorMs: (user + system) / 1_000, bytes: used_heap_size + external_memory };
};

/**
 * Has a process at rest give back what it gathered when it was busy: by itself the runtime waits until there is as much
 * again, which at rest takes hours. `collect` holds requests up for a tenth of a second, so it is called seldom, and only
 * where something was gathered since the last time.
 */
export const collectAtRest = async (
  clock: Clock,
  collect: () => void,
  usage: () => Usage = usageNow,
): Promise<never> => {
  let keptBytes = 0;
  let againMs = 0;
  let looks = 0;
  for (let before = usage(); ; ) {
    await clock.wait(LOOK_MS, { background: true });
    const now = usage();
    looks = now.processorMs - before.processorMs < AT_REST_SHARE * LOOK_MS ? looks + 1 : 0;
    before = now;
    const isGathered = now.bytes >= keptBytes + GATHERED_BYTES;
    if (looks < LOOKS_AT_REST || !isGathered || clock.monotonicMs() < againMs) continue;
    collect();
    before = usage();
    keptBytes = before.bytes;
    againMs = clock.monotonicMs() + AGAIN_AFTER_MS;
  }
};

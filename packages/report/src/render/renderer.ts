import type { Clock } from "@rubrica/runtime";
import { Tinypool } from "tinypool";
import type { Content } from "../layout/blocks.ts";

const TIMEOUT_MS = 15_000;
const MEMORY_MB = 384;
const MAX_QUEUED = 50;

/** Sets reports as PDFs, off the event loop. */
export interface Renderer {
  /** Rejects when it takes more than 15 s or 384 MB, or when too many wait. */
  render(content: Content): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** A renderer on one thread of its own, which is started at once and killed when a report takes too much. */
export const createRenderer = (clock: Clock): Renderer => {
  const pool = new Tinypool({
    filename: new URL("./worker.ts", import.meta.url).href,
    minThreads: 1,
    maxThreads: 1,
    maxQueue: MAX_QUEUED,
    // Nothing of the process' own (keys, passwords) is of use to who sets type.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB, stackSizeMb: 4 },
  });
  return {
    async render(content) {
      const overdue = new AbortController();
      const finished = new AbortController();
      const limit = clock.wait(TIMEOUT_MS, { signal: finished.signal, background: true });
      void limit.then(() => overdue.abort());
      try {
        return (await pool.run(content, { signal: overdue.signal })) as Uint8Array;
      } finally {
        finished.abort();
      }
    },
    close: () => pool.destroy(),
  };
};

import { join } from "node:path";
import { type Engines, probeDataFolder } from "@rubrica/engines";
import { NotReady, type ReadinessCheck } from "@rubrica/http";
import type { Clock } from "@rubrica/runtime";

/** How long what was found out of a folder is told again: anybody may ask, and each look writes. */
const REMEMBERED_MS = 1_000;

/** Whether the folder can be written, looked at once a second at most. */
const writable = (folder: string, clock: Clock): ReadinessCheck => {
  let looked: { atMs: number; outcome: Promise<void> } | undefined;
  return () => {
    const nowMs = clock.monotonicMs();
    if (looked && nowMs - looked.atMs < REMEMBERED_MS) return looked.outcome;
    const outcome = probeDataFolder(folder).catch((error) => {
      throw new NotReady(error instanceof Error ? error.message : "it can't be written", { cause: error });
    });
    looked = { atMs: nowMs, outcome };
    return outcome;
  };
};

/** What `/readyz` asks. The files may lie on a disk of their own. */
export const readinessChecks = (
  { events }: Pick<Engines, "events">,
  dataDir: string,
  clock: Clock,
): Record<string, ReadinessCheck> => ({
  "event store": async () => void (await events.head()),
  "data folder": writable(dataDir, clock),
  "file store": writable(join(dataDir, "files", "unfinished"), clock),
});

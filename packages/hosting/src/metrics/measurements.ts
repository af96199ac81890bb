import { statfs } from "node:fs/promises";
import type { Config } from "@rubrica/config";
import type { HelperBudget, Watched } from "@rubrica/helpers";
import { type HealthOptions, healthOfParts } from "@rubrica/http";
import type { Measured, Measurements } from "./metrics.ts";

const MEGABYTE = 1_048_576;

/** The helper processes of a process: of each pool, and their memory together. */
export const helperMeasurements = (budget: HelperBudget): Measurements => {
  const ofPools = (look: (pool: Watched) => readonly Measured[]) => async () => [...budget.pools].flatMap(look);
  return {
    helperProcesses: ofPools((pool) => [
      { labels: { pool: pool.name, state: "working" }, value: pool.working() },
      { labels: { pool: pool.name, state: "idle" }, value: pool.idle() },
    ]),
    helperQueue: ofPools((pool) => [{ labels: { pool: pool.name }, value: pool.waiting() }]),
    helperMemory: async () => [{ value: budget.takenMb() * MEGABYTE }],
    helperMemoryLimit: async () => [{ value: budget.totalMb * MEGABYTE }],
  };
};

/** The disk that the data folder is on; nothing where an app has none. */
export const diskMeasurements = ({ dataDir }: Pick<Config, "dataDir">): Measurements => {
  const measured = (look: (disk: { blocks: number; bavail: number; bsize: number }) => number) => async () => {
    try {
      return [{ value: look(await statfs(dataDir)) }];
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
      throw error;
    }
  };
  return {
    diskFree: measured(({ bavail, bsize }) => bavail * bsize),
    diskSize: measured(({ blocks, bsize }) => blocks * bsize),
  };
};

/** What `/readyz` tells. */
export const readinessMeasurements = (options: HealthOptions): Measurements => ({
  readiness: async () =>
    (await healthOfParts(options)).map(([part, { failure }]) => ({
      labels: { part },
      value: failure === undefined ? 1 : 0,
    })),
});

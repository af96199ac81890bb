import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemRuntime } from "@rubrica/runtime";

export const runtime = systemRuntime();
const { clock } = runtime;

/** One line of the table: what was measured, against what, and what is aimed at. */
export interface Row {
  what: string;
  /** Such as `4,868/s`. */
  measured: string;
  /** Such as `raw node:sqlite 9,000/s`. */
  baseline: string;
  /** What is compared with the aim, such as `0.54`. */
  result: string;
  /** The same as a number, where the guard looks at it. */
  value?: number;
  aim: string;
  /** False where a promise of the docs was not held: the run then ends with exit code 1. */
  isHeld?: boolean;
  /** Where the rest goes. */
  note: string;
}

/** How much of everything is done: a quick run only shows that the benchmarks work. */
export interface Extent {
  quick: boolean;
}

/** How long work takes, in milliseconds. */
export const timeOf = async (work: () => unknown): Promise<number> => {
  const startedMs = clock.monotonicMs();
  await work();
  return clock.monotonicMs() - startedMs;
};

/** Does work with a folder of its own, which is removed after it. */
export const withFolder = async <Result>(work: (folder: string) => Promise<Result>): Promise<Result> => {
  const folder = await mkdtemp(join(tmpdir(), "rubrica-bench-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

export const perSecond = (count: number, ms: number): number => (count / ms) * 1000;

export const whole = (value: number): string => Math.round(value).toLocaleString("en-US");

export const ratio = (value: number): string => value.toFixed(2);

/** The value that a share of all is at or below. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
};

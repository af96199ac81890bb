import { ManualClock } from "@rubrica/runtime/testing";
import { expect, test } from "vitest";
import { createHelperBudget, type HelperBudget } from "../src/budget.ts";

const TOTAL_MB = 600;

/** Joins a helper that only weighs; gives whether it was ended. */
const joined = (budget: HelperBudget, helper: { works: boolean; restsSinceMs: number; memoryMb: number }) => {
  let ended = false;
  budget.join({
    ...helper,
    highWaterMb: helper.memoryMb,
    checkBounds: () => {},
    freeMemory: () => {
      ended = true;
      return helper.memoryMb;
    },
  });
  return { isEnded: () => ended };
};

test("who rested longest ends first, however little that gives, and nobody whose memory is not needed", () => {
  const budget = createHelperBudget({ clock: new ManualClock(), totalMb: TOTAL_MB });
  const hog = joined(budget, { works: true, restsSinceMs: 500, memoryMb: 350 });
  const inUse = joined(budget, { works: false, restsSinceMs: 9_000, memoryMb: 140 });
  const little = joined(budget, { works: false, restsSinceMs: 1_000, memoryMb: 60 });
  const other = joined(budget, { works: false, restsSinceMs: 2_000, memoryMb: 100 });
  budget.watch();
  expect([little, other, inUse, hog].map(({ isEnded }) => isEnded())).toEqual([true, false, false, false]);
});

test("what the process that has them takes itself is not theirs", () => {
  const budget = createHelperBudget({ clock: new ManualClock(), totalMb: TOTAL_MB, leftMb: () => 450 });
  const idle = joined(budget, { works: false, restsSinceMs: 1_000, memoryMb: 100 });
  const hog = joined(budget, { works: true, restsSinceMs: 500, memoryMb: 400 });
  budget.watch();
  expect([idle, hog].map(({ isEnded }) => isEnded())).toEqual([true, false]);
  expect(budget.totalMb).toBe(450);
});

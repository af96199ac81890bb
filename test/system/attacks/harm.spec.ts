import { expect, test } from "vitest";
import type { Observation } from "./support/bystander.ts";
import { harmOf } from "./support/harm.ts";

const seen = (requestMs: number, stolen: number): Observation => ({
  livezMs: [5],
  livezFailed: 0,
  idleMs: [5],
  neighbourMs: { request: [requestMs] },
  neighbourRefused: [],
  stolen,
  peakBytes: 0,
});
const alone = seen(100, 0);

test.each([
  [450, 0, false],
  [800, 0, true],
  [800, 0.5, false],
  [1_600, 0.5, true],
])("a neighbour's request of %i ms is judged by the time that the machine had: %d stolen", (ms, stolen, isHarm) => {
  expect(harmOf(seen(ms, stolen), alone).length > 0).toBe(isHarm);
});

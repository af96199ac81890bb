import { expect, test } from "vitest";
import { backoffMs } from "../src/backoff.ts";

test("waits twice as long after each failure, up to the longest, however many there are", () => {
  const waits = [1, 2, 3, 4, 5, 2_000].map((failures) => backoffMs(failures, { firstMs: 100, longestMs: 1_000 }));
  expect(waits).toEqual([100, 200, 400, 800, 1_000, 1_000]);
});

import { expect, test } from "vitest";
import { intervalAt } from "../../src/publishing/schedule.ts";

test("intervals are 30 s, doubling to 10 min, one after the other, however long something is due", () => {
  const lengths: number[] = [];
  let atMs = 0;
  for (let number = 0; number < 9; number++) {
    const interval = intervalAt(atMs);
    expect(interval).toMatchObject({ number, startMs: atMs });
    expect(intervalAt(interval.endMs - 1)).toEqual(interval);
    lengths.push((interval.endMs - interval.startMs) / 1_000);
    atMs = interval.endMs;
  }
  expect(lengths).toEqual([30, 60, 120, 240, 480, 600, 600, 600, 600]);
  const yearMs = 365 * 86_400_000;
  const { startMs, endMs, number } = intervalAt(yearMs);
  expect([startMs <= yearMs, yearMs < endMs, endMs - startMs]).toEqual([true, true, 600_000]);
  expect(intervalAt(endMs).number).toBe(number + 1);
});

import { expect, test } from "vitest";
import { weightOf } from "../src/index.ts";

test("what data weighs grows with its texts and its entries", () => {
  const row = (entries: number, text: string) =>
    Object.fromEntries(Array.from({ length: entries }, (_, index) => [`v${index}`, text]));
  expect(weightOf(null)).toBeGreaterThan(0);
  expect(weightOf("x".repeat(10_000))).toBeGreaterThan(10_000);
  expect(weightOf(row(10_000, ""))).toBeGreaterThan(500_000);
  expect(weightOf({ a: [row(100, "x".repeat(100))] })).toBeGreaterThan(10_000);
});

test("how deep data is nested does not matter", () => {
  let nested: unknown = 1;
  for (let depth = 0; depth < 100_000; depth++) nested = [nested];
  expect(weightOf(nested)).toBeGreaterThan(100_000);
});

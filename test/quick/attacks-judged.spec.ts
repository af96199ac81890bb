import { expect, test } from "vitest";
import { harmOf, isWorthAnotherLook } from "../system/attacks/support/harm.ts";
import type { Report } from "../system/attacks/support/host.ts";
import { callersOf, isWaiting, overtaken, waitingBefore } from "../system/attacks/support/wait.ts";

const MEGABYTE = 1_048_576;

const eventLoop = (longestIterationMs: number) => ({
  longestIterationMs,
  longestIterationSystemMs: 0,
  longestPauseMs: 0,
  totalMs: 1_000,
  watched: [],
  tasks: [],
  requestsUnderWay: 0,
});

/** An attack that harmed nobody, but for this. */
const report = (seen: Partial<Report["seen"]> = {}, more: Partial<Report> = {}): Report => ({
  faults: [],
  warnings: [],
  eventLoop: eventLoop(99),
  seen: {
    livezMs: [5_000],
    neighbourMs: { request: [60_000], status: [1], file: [1], page: [1] },
    refused: [],
    peakBytes: 899 * MEGABYTE,
    officePeakBytes: { native: 1_000 * MEGABYTE, wasm: 3_500 * MEGABYTE },
    ...seen,
  },
  ...more,
});

test("time that passes is no harm", () => expect(harmOf(report())).toEqual([]));

test.each([
  ["a long iteration", report({}, { eventLoop: eventLoop(101) })],
  ["an end", report({}, { ended: "out of memory" })],
  ["a 500", report({}, { faults: ['{"status":500}'] })],
  ["a warning of the runtime", report({}, { warnings: ["(node:1) MaxListenersExceededWarning: …"] })],
  ["a refused neighbour", report({ refused: ["a neighbour's status: 503"] })],
  ["a neighbour nobody asked for", report({ neighbourMs: { request: [], status: [1], file: [1], page: [1] } })],
  ["a large tree", report({ peakBytes: 901 * MEGABYTE })],
  ["a large LibreOffice", report({ officePeakBytes: { native: 1_200 * MEGABYTE, wasm: 0 } })],
  ["a large LibreOffice as WebAssembly", report({ officePeakBytes: { native: 0, wasm: 4_000 * MEGABYTE } })],
])("%s is harm", (_what, told) => expect(harmOf(told)).toHaveLength(1));

test("a long iteration and a large tree are looked at again, unless there is other harm", () => {
  expect(isWorthAnotherLook(report({ peakBytes: 901 * MEGABYTE }))).toBe(true);
  expect(isWorthAnotherLook(report({}, { eventLoop: eventLoop(101) }))).toBe(true);
  expect(isWorthAnotherLook(report({}, { eventLoop: eventLoop(99) }))).toBe(false);
  expect(isWorthAnotherLook(report({}, { eventLoop: eventLoop(101), faults: ['{"status":500}'] }))).toBe(false);
});

test("who waits is told by the order in which requests begin and end", () => {
  const begun = (name: string) => ({ name, what: "begun" as const });
  const ended = (name: string) => ({ name, what: "ended" as const });
  const before = [begun("theirs"), begun("theirs"), begun("theirs"), ended("theirs")];
  const watched = [...before, begun("good"), begun("theirs"), ended("theirs"), ended("good")];
  expect(waitingBefore(watched, "good", "theirs")).toBe(2);
});

test("who is overtaken is told by the tasks that get a helper while one waits for the same", () => {
  const told = (what: "queued" | "taken") => (caller: string, pool: string) => ({ pool, caller, what });
  const [queued, taken] = [told("queued"), told("taken")];
  const before = [queued("theirs", "a"), queued("theirs", "a"), queued("theirs", "b"), taken("theirs", "a")];
  const during = [queued("good", "a"), taken("theirs", "a"), taken("theirs", "b"), taken("good", "a")];
  const tasks = [...before, ...during, queued("theirs", "a"), taken("theirs", "a")];
  expect(overtaken(tasks, "good", "theirs")).toBe(1);
  expect([isWaiting(before, "theirs"), isWaiting(tasks, "theirs")]).toEqual([true, false]);
  expect(callersOf(tasks)).toEqual(["theirs", "good"]);
});

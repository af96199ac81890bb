import { describe, expect, test } from "vitest";
import { idsFrom, isoTime, systemClock, systemRandom } from "../src/index.ts";
import { ManualClock, seededRandom, testRuntime } from "../src/testing.ts";

describe("the operating system's randomness", () => {
  test.each([0, 1, 16, 64, 65, 8_192, 10_000])("gives %i bytes", (length) => {
    expect(systemRandom.bytes(length)).toHaveLength(length);
  });

  test("never gives the same bytes twice, and what it gave does not change afterwards", () => {
    const given = Array.from({ length: 2_000 }, () => systemRandom.bytes(16));
    const before = given.map((bytes) => bytes.toString("hex"));
    expect(new Set(before).size).toBe(2_000);
    for (let more = 0; more < 2_000; more++) systemRandom.bytes(16);
    expect(given.map((bytes) => bytes.toString("hex"))).toEqual(before);
  });
});

describe("the machine's clock", () => {
  test("ends a wait at once when it is called off", async () => {
    const off = new AbortController();
    const wait = systemClock.wait(3_600_000, { signal: off.signal });
    off.abort();
    await expect(wait).resolves.toBeUndefined();
    await expect(systemClock.wait(3_600_000, { signal: off.signal })).resolves.toBeUndefined();
  });

  test("ends a wait when its time is over", async () => {
    const startedMs = systemClock.monotonicMs();
    await systemClock.wait(5);
    expect(systemClock.monotonicMs() - startedMs).toBeGreaterThanOrEqual(4);
  });

  // A warning of the runtime fails this file (`test/support/each-file.ts`).
  test("ends a wait for a moment that has passed, without a warning", async () => {
    await systemClock.wait(-600);
  });
});

describe("a manual clock", () => {
  test("wakes waits in the order of their moments, and only those that are due", async () => {
    const clock = new ManualClock();
    const woken: number[] = [];
    for (const durationMs of [30, 10, 20]) void clock.wait(durationMs).then(() => woken.push(durationMs));
    clock.advance(20);
    await Promise.resolve();
    expect(woken).toEqual([10, 20]);
    clock.advance(10);
    await Promise.resolve();
    expect(woken).toEqual([10, 20, 30]);
  });
});

test("a seed repeats its chance", () => {
  expect(seededRandom(7).bytes(8)).toEqual(seededRandom(7).bytes(8));
  expect(seededRandom(7).bytes(8)).not.toEqual(seededRandom(8).bytes(8));
});

test("ids sort by the time of their making", () => {
  const { clock, random } = testRuntime();
  const ids = idsFrom(clock, random);
  const first = ids.uuidv7();
  clock.advance(1);
  const second = ids.uuidv7();
  expect(first < second).toBe(true);
  expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("a moment as text is UTC with milliseconds", () => {
  expect(isoTime(Date.UTC(2026, 10, 21, 15, 4, 5))).toBe("2026-11-21T15:04:05.000Z");
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { nextInDayHours } from "../../src/document/day-hours.ts";

const zones = ["UTC", "America/Argentina/Buenos_Aires", "America/New_York", "Asia/Kolkata", "Pacific/Chatham"];
const hourIn = (ms: number, timeZone: string): number =>
  Number(new Intl.DateTimeFormat("en", { timeZone, hour: "2-digit", hourCycle: "h23" }).format(ms));

test.each([
  ["2026-11-21T12:00:00Z", "2026-11-21T12:00:00.000Z", "America/Argentina/Buenos_Aires"],
  ["2026-11-21T11:59:59Z", "2026-11-21T12:00:00.000Z", "America/Argentina/Buenos_Aires"],
  ["2026-11-21T22:59:59Z", "2026-11-21T22:59:59.000Z", "America/Argentina/Buenos_Aires"],
  ["2026-11-21T23:00:00Z", "2026-11-22T12:00:00.000Z", "America/Argentina/Buenos_Aires"],
  // The clock is set forward and back on these nights.
  ["2026-03-08T06:00:00Z", "2026-03-08T13:00:00.000Z", "America/New_York"],
  ["2026-11-01T05:00:00Z", "2026-11-01T14:00:00.000Z", "America/New_York"],
])("of %s it is %s in %s", (from, at, timeZone) =>
  expect(new Date(nextInDayHours(Date.parse(from), timeZone)).toISOString()).toBe(at),
);

test("whatever the moment and the zone, nobody is disturbed, and nobody waits for more than a day", () => {
  const moment = fc.integer({ min: Date.parse("2026-01-01"), max: Date.parse("2030-01-01") });
  fc.assert(
    fc.property(moment, fc.constantFrom(...zones), (ms, timeZone) => {
      const next = nextInDayHours(ms, timeZone);
      expect(next).toBeGreaterThanOrEqual(ms);
      expect(next - ms).toBeLessThan(24 * 3_600_000);
      const hour = hourIn(next, timeZone);
      expect(hour >= 9 && hour < 20).toBe(true);
      expect(nextInDayHours(next, timeZone)).toBe(next);
    }),
    { numRuns: 300 },
  );
});

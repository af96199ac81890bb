import { expect, test } from "vitest";
import { timeShown } from "../../src/page/moment.ts";

test.each([
  ["America/Montevideo", "31 de enero de 2027 a las 18:00 (GMT-3)"],
  ["Asia/Kolkata", "1 de febrero de 2027 a las 2:30 (GMT+5:30)"],
  ["Europe/Lisbon", "31 de enero de 2027 a las 21:00 (GMT)"],
])("a moment is shown by the clock of the time zone that is named: %s", (timeZone, shown) =>
  expect(timeShown("2027-01-31T21:00:00.000Z", timeZone)).toBe(shown),
);

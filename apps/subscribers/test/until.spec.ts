import { expect, test } from "vitest";
import { untilIn } from "../src/until.ts";

test.each([
  ["America/Argentina/Buenos_Aires", "31 de enero de 2027 a las 18:00 (GMT-3)"],
  ["America/Mexico_City", "31 de enero de 2027 a las 15:00 (GMT-6)"],
  ["Pacific/Kiritimati", "1 de febrero de 2027 a las 11:00 (GMT+14)"],
  ["Asia/Karachi", "1 de febrero de 2027 a las 2:00 (GMT+5)"],
  ["Asia/Yerevan", "1 de febrero de 2027 a la 1:00 (GMT+4)"],
  ["UTC", "31 de enero de 2027 a las 21:00 (GMT)"],
])("until when is said by the clock of a time zone: %s", (timeZone, said) =>
  expect(untilIn(timeZone, "2027-01-31T21:00:00.000Z")).toBe(said),
);

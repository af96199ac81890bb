import { expect, test } from "vitest";
import { untilFor } from "../src/until.ts";

test.each([
  ["5491122334455", "31 de enero de 2027 a las 18:00 (GMT-3)"],
  ["5215512345678", "31 de enero de 2027 a las 15:00 (GMT-6)"],
  ["99912345678", "31 de enero de 2027 a las 21:00 (GMT)"],
])("until when is said by the clock of the phone's country: %s", (phone, said) =>
  expect(untilFor(phone, "2027-01-31T21:00:00.000Z")).toBe(said),
);

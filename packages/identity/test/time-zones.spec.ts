import { getCountries } from "libphonenumber-js/min";
import { expect, test } from "vitest";
import { countryTimeZones, isTimeZone, isTimeZoneName, timeZoneOfCountry } from "../src/index.ts";

test("every country that has phones has a time zone that there is", () => {
  // Ascension and Tristan da Cunha keep Greenwich's time, as UTC does.
  expect(getCountries().filter((country) => !(country in countryTimeZones))).toEqual(["AC", "TA"]);
  for (const timeZone of Object.values(countryTimeZones)) {
    expect(() => new Intl.DateTimeFormat("en", { timeZone })).not.toThrow();
  }
});

test("where nobody knows the country, it is UTC", () => {
  expect(timeZoneOfCountry("MX")).toBe("America/Mexico_City");
  for (const unknown of [null, "ZZ", "constructor"]) expect(timeZoneOfCountry(unknown)).toBe("UTC");
});

test.each([
  ["America/Montevideo", true, true],
  ["UTC", true, true],
  ["+03:00", true, false],
  ["-03", true, false],
  ["GMT+3", false, false],
  ["", false, false],
])("%j is a time zone: %s, by its name: %s", (text, isOne, isName) => {
  expect([isTimeZone(text), isTimeZoneName(text)]).toEqual([isOne, isName]);
});

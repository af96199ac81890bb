import fc from "fast-check";
import { expect, test } from "vitest";
import { countryOfPhone, phoneLine, sanitizePhone } from "../src/index.ts";

test.each([
  ["5491123456789", "5491123456789"],
  ["+54 9 (11) 2345-6789", "5491123456789"],
  ["+1-202-555-0123", "12025550123"],
  ["12345678", "12345678"],
  ["123456789012345", "123456789012345"],
])("phone %s is %s", (raw, phone) => {
  expect(sanitizePhone(raw)).toEqual({ ok: true, phone });
});

test.each([
  "",
  "   ",
  "+()-",
  "1234567",
  "1234567890123456",
  "54 11 ABCD 1234",
  "54.11.2345.6789",
  "５４９１１２３４５６７８９",
  "٥٤٩١١٢٣٤٥٦٧٨٩",
])("%j is no phone, and is not said back", (raw) => {
  const result = sanitizePhone(raw);
  expect(result.ok).toBe(false);
  if (!result.ok && raw.trim()) expect(result.message).not.toContain(raw);
});

test("megabytes of separators or digits are no phone", () => {
  expect(sanitizePhone(`${" ".repeat(5_000_000)}12345678`).ok).toBe(false);
  expect(sanitizePhone("1".repeat(5_000_000)).ok).toBe(false);
});

test.each([
  ["5491123456789", "AR"],
  ["541123456789", "AR"],
  ["5215512345678", "MX"],
  ["525512345678", "MX"],
  ["59899123456", "UY"],
  ["56912345678", "CL"],
  ["12025550123", "US"],
])("%s is of %s, called valid or not", (phone, country) => {
  expect(countryOfPhone(phone)).toBe(country);
});

test.each(["99999999999", "00000000", "", "x", "+5491123456789"])("%j is of no country", (phone) => {
  expect(countryOfPhone(phone)).toBeNull();
});

test("Argentina's 54 and 549, and Mexico's 52 and 521, are one line", () => {
  expect(phoneLine("5491123456789")).toBe(phoneLine("541123456789"));
  expect(phoneLine("5215512345678")).toBe(phoneLine("525512345678"));
});

test("other numbers that start alike are lines of their own", () => {
  const others = ["54911234567", "549112345678901", "5211234567", "52155123456789", "12025550123", "5492345678"];
  for (const phone of others) expect(phoneLine(phone)).toBe(phone);
});

test("a line is a line's own line", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("54", "549", "52", "521", "1"),
      fc.stringMatching(/^[1-8]\d{9}$/),
      (prefix, rest) => phoneLine(phoneLine(prefix + rest)) === phoneLine(prefix + rest),
    ),
  );
});

import { expect, test } from "vitest";
import { checkIdNumber, MAX_ID_NUMBER_LENGTH, sanitizeIdNumber } from "../src/index.ts";

const PHONES = { AR: "5491123456789", UY: "59899123456", CL: "56912345678", MX: "5215512345678", US: "12025550123" };

const check = (idNumber: string, country?: string | null, phone = PHONES.US) =>
  checkIdNumber({ idNumber, country, phone });

// Published examples: python-stdnum's documentation, and the numbers of AFIP (33-69345023-9) and SII (60.803.000-K).
const GOOD: [string, string, string, string][] = [
  ["AR", "20.123.456", "20123456", "DNI"],
  ["AR", "20123456", "20123456", "DNI"],
  ["AR", "4-123-456", "4123456", "DNI"],
  ["AR", " 20 123 456 ", "20123456", "DNI"],
  ["AR", "20-05536168-2", "20055361682", "CUIT"],
  ["AR", "20267565393", "20267565393", "CUIT"],
  ["AR", "33-69345023-9", "33693450239", "CUIT"],
  ["UY", "1.234.567-2", "12345672", "CI"],
  ["UY", "12345672", "12345672", "CI"],
  ["CL", "12.531.909-2", "125319092", "RUT"],
  ["CL", "7.654.321-6", "76543216", "RUT"],
  ["CL", "60.803.000-k", "60803000K", "RUT"],
  ["CL", "76.086.428-5", "760864285", "RUT"],
  ["MX", "BOXW310820HNERXN09", "BOXW310820HNERXN09", "CURP"],
  ["MX", "hegg560427mvzrrl04", "HEGG560427MVZRRL04", "CURP"],
  ["MX", "GODE 561231 GR8", "GODE561231GR8", "RFC"],
  ["MX", "MAB-930714-8T4", "MAB9307148T4", "RFC"],
];

test.each(GOOD)("%s: %s is stored as %s (%s)", (country, given, idNumber, kind) => {
  expect(check(given, country)).toEqual({ ok: true, idNumber, country, kind, warnings: [] });
});

test.each([
  ["AR", "123456", "too short for a DNI"],
  ["AR", "123456789", "between DNI and CUIT"],
  ["AR", "20-05536168-3", "check digit of a CUIT"],
  ["AR", "AAA123456", "a passport"],
  ["AR", "00000000", "nobody's"],
  ["AR", "00-00000000-0", "nobody's"],
  ["AR", "20/123/456", "another separator"],
  ["AR", "２０１２３４５６", "fullwidth digits"],
  ["AR", "٢٠١٢٣٤٥٦", "Arabic-Indic digits"],
  ["UY", "1.234.567-3", "check digit of a cédula"],
  ["UY", "123456", "too short"],
  ["UY", "123456789", "too long"],
  ["CL", "12.531.909-3", "check digit of a RUT"],
  ["CL", "12.531.909-K", "check digit of a RUT"],
  ["CL", "K2.531.909-2", "a letter in the body"],
  ["CL", "6-K", "too short"],
  ["CL", "0.000.000-0", "nobody's"],
  ["MX", "BOXW310820HNERXN08", "check digit of a CURP"],
  ["MX", "BOXW310820JNERXN09", "sex of a CURP"],
  ["MX", "BOXW310820HXXRXN09", "state of a CURP"],
  ["MX", "BOXW310832HNERXN09", "day of a CURP"],
  ["MX", "BOXW311320HNERXN09", "month of a CURP"],
  ["MX", "BOXW010229HNERXNA9", "29 February of a common year"],
  ["MX", "GODE561331GR8", "month of an RFC"],
  ["MX", "GODE561231GRB", "check character that no RFC has"],
  ["MX", "12345678", "neither"],
])("%s refuses %s (%s), without saying it back", (country, given) => {
  const result = check(given, country);
  expect(result.ok).toBe(false);
  if (result.ok) return;
  expect(result.message).not.toBe("");
  expect(result.message).not.toContain(given);
});

test("a CURP with sex X is one", () => {
  expect(check("BOXW310820XNERXN03", "MX")).toMatchObject({ ok: true, kind: "CURP" });
});

test("a person born on 29 February 2000 has a CURP, one born on 29 February 1900 has not", () => {
  expect(check("BOXW000229HNERXNA9", "MX")).toMatchObject({ ok: true });
  expect(check("BOXW000229HNERXN09", "MX")).toEqual({ ok: false, message: "is not a CURP: its date is not a day" });
});

test("an RFC whose check digit is wrong is taken, with a warning that does not hold it", () => {
  expect(check("COMG-600703-KZ9", "MX")).toEqual({
    ok: true,
    idNumber: "COMG600703KZ9",
    country: "MX",
    kind: "RFC",
    warnings: ["the RFC's check digit does not match"],
  });
});

test("the RFCs for foreigners and the general public, and one with Ñ or &, are taken", () => {
  for (const rfc of ["XAXX010101000", "XEXX010101000", "ÑIÑO800101AB1", "P&G851223B24"]) {
    expect(check(rfc, "MX"), rfc).toMatchObject({ ok: true, idNumber: rfc, kind: "RFC" });
  }
});

test("an Ñ written as N and a tilde is the same Ñ", () => {
  expect(check("n\u0303an\u0303o800101ab1", "MX")).toMatchObject({ ok: true, idNumber: "ÑAÑO800101AB1" });
});

test.each([
  ["AR", PHONES.AR],
  ["UY", PHONES.UY],
  ["CL", PHONES.CL],
  ["MX", PHONES.MX],
])("without a country, %s's rules are applied to a phone of that country", (country, phone) => {
  const good = GOOD.find(([of]) => of === country)?.[1] ?? "";
  for (const omitted of [undefined, null, "", "  "]) {
    expect(check(good, omitted, phone)).toMatchObject({ ok: true, country });
    expect(check("XX-1", omitted, phone)).toMatchObject({ ok: false });
  }
});

test("a country that is given goes before the phone's, in any case", () => {
  expect(check("1.234.567-2", " uy ", PHONES.AR)).toMatchObject({ ok: true, country: "UY", kind: "CI" });
  expect(check("1.234.567-3", "UY", PHONES.AR)).toMatchObject({ ok: false });
});

test("another country that is given means generic sanitization, whatever the phone's country", () => {
  expect(check("x-1.b", "BR", PHONES.AR)).toEqual({
    ok: true,
    idNumber: "X1B",
    country: "BR",
    kind: null,
    warnings: [],
  });
  expect(check("12/3", "BR", PHONES.AR)).toMatchObject({ ok: false });
});

test("a phone of a country without rules, or of none, means generic sanitization", () => {
  expect(check("ab-12.3", undefined, PHONES.US)).toMatchObject({
    ok: true,
    idNumber: "AB123",
    country: "US",
    kind: null,
  });
  expect(check("7", undefined, "99999999999")).toMatchObject({ ok: true, idNumber: "7", country: null, kind: null });
  expect(check("7", undefined, "not a phone")).toMatchObject({ ok: true, country: null });
});

test.each([
  ["empty", ""],
  ["only separators", " .-. "],
  ["underscore", "12_3"],
  ["NUL", "12\u00003"],
  ["fullwidth digits", "１２３"],
  ["Arabic-Indic digits", "١٢٣"],
  ["Cyrillic look-alikes", "АВ12"],
  ["a letter that upper case would make two of", "straße1"],
  ["a letter that upper case would make an I of", "ı1"],
  ["a non-breaking hyphen", "1‑2"],
  ["markup", "<script>"],
  ["too long", "A".repeat(MAX_ID_NUMBER_LENGTH + 1)],
  ["huge", "9".repeat(5_000_000)],
])("no rules take what is %s", (_what, given) => {
  expect(sanitizeIdNumber(given).ok).toBe(false);
  expect(check(given, "BR").ok).toBe(false);
  expect(check(given, "AR").ok).toBe(false);
});

test("any length from one character up to the bound is taken", () => {
  for (const length of [1, 2, 50, MAX_ID_NUMBER_LENGTH]) {
    expect(sanitizeIdNumber("z".repeat(length))).toEqual({ ok: true, idNumber: "Z".repeat(length) });
  }
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mrzAgrees } from "../../src/mrz/agrees.ts";
import { readMrz } from "../../src/mrz/read.ts";

/** The specimens of ICAO 9303, parts 4 to 7. */
const SPECIMENS = {
  TD1: ["I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6", "ERIKSSON<<ANNA<MARIA<<<<<<<<<<"],
  TD2: ["I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6"],
  TD3: ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10"],
  "MRV-A": ["V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L8988901C4XXX4009078F96121096ZE184226B<<<<<<"],
  "MRV-B": ["V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "L8988901C4XXX4009078F9612109<<<<<<<<"],
} as const;

test.each([
  ["TD1", "D23145890", ["<<<<<<<<<<<<<<<", "<<<<<<<<<<<"], "740812", "2012-04-15"],
  ["TD2", "D23145890", ["<<<<<<<"], "740812", "2012-04-15"],
  ["TD3", "L898902C3", ["ZE184226B<<<<<"], "740812", "2012-04-15"],
  ["MRV-A", "L8988901C", ["6ZE184226B<<<<<<"], "400907", "1996-12-10"],
  ["MRV-B", "L8988901C", ["<<<<<<<<"], "400907", "1996-12-10"],
] as const)("the specimen %s is read", (format, documentNumber, optionalData, birthDate, expiresOn) => {
  expect(readMrz(SPECIMENS[format])).toEqual({
    format,
    isChecked: true,
    issuingState: "UTO",
    documentNumber,
    optionalData,
    birthDate,
    expiresOn,
    surnames: ["ERIKSSON"],
    givenNames: ["ANNA", "MARIA"],
    areNamesCut: false,
  });
});

describe("a digit or letter that was read wrongly", () => {
  // Places that check digits cover: numbers, dates, optional data and the digits themselves.
  test.each([
    ["TD1", 0, 5],
    ["TD1", 0, 14],
    ["TD1", 0, 29],
    ["TD1", 1, 0],
    ["TD1", 1, 13],
    ["TD1", 1, 28],
    ["TD1", 1, 29],
    ["TD2", 1, 3],
    ["TD2", 1, 34],
    ["TD3", 1, 8],
    ["TD3", 1, 30],
    ["TD3", 1, 42],
    ["TD3", 1, 43],
    ["MRV-A", 1, 2],
    ["MRV-A", 1, 27],
    ["MRV-B", 1, 15],
  ] as const)("is found in %s, line %i, place %i", (format, line, place) => {
    const lines: string[] = [...SPECIMENS[format]];
    const text = lines[line] ?? "";
    lines[line] = `${text.slice(0, place)}${text[place] === "1" ? "2" : "1"}${text.slice(place + 1)}`;
    expect(readMrz(lines)).toMatchObject({ isChecked: false });
  });

  test("is found where a check digit is missing", () => {
    const [first, second, third] = SPECIMENS.TD1;
    expect(readMrz([first.replace("8907", "890<"), second, third])).toMatchObject({ isChecked: false });
    expect(readMrz([first, second.replace(/6$/, "<"), third])).toMatchObject({ isChecked: false });
  });

  test("is found where a filler stands for the check digit 0", () => {
    const lines = [
      "IDARG5123456<<<<<<<<<<<<<<<<<<",
      "4805144M3409305ARG<<<<<<<<<<<2",
      "PEREZ<<JUAN<CARLOS<<<<<<<<<<<<",
    ];
    expect(readMrz(lines)).toMatchObject({ isChecked: false });
  });

  test("is found where the composite digit is right, and the personal number's is not", () => {
    const lines = ["P<ESPESPANOLA<ESPANOLA<<CARMEN<<<<<<<<<<<<<<", "ZAB0002549ESP8001014F3506178A9999999900<<<57"];
    expect(readMrz(lines)).toMatchObject({ isChecked: false });
  });
});

test("a document number that is longer than its field goes on in the optional data", () => {
  const lines = ["IDBEL590330101<8073<<<<<<<<<<<", "8501019F3010149BEL850101002003", "VAN<DER<VELDEN<<GREET<HILDE<<<"];
  expect(readMrz(lines)).toMatchObject({ isChecked: true, documentNumber: "590330101807", issuingState: "BEL" });
});

test("Germany's short code and a sex that is not told, or X, are no faults", () => {
  const third = "MUELLER<<ERIKA<JOHANNA<<<<<<<<";
  for (const sex of ["<", "X"]) {
    const lines = ["IDD<<L01X00T471<<<<<<<<<<<<<<<", `8308126${sex}3308017D<<<<<<<<<<<<<4`, third];
    expect(readMrz(lines)).toMatchObject({ isChecked: true, issuingState: "D", documentNumber: "L01X00T47" });
  }
});

test.each([
  ["without end", "7408122F<<<<<<0UTO<<<<<<<<<<<6", null],
  ["at the end of a month", "7408122F2712<<0UTO<<<<<<<<<<<2", "2027-12-31"],
] as const)("a document that expires %s", (_when, second, expiresOn) => {
  const [, , third] = SPECIMENS.TD1;
  expect(readMrz(["IDUTOD231458907<<<<<<<<<<<<<<<", second, third])).toMatchObject({ isChecked: true, expiresOn });
});

test("a Spanish card of the year 9999 does not expire", () => {
  const lines = ["IDESPBAA000589599999999R<<<<<<", "4001016F9901018ESP<<<<<<<<<<<7", "ESPANOLA<ESPANOLA<<CARMEN<<<<<"];
  expect(readMrz(lines)).toMatchObject({ isChecked: true, expiresOn: null });
});

test("a name that fills its field may be cut", () => {
  const cut = ["P<UTONILAVADHANANANDA<<CHAYAPA<DEJTHAMRONG<K", "L898902C36UTO7408122F3204153<<<<<<<<<<<<<<<4"];
  expect(readMrz(cut)).toMatchObject({
    areNamesCut: true,
    surnames: ["NILAVADHANANANDA"],
    givenNames: ["CHAYAPA", "DEJTHAMRONG", "K"],
  });
});

test("spaces, small letters and empty lines don't matter", () => {
  const [first, second, third] = SPECIMENS.TD1;
  expect(readMrz([` ${first}`, "", second.toLowerCase(), third.replace("<<ANNA", " <<ANNA"), " "])).toEqual(
    readMrz(SPECIMENS.TD1),
  );
});

const [ONE, TWO, THREE] = SPECIMENS.TD1;
test.each<[string, readonly string[]]>([
  ["nothing", []],
  ["one line", [ONE]],
  ["two lines of a card", [ONE, TWO]],
  ["three lines of a booklet", [...SPECIMENS.TD3, SPECIMENS.TD3[1]]],
  ["lines of two lengths", [ONE, TWO, `${THREE}<`]],
  ["a sign that no such zone has", [ONE, TWO, THREE.replace("A", "Á")]],
  ["a thirteenth month", ["IDUTOD231458907<<<<<<<<<<<<<<<", "7408122F2713410UTO<<<<<<<<<<<4", THREE]],
  ["29 February of a common year", ["IDUTOD231458907<<<<<<<<<<<<<<<", "7408122F2702294UTO<<<<<<<<<<<4", THREE]],
  ["a French card of before 2021", ["IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<", "8806923102858CORINNE<<<<<<<6512068F6"]],
  ["a visa on a card", [ONE.replace("I", "V"), TWO, THREE]],
  ["megabytes", ["<".repeat(5_000_000), "<", "<"]],
])("%s is not read", (_what, lines) => {
  expect(readMrz(lines)).toBeNull();
});

test("whatever a provider has read, reading and comparing it never fails", () => {
  const anything = fc.oneof(
    fc.array(fc.string({ unit: "binary", maxLength: 64 }), { maxLength: 4 }),
    ...[
      [3, 30],
      [2, 36],
      [2, 44],
    ].map(([lines = 0, length = 0]) =>
      fc.array(fc.string({ unit: fc.constantFrom(..."AZI<<<0129FR"), minLength: length, maxLength: length }), {
        minLength: lines,
        maxLength: lines,
      }),
    ),
  );
  const person = fc.record({
    name: fc.string({ unit: "binary" }),
    idNumber: fc.string({ unit: fc.constantFrom(..."AZ09Ñ"), maxLength: 20 }),
    idNumberCountry: fc.constantFrom("AR", "UY", "CL", "MX", "ES", "DE", null),
  });
  fc.assert(
    fc.property(anything, person, (lines, someone) => {
      expect(["approved", "rejected"]).toContain(mrzAgrees(lines, someone, "2026-01-01").result);
    }),
    { numRuns: 2_000 },
  );
});

import { describe, expect, test } from "vitest";
import { mrzAgrees } from "../../src/mrz/agrees.ts";

const TODAY = "2026-01-01";

// Made-up documents, with check digits by another program.
const DOCUMENTS = {
  AR: ["IDARG30123456<2<<<<<<<<<<<<<<<", "8305147F3409305ARG<<<<<<<<<<<4", "FERNANDEZ<<MARIA<JOSE<<<<<<<<<"],
  "AR of 7 digits": [
    "IDARG5123456<<0<<<<<<<<<<<<<<<",
    "4805144M3409305ARG<<<<<<<<<<<2",
    "PEREZ<<JUAN<CARLOS<<<<<<<<<<<<",
  ],
  UY: ["I<URYC01234567212345672<<<<<<<", "9001022M3311020URY<<<<<<<<<<<8", "NUNEZ<SOSA<<MARTIN<<<<<<<<<<<<"],
  "UY on line 2": [
    "I<URYC012345672<<<<<<<<<<<<<<<",
    "9001022M3311020URY1234567<2<<6",
    "NUNEZ<SOSA<<MARTIN<<<<<<<<<<<<",
  ],
  CL: ["INCHLA012345678E15<<<<<<<<<<<<", "8502212F3207154CHL12531909<2<4", "SOTO<ROJAS<<CAMILA<ANDREA<<<<<"],
  MX: ["IDMEX1234567897<<1234567890123", "5604274F3112319MEX<02<<12345<8", "HERNANDEZ<GARCIA<<GUADALUPE<<<"],
  ES: ["IDESPBAA000589599999999R<<<<<<", "8001014F3101012ESP<<<<<<<<<<<5", "ESPANOLA<ESPANOLA<<CARMEN<<<<<"],
  "ES passport": ["P<ESPESPANOLA<ESPANOLA<<CARMEN<<<<<<<<<<<<<<", "ZAB0002549ESP8001014F3506178A9999999900<<<46"],
  DE: ["IDD<<L01X00T471<<<<<<<<<<<<<<<", "8308126<3308017D<<<<<<<<<<<<<4", "MUELLER<<ERIKA<JOHANNA<<<<<<<<"],
} as const;

const check = (
  of: keyof typeof DOCUMENTS | readonly string[],
  name: string,
  idNumber: string,
  country: string | null,
) => mrzAgrees(typeof of === "string" ? DOCUMENTS[of] : of, { name, idNumber, idNumberCountry: country }, TODAY);

const approved = { result: "approved", reason: null };
const rejected = (reason: string) => ({ result: "rejected", reason });

describe("a document is its holder's", () => {
  test.each([
    ["AR", "María José Fernández", "30123456", "AR"],
    ["AR", "María José Fernández", "27301234565", "AR"],
    ["AR of 7 digits", "Juan Carlos Pérez", "5123456", "AR"],
    ["AR of 7 digits", "Juan Carlos Pérez", "20051234567", "AR"],
    ["UY", "Martín Núñez Sosa", "12345672", "UY"],
    ["UY on line 2", "Martín Núñez Sosa", "12345672", "UY"],
    ["CL", "Camila Andrea Soto Rojas", "125319092", "CL"],
    ["MX", "Guadalupe Hernández García", "HEGG560427MVZRRL04", "MX"],
    ["MX", "Guadalupe Hernández García", "HEGG560427AB1", "MX"],
    ["ES", "Carmen Española Española", "99999999R", "ES"],
    ["ES", "Carmen Española Española", "99999999", "ES"],
    ["ES passport", "Carmen Española Española", "ZAB000254", "ES"],
    ["ES passport", "Carmen Española Española", "99999999R", "ES"],
    ["DE", "Erika Johanna Müller", "L01X00T47", "DE"],
    ["AR", "María José Fernández", "30123456", null],
    ["UY", "Martín Núñez Sosa", "012345672", "BR"],
  ] as const)("%s: %s, %s (%s)", (document, name, idNumber, country) => {
    expect(check(document, name, idNumber, country)).toEqual(approved);
  });

  test("a RUN whose verifier is K", () => {
    const lines = [
      "INCHLA012345678E15<<<<<<<<<<<<",
      "8502212F3207154CHL9876500<K<<3",
      "SOTO<ROJAS<<CAMILA<ANDREA<<<<<",
    ];
    expect(check(lines, "Camila Soto", "9876500K", "CL")).toEqual(approved);
  });
});

describe("another number is another person", () => {
  test.each([
    ["AR", "30123457", "AR"],
    ["AR", "27301234575", "AR"],
    ["AR of 7 digits", "35123456", "AR"],
    ["UY", "12345680", "UY"],
    ["CL", "12531909K", "CL"],
    ["MX", "HEGG560428MVZRRL04", "MX"],
    ["MX", "HEGG570427AB1", "MX"],
    ["ES", "99999998", "ES"],
    ["ES passport", "99999998R", "ES"],
    ["DE", "L01X00T4", "DE"],
    ["DE", "L01X00T471", "DE"],
    ["AR", "0123456", null],
    ["MX", "02", null],
    ["AR", "0", null],
  ] as const)("%s is not that of %s (%s)", (document, idNumber, country) => {
    const names = { AR: "María Fernández", MX: "Guadalupe Hernández", UY: "Martín Núñez", CL: "Camila Soto" };
    const name = {
      ...names,
      ES: "Carmen Española",
      "ES passport": "Carmen Española",
      DE: "Erika Müller",
      "AR of 7 digits": "Juan Pérez",
    }[document];
    expect(check(document, name, idNumber, country)).toEqual(rejected("number_mismatch"));
  });
});

test("a number of zeros is nobody's", () => {
  const zeros = ["IDARG0000000000<<<<<<<<<<<<<<<", "8305147F3409305ARG<<<<<<<<<<<8", "FERNANDEZ<<MARIA<JOSE<<<<<<<<<"];
  expect(check(zeros, "María Fernández", "0", null)).toEqual(rejected("number_mismatch"));
});

/** A zone with these names, and nothing else that changes: names have no check digits. */
const named = (names: string): string[] => [DOCUMENTS.AR[0], DOCUMENTS.AR[1], names.padEnd(30, "<").slice(0, 30)];

describe("one name, written in many ways", () => {
  test.each([
    ["FERNANDEZ<<MARIA<JOSE", "Fernández, María José", "surname first"],
    ["FERNANDEZ<<MARIA<JOSE", "FERNANDEZ MARIA", "without a middle name"],
    ["FERNANDEZ<LOPEZ<<MARIA<JOSE", "María Fernández", "without the second surname"],
    ["FERNANDEZ<<MARIA", "María José Fernández López", "with more than the document has"],
    ["FERNANDEZ<<MARIA<JOSE", "M. José Fernández", "with an initial"],
    ["LOPEZ<<MARIA<GUADALUPE", "Ma. Guadalupe López", "with an abbreviation"],
    ["FERNANDEZ<<MARIA<JOSE", "Mariajosé Fernández", "in one word"],
    ["NUNEZ<<INIGO", "Íñigo Núñez", "Ñ as N"],
    ["NUNXXEZ<<INXXIGO", "Íñigo Núñez", "Ñ as NXX"],
    ["NUNXXEZ<<INXXIGO", "I\u0301n\u0303igo Nu\u0301n\u0303ez", "with marks of their own"],
    ["MUELLER<<JUERGEN", "Jürgen Müller", "Ü as UE"],
    ["MUXXLLER<<JUXXRGEN", "Jürgen Müller", "Ü as UXX"],
    ["MULLER<<JURGEN", "Jürgen Müller", "Ü as U"],
    ["GROSS<<SOEREN", "Søren Groß", "ß and Ø"],
    ["WALESA<<LECH", "Lech Wałęsa", "Polish letters"],
    ["SAINT<EXUPERY<<JEAN<PIERRE", "Jean-Pierre Saint-Exupéry", "hyphens"],
    ["OCONNOR<<SEAN", "Seán O'Connor", "an apostrophe"],
    ["OCONNOR<<SEAN", "Seán O’Connor", "a typographer's apostrophe"],
    ["DE<LA<CRUZ<<JUANA", "Juana Cruz", "without particles"],
    ["DE<LA<CRUZ<<JUANA", "Juana María Cruz", "without particles, and with a middle name"],
    ["DELACRUZ<<JUANA", "Juana de la Cruz", "with joined particles"],
    ["GOMEZ<<ANA<LUISA", "Ana de Gómez", "with a particle of its own"],
    ["DAS<<RAJ<KUMAR", "Raj Das", "with a surname that is a particle elsewhere"],
    ["DE<LA<CRUZ<<MARIA<DEL<CARMEN", "Carmen de la Cruz", "particles everywhere"],
    ["PETROV<<IVAN", "Иван Петров", "in Cyrillic"],
    ["KIUI<<IULIIA", "Юлия Кюй", "in Cyrillic, as ICAO writes it"],
    ["LI<<NA", "李娜", "in Chinese"],
    ["SUKARNO", "Sukarno", "one name only"],
    ["RAJESH<KUMAR", "Rajesh Kumar", "all of it in one field"],
    ["RAJESH<KUMAR", "Kumar Rajesh", "all of it in one field, in another order"],
    ["MONTENEGRO<IRIGOYEN<<MARIA<FERNANDA", "María Fernanda Montenegro Irigoyen", "cut at its end"],
  ])("%s is %s (%s)", (names, name) => {
    expect(check(named(names), name, "30123456", "AR")).toEqual(approved);
  });

  test("a field that is full may have names shortened and left out", () => {
    const cut = named("PAPANDROPOULOUS<VANDERB<<ELE<M");
    expect(check(cut, "Eleni Maria Papandropoulous Vanderbilt", "30123456", "AR")).toEqual(approved);
    expect(check(cut, "Eleni Maria Sofia Papandropoulous Vanderbilt", "30123456", "AR")).toEqual(approved);
    expect(check(cut, "Sofia Maria Papandropoulous Vanderbilt", "30123456", "AR")).toEqual(rejected("name_mismatch"));
  });
});

describe("another name is another person", () => {
  test.each([
    ["FERNANDEZ<<MARIA<JOSE", "Juana Fernández", "the given name"],
    ["FERNANDEZ<<MARIA<JOSE", "María José López", "the surname"],
    ["FERNANDEZ<<MARIA<JOSE", "María José", "no surname"],
    ["FERNANDEZ<<MARIA<JOSE", "Fernández", "no given name"],
    ["FERNANDEZ<<MARIA<JOSE", "María Luisa Fernández", "a middle name"],
    ["FERNANDEZ<GOMEZ<<JUAN<CARLOS", "Juan Fernández López", "the second surname"],
    ["FERNANDEZ<<MARIA<JOSE", "María Fernandes", "a letter"],
    ["FERNANDEZ<<MARIA", "Mar Fernández", "a part of a name"],
    ["FERNANDEZ<<MARIA", "Mariana Fernández", "a longer name"],
    ["FERNANDEZ<<MARIA", "María Fernandezlópez", "a longer surname"],
    ["FERNANDEZ<<MARIA", "M. Fernández", "an initial for all given names"],
    ["FERNANDEZ<<MARIA", "María F.", "an initial for the surname"],
    ["DE<LA<CRUZ<<JUANA", "Juana de la Torre", "particles in common"],
    ["DE<LA<CRUZ<<JUANA", "Juana de la", "the particles of a surname"],
    ["DAS<<RAJ<KUMAR", "Raj Kumar", "the surname, a particle elsewhere"],
    ["DE<LA<CRUZ<<MARIA<DEL<CARMEN", "Josefa del Carmen de la Torre", "a given name and particles in common"],
    ["RAJESH<KUMAR", "Rajesh", "a part of a field"],
    ["SUKARNO", "Sukarno Putra", "more than the only name"],
    ["FERNANDEZ<<MARIA", "", "no name"],
    ["FERNANDEZ<<MARIA", "123 .,-", "no letters"],
    ["", "María Fernández", "no name in the document"],
    ["", "123", "no name in either"],
    ["<<MARIA", "María Fernández", "no surname in the document"],
  ])("%s is not %s (%s)", (names, name) => {
    expect(check(named(names), name, "30123456", "AR")).toEqual(rejected("name_mismatch"));
  });

  test.each([
    ["MX", "MAB9307148T4"],
    ["AR", "33693450239"],
    ["CL", "60803000K"],
  ])("with a company's number (%s) nothing else tells, and neither name may leave out a word", (country, idNumber) => {
    expect(check("MX", "Hernández García Guadalupe", idNumber, country)).toEqual(approved);
    expect(check("MX", "Guadalupe Hernández", idNumber, country)).toEqual(rejected("name_mismatch"));
    expect(check("MX", "María Guadalupe Hernández García", idNumber, country)).toEqual(rejected("name_mismatch"));
  });
});

test("with a company's number a name that the zone has no room for may be left out", () => {
  const cut = named("PAPANDROPOULOUS<VANDERB<<ELE<M");
  expect(check(cut, "Eleni Maria Sofia Papandropoulous Vanderbilt", "33693450239", "AR")).toEqual(approved);
  expect(check(cut, "Eleni Papandropoulous Vanderbilt", "33693450239", "AR")).toEqual(rejected("name_mismatch"));
});

describe("a document cannot be used", () => {
  const person = { name: "María Fernández", idNumber: "30123456", idNumberCountry: "AR" };

  test("from the day after its last one", () => {
    expect(mrzAgrees(DOCUMENTS.AR, person, "2034-09-30")).toEqual(approved);
    expect(mrzAgrees(DOCUMENTS.AR, person, "2034-10-01")).toEqual(rejected("expired"));
  });

  test("when a check digit is wrong, whoever it names", () => {
    const [first, second, third] = DOCUMENTS.AR;
    expect(mrzAgrees([first.replace("30123456", "30123465"), second, third], person, TODAY)).toEqual(
      rejected("checksum"),
    );
  });

  test("when there is no zone in what was read", () => {
    expect(mrzAgrees([], person, TODAY)).toEqual(rejected("unreadable"));
    expect(mrzAgrees(["ARGENTINA", "FERNANDEZ"], person, TODAY)).toEqual(rejected("unreadable"));
  });
});

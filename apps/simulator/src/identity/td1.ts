import { type IdentityPerson, wordsOfName } from "@rubrica/identity";

const LINE_LENGTH = 30;
const NUMBER_LENGTH = 9;
const VALID_YEARS = 5;
const UNTOLD_BIRTH = "800101";

/** What differs from state to state; the rest of the zone is made up. */
interface Card {
  state: string;
  documentNumber: string;
  optional1: string;
  optional2: string;
  birthDate: string;
}

/**
 * The machine-readable zone of a card (ICAO 9303-5, TD1) that such a person could have, valid for five years from `now`
 * (milliseconds since the epoch): the ID number stands where the card of its country has it, and where no country's is
 * known, in the place that has room. Who has no surname that could be told apart gets the last word for one.
 */
export const writeTd1 = (person: IdentityPerson, now: number): string[] => {
  const { state, documentNumber, optional1, optional2, birthDate } = cardOf(person);
  const number = documentNumber.slice(0, NUMBER_LENGTH).padEnd(NUMBER_LENGTH, "<");
  const rest = documentNumber.slice(NUMBER_LENGTH);
  // A number that is too long goes on in the optional data, and its check digit with it.
  const numbered = rest
    ? `${number}<${rest}${checkDigit(`${number}<${rest}`)}`
    : `${number}${checkDigit(number)}${optional1}`;
  const first = `I<${state}${numbered}`.padEnd(LINE_LENGTH, "<");
  const dates = [`${birthDate}${checkDigit(birthDate)}`, expiryAfter(now)] as const;
  const optional = optional2.padEnd(11, "<");
  const composite = checkDigit(`${first.slice(5)}${dates.join("")}${optional}`);
  return [first, `${dates[0]}<${dates[1]}${state}${optional}${composite}`, namesOf(person.name)];
};

const cardOf = ({ idNumber, idNumberCountry }: IdentityPerson): Card => {
  const card = { documentNumber: "SIM000001", optional1: "", optional2: "", birthDate: UNTOLD_BIRTH };
  switch (idNumberCountry) {
    case "AR":
      return { ...card, state: "ARG", documentNumber: idNumber.length === 11 ? idNumber.slice(2, 10) : idNumber };
    case "UY":
      return { ...card, state: "URY", optional1: idNumber };
    case "CL":
      return { ...card, state: "CHL", optional2: `${idNumber.slice(0, -1)}<${idNumber.slice(-1)}` };
    case "MX":
      return { ...card, state: "MEX", birthDate: /^\D{4}(\d{6})/.exec(idNumber)?.[1] ?? UNTOLD_BIRTH };
    default:
      // Utopia, as in ICAO's specimens. Twenty-two characters are all that a card has room for.
      return { ...card, state: "UTO", documentNumber: idNumber.replace(/[^A-Z\d]/g, "").slice(0, 22) };
  }
};

const namesOf = (name: string): string => {
  const words = wordsOfName(name).map(([word = ""]) => word);
  const surname = words.pop() ?? "";
  // One letter at least is left to a given name.
  const names = words.length ? `${surname.slice(0, LINE_LENGTH - 3)}<<${words.join("<")}` : surname;
  return names.slice(0, LINE_LENGTH).padEnd(LINE_LENGTH, "<");
};

/** `YYMMDD` and its check digit. */
const expiryAfter = (now: number): string => {
  const today = new Date(now);
  const day = Date.UTC(today.getUTCFullYear() + VALID_YEARS, today.getUTCMonth(), today.getUTCDate());
  const yymmdd = new Date(day).toISOString().slice(2, 10).replaceAll("-", "");
  return `${yymmdd}${checkDigit(yymmdd)}`;
};

/** ICAO 9303-3, 4.9: weights 7, 3, 1; digits as they are, A to Z as 10 to 35, fillers as 0; modulo 10. */
const checkDigit = (text: string): string => {
  const sum = [...text].reduce(
    (total, char, index) => total + (char === "<" ? 0 : Number.parseInt(char, 36)) * ([7, 3, 1][index % 3] ?? 0),
    0,
  );
  return String(sum % 10);
};

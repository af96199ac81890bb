import { argentina } from "./countries/argentina.ts";
import { chile } from "./countries/chile.ts";
import { mexico } from "./countries/mexico.ts";
import { uruguay } from "./countries/uruguay.ts";
import { countryOfPhone } from "./phone.ts";
import type { CountryRules } from "./rules.ts";

/** The specification allows any length; this only keeps megabytes out of events. In UTF-16 units, as given. */
export const MAX_ID_NUMBER_LENGTH = 256;

const RULES = new Map<string, CountryRules>([
  ["AR", argentina],
  ["UY", uruguay],
  ["CL", chile],
  ["MX", mexico],
]);

/**
 * What became of an ID number. `country` is the ISO 3166-1 alpha-2 code that was given or inferred from the phone,
 * null where neither tells; `kind` (DNI, CUIT, CI, RUT, CURP, RFC) is null where no country's rules were applied.
 * `message` completes a sentence that starts with the field's name, and holds no value.
 */
export type IdNumberCheck =
  | { ok: true; idNumber: string; country: string | null; kind: string | null; warnings: string[] }
  | { ok: false; message: string };

/**
 * Upper case, without dots, hyphens and spaces. Nothing else is taken away, so that what is odd is seen; and only the
 * letters that may stay are raised, since `toUpperCase` makes plain letters of "ß", "ı" and "ſ".
 */
export const strippedIdNumber = (raw: string): { ok: true; idNumber: string } | { ok: false; message: string } => {
  if (raw.length > MAX_ID_NUMBER_LENGTH) {
    return { ok: false, message: `must have at most ${MAX_ID_NUMBER_LENGTH} characters` };
  }
  const idNumber = raw
    .normalize("NFC")
    .replace(/[.\-\s]/g, "")
    .replace(/[a-zñ]/g, (letter) => letter.toUpperCase());
  return idNumber === "" ? { ok: false, message: "is required" } : { ok: true, idNumber };
};

/**
 * Sanitizes an ID number without judging it by a country: dots, hyphens and spaces go, letters become upper case,
 * and only Latin letters (Ñ is one) and ASCII digits may remain, in any order. Look-alikes of other scripts are
 * refused, since two people could have numbers that read the same.
 */
export const sanitizeIdNumber = (raw: string): { ok: true; idNumber: string } | { ok: false; message: string } => {
  const stripped = strippedIdNumber(raw);
  if (!stripped.ok || /^[A-ZÑ\d]+$/.test(stripped.idNumber)) return stripped;
  return { ok: false, message: "may only hold letters, digits, dots and hyphens" };
};

/**
 * Checks a signer's ID number by the rules of its country (specification 2.2).
 *
 * The country is `country` when given (any case); else the phone's (digits, international format, no `+`). AR, UY, CL
 * and MX have rules of their own; any other country, or none, means {@link sanitizeIdNumber}. A country that is given
 * never gives way to the phone's.
 */
export const checkIdNumber = (input: {
  idNumber: string;
  country?: string | null | undefined;
  phone: string;
}): IdNumberCheck => {
  const given = input.country?.trim().toUpperCase() || null;
  const country = given ?? countryOfPhone(input.phone);
  const rules = country === null ? undefined : RULES.get(country);
  const stripped = rules ? strippedIdNumber(input.idNumber) : sanitizeIdNumber(input.idNumber);
  if (!stripped.ok) return stripped;
  const { idNumber } = stripped;
  const verdict = rules?.(idNumber) ?? { ok: true, kind: null, warnings: [] };
  return verdict.ok ? { ...verdict, idNumber, country } : verdict;
};

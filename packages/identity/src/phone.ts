import { parsePhoneNumberFromString } from "libphonenumber-js/min";

/** Longest input that is looked at: 15 digits (E.164) with room for every separator. */
const MAX_RAW_LENGTH = 64;

/** A phone as digits in international format: `+ - ( )` and spaces go, 8 to 15 ASCII digits must remain. */
export const sanitizePhone = (raw: string): { ok: true; phone: string } | { ok: false; message: string } => {
  const phone = raw.length > MAX_RAW_LENGTH ? "" : raw.replace(/[+\-()\s]/g, "");
  return /^\d{8,15}$/.test(phone)
    ? { ok: true, phone }
    : { ok: false, message: "must be a phone number in international format, 8 to 15 digits" };
};

/**
 * The ISO 3166-1 alpha-2 country of a phone (digits, no `+`), or null where its calling code does not tell.
 *
 * Goes by the library's `country`, not by `isValid()`: Argentine and Mexican mobiles in their old forms are called invalid.
 */
export const countryOfPhone = (phone: string): string | null => {
  if (!/^\d{8,15}$/.test(phone)) return null;
  return parsePhoneNumberFromString(`+${phone}`)?.country ?? null;
};

/**
 * What speaks against a phone (digits, no `+`) being anybody's: completes a sentence that starts with the field's name,
 * and holds no value. Undefined where nothing does.
 */
export const phoneDoubt = (phone: string): string | undefined => {
  const parsed = parsePhoneNumberFromString(`+${phoneLine(phone)}`);
  if (!parsed) return "is a number of no country: it begins with no calling code";
  return parsed.isPossible() ? undefined : "has not as many digits as its country's numbers have";
};

/**
 * The number under which a phone's documents wait for each other: the same for every way to write one line.
 *
 * Argentine mobiles are written with and without a 9 after 54, Mexican ones with and without a 1 after 52. Plain
 * rules, not the library's formatting: this names streams that last, and must not change with the library's data.
 */
export const phoneLine = (phone: string): string =>
  phone.replace(/^549(?=\d{10}$)/, "54").replace(/^521(?=\d{10}$)/, "52");

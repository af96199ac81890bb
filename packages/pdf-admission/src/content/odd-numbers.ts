import type { Edit } from "./reading.ts";
import type { Tokens } from "./tokens.ts";

/** Numbers that only some readers take for one, and what stands instead. */

const EXPONENT = /^[+-]?(?:\d+\.?\d*|\.\d+)[eE][+-]?\d{1,2}$/;
/** What a program wrote that had no number to write (LibreOffice, of dashes). */
const NO_NUMBER = /^[-+.\d]+$/;
/** Most readers take it for zero. */
const SIGN = /^[-+]$/;
const LIMIT_OF_MITERS = /^[ \n\r\t]+M(?=[ \n\r\t]|$)/;
const LONGEST_MENDED = 64;

/** Instead of the last token: a number, or nothing at all. */
export interface Mended {
  edit: Edit;
  value: number | null;
}

/** Undefined where it can't be mended. */
export const mendedNumber = (tokens: Tokens): Mended | undefined => {
  const { start, at, bytes } = tokens;
  if (at - start > LONGEST_MENDED) return undefined;
  const word = bytes.toString("latin1", start, at);
  if (SIGN.test(word)) return { edit: { start, end: at, instead: "0" }, value: 0 };
  if (NO_NUMBER.test(word)) return withoutLimit(tokens);
  const plain = EXPONENT.test(word) ? String(Number(word)) : "";
  if (!/^-?\d+(?:\.\d+)?$/.test(plain) || plain.length > word.length) return undefined;
  return { edit: { start, end: at, instead: plain }, value: Number(plain) };
};

/** How far corners reach, where that is no number: as far as they do by themselves. */
const withoutLimit = ({ start, at, bytes }: Tokens): Mended | undefined => {
  const [limit] = LIMIT_OF_MITERS.exec(bytes.toString("latin1", at, at + LONGEST_MENDED)) ?? [];
  return limit === undefined ? undefined : { edit: { start, end: at + limit.length, instead: "" }, value: null };
};

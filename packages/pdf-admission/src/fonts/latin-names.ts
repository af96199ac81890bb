import { ASCII_NAMES } from "./named-glyphs.ts";

/** Names of characters that every reader's own fonts have (ISO 32000-2, D.2). */

const LETTER_WITH_MARK =
  /^(?:[A-Za-z]|dotless[ij])(?:acute|breve|caron|cedilla|circumflex|commaaccent|dieresis|dotaccent|grave|hungarumlaut|macron|ogonek|ring|slash|tilde)$/;
const OTHERS =
  "AE OE ae oe Eth eth Thorn thorn dcroat Dcroat germandbls dotlessi fi fl florin Euro bullet cent currency copyright dagger " +
  "daggerdbl degree divide ellipsis emdash endash exclamdown fraction guillemotleft guillemotright guilsinglleft " +
  "guilsinglright logicalnot minus mu multiply onehalf onequarter threequarters onesuperior twosuperior threesuperior " +
  "ordfeminine ordmasculine paragraph periodcentered perthousand plusminus questiondown quotedblbase quotedblleft " +
  "quotedblright quotesinglbase quotesingle registered section sterling trademark yen brokenbar acute breve caron cedilla " +
  "circumflex dieresis dotaccent grave hungarumlaut macron ogonek ring tilde nbspace sfthyphen";
const others: ReadonlySet<string> = new Set([...ASCII_NAMES, ...OTHERS.split(" ")]);
const [ZERO, NINE] = [0x30, 0x39];

export const isLatin = (name: string): boolean => others.has(name) || LETTER_WITH_MARK.test(name);

/** Whether a code is a figure's in all encodings of text. */
export const isFigure = (code: number): boolean => code >= ZERO && code <= NINE;

const figures = new Set("zero one two three four five six seven eight nine".split(" "));
/** Whether a name is a figure's, whatever code it is given. */
export const isFigureName = (name: string | undefined): boolean => name !== undefined && figures.has(name);

/** Of the form of a character's number, but listed (Adobe Glyph List). */
export const isListed = (name: string): boolean => /^(?:afii\d{5,}|H\d{5}|SF\d{6})$/.test(name);

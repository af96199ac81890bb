import { ASCII_NAMES } from "./named-glyphs.ts";

/** Names of characters that every reader's own fonts have (ISO 32000-2, D.2). */

const marks: Readonly<Record<string, string>> = {
  acute: "\u0301",
  breve: "\u0306",
  caron: "\u030c",
  cedilla: "\u0327",
  circumflex: "\u0302",
  // Fonts call a cedilla so, too.
  commaaccent: "\u0326",
  dieresis: "\u0308",
  dotaccent: "\u0307",
  grave: "\u0300",
  hungarumlaut: "\u030b",
  macron: "\u0304",
  ogonek: "\u0328",
  ring: "\u030a",
  slash: "",
  tilde: "\u0303",
};
const strokes: Readonly<Record<string, string>> = {
  O: "\u00d8",
  o: "\u00f8",
  L: "\u0141",
  l: "\u0142",
  D: "\u0110",
  d: "\u0111",
};
const LETTER_WITH_MARK = new RegExp(`^([A-Za-z]|dotless[ij])(${Object.keys(marks).join("|")})$`);
const OTHERS =
  "AE\u00c6 OE\u0152 ae\u00e6 oe\u0153 Eth\u00d0 eth\u00f0 Thorn\u00de thorn\u00fe Dcroat\u0110 dcroat\u0111 germandbls\u00df " +
  "dotlessi\u0131 fi\ufb01 fl\ufb02 florin\u0192 Euro\u20ac bullet\u2022 cent\u00a2 currency\u00a4 copyright\u00a9 " +
  "dagger\u2020 daggerdbl\u2021 degree\u00b0 divide\u00f7 ellipsis\u2026 emdash\u2014 endash\u2013 exclamdown\u00a1 " +
  "fraction\u2044 guillemotleft\u00ab guillemotright\u00bb guilsinglleft\u2039 guilsinglright\u203a logicalnot\u00ac " +
  "minus\u2212 mu\u00b5 multiply\u00d7 onehalf\u00bd onequarter\u00bc threequarters\u00be onesuperior\u00b9 " +
  "twosuperior\u00b2 threesuperior\u00b3 ordfeminine\u00aa ordmasculine\u00ba paragraph\u00b6 periodcentered\u00b7 " +
  "perthousand\u2030 plusminus\u00b1 questiondown\u00bf quotedblbase\u201e quotedblleft\u201c quotedblright\u201d " +
  "quotesinglbase\u201a quotesingle\u0027 registered\u00ae section\u00a7 sterling\u00a3 trademark\u2122 yen\u00a5 " +
  "brokenbar\u00a6 acute\u00b4 breve\u02d8 caron\u02c7 cedilla\u00b8 circumflex\u02c6 dieresis\u00a8 dotaccent\u02d9 " +
  "grave\u0060 hungarumlaut\u02dd macron\u00af ogonek\u02db ring\u02da tilde\u02dc nbspace\u00a0 sfthyphen\u00ad";
/** Characters by their names, as far as those are of no letter with a mark. */
const others: ReadonlyMap<string, string> = new Map([
  ...ASCII_NAMES.map((name, index): [string, string] => [name, String.fromCharCode(0x20 + index)]),
  ...OTHERS.split(" ").map((one): [string, string] => [one.slice(0, -1), one.slice(-1)]),
  ["quoteleft", "\u2018"],
  ["quoteright", "\u2019"],
]);

/** The characters, by their numbers, that a name may stand for in a program's maps; none where that is not known. */
export const charactersOf = (name: string): number[] => {
  const known = others.get(name);
  if (known !== undefined) return [known.charCodeAt(0)];
  const [, letter = "", mark = ""] = LETTER_WITH_MARK.exec(name) ?? [];
  if (mark === "slash") return [...(strokes[letter] ?? "")].map((one) => one.charCodeAt(0));
  const base = letter === "dotlessi" ? "i" : letter === "dotlessj" ? "j" : letter;
  const candidates = mark === "commaaccent" ? [marks.commaaccent, marks.cedilla] : [marks[mark]];
  return candidates
    .map((one) => `${base}${one}`.normalize("NFC"))
    .flatMap((one) => (one.length === 1 ? one.charCodeAt(0) : []));
};

/** Whether a name is of a letter or sign that there is: letters may be written with marks that no font has them with. */
export const isLatin = (name: string): boolean => charactersOf(name).length > 0;

const HIGH = Uint8Array.from({ length: 128 }, (_, index) => 128 + index);
const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "dotlessi", "dotlessj"];

/** Greek letters that fonts have in the place of signs: mu, Delta, Omega. */
export const GREEK: ReadonlyMap<number, number> = new Map([
  [0xb5, 0x3bc],
  [0x2206, 0x394],
  [0x3a9, 0x2126],
]);

/** Characters of two bytes that names, and lists of codes that all readers have, may stand for. */
export const LATIN_OF_TWO_BYTES: readonly number[] = [
  ...new Set([
    ...LETTERS.flatMap((letter) => Object.keys(marks).flatMap((mark) => charactersOf(letter + mark))),
    ...[...others.values()].map((character) => character.charCodeAt(0)),
    ...["windows-1252", "macintosh"].flatMap((list) =>
      [...new TextDecoder(list).decode(HIGH)].map((character) => character.charCodeAt(0)),
    ),
    ...GREEK.values(),
  ]),
].filter((code) => code > 0xff);

const OF_WINDOWS = new Set(new TextDecoder("windows-1252").decode(HIGH));
/** Whether the fonts of all readers have what a name is of: of other letters with marks some have none. */
export const isInAllFonts = (name: string): boolean =>
  others.has(name) || charactersOf(name).some((code) => OF_WINDOWS.has(String.fromCharCode(code)));

const [ZERO, NINE] = [0x30, 0x39];

/** Whether a code is a figure's in all encodings of text. */
export const isFigure = (code: number): boolean => code >= ZERO && code <= NINE;

const figures = new Set("zero one two three four five six seven eight nine".split(" "));
/** Whether a name is a figure's, whatever code it is given. */
export const isFigureName = (name: string | undefined): boolean => name !== undefined && figures.has(name);

/** Of the form of a character's number, but listed (Adobe Glyph List). */
export const isListed = (name: string): boolean => /^(?:afii\d{5,}|H\d{5}|SF\d{6})$/.test(name);

/** Cyrillic letters by their listed names. For others, and names of that form that are not listed, some readers show the character of the code. */
export const isCyrillic = (name: string): boolean => /^afii10(?:01[7-9]|0[2-9]\d|10\d|110|145|193)$/.test(name);

import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { type PDFDict, PDFName, type PDFObject } from "pdf-lib";
import type { Otherwise } from "../otherwise.ts";
import { isOfSymbols, programEntry } from "./programs.ts";

/**
 * Fonts of symbols that a file does not bring along. All readers have Symbol and ZapfDingbats in Type 1; what is called, or
 * said, in another way each of them shows in a font of its own: one shows 1 where another one shows a check mark, or nothing.
 */

type Known = "Symbol" | "ZapfDingbats";

const SIMPLE: readonly (string | undefined)[] = ["Type1", "MMType1", "TrueType"];
const OF_SYMBOLS = /symbol|dingbat|wingding|webding/i;
const STYLE = "(?:[-,](?:Regular|Roman|Medium|Bold|Italic|Oblique|BoldItalic|BoldOblique))?$";
/** What programs call the two of them. */
const CALLED: readonly (readonly [RegExp, Known])[] = [
  [new RegExp(`^Symbol(?:MT|PS)?${STYLE}`), "Symbol"],
  [new RegExp(`^(?:ITC)?ZapfDingbats(?:MT|PS)?${STYLE}`), "ZapfDingbats"],
];
const TYPE1 = PDFName.of("Type1");
const SIDES = ["left", "right"];
const OF_DINGBATS = /^a\d{1,3}$/;
/** The characters of Symbol, by Adobe's metrics. Of other names some readers show nothing, others what the code is. */
const inSymbol: ReadonlySet<string> = new Set([
  ..."space exclam universal numbersign existential percent ampersand suchthat asteriskmath plus comma minus".split(
    " ",
  ),
  ..."period slash zero one two three four five six seven eight nine colon semicolon less equal greater".split(" "),
  ..."question congruent therefore perpendicular underscore radicalex bar similar Euro minute second".split(" "),
  ..."Alpha Beta Chi Delta Epsilon Phi Gamma Eta Iota Kappa Lambda Mu Nu Omicron Pi Theta Rho Sigma Tau".split(" "),
  ..."Upsilon Omega Xi Psi Zeta alpha beta chi delta epsilon phi gamma eta iota kappa lambda mu nu omicron".split(" "),
  ..."pi theta rho sigma tau upsilon omega xi psi zeta theta1 sigma1 phi1 omega1 Upsilon1".split(" "),
  ..."lessequal greaterequal fraction infinity florin club diamond heart spade degree plusminus multiply".split(" "),
  ..."proportional partialdiff bullet divide notequal equivalence approxequal ellipsis carriagereturn aleph".split(" "),
  ..."Ifraktur Rfraktur weierstrass circlemultiply circleplus emptyset intersection union propersuperset".split(" "),
  ..."reflexsuperset notsubset propersubset reflexsubset element notelement angle gradient product radical".split(" "),
  ..."dotmath logicalnot logicaland logicalor lozenge summation apple integral integraltp integralex".split(" "),
  ..."integralbt arrowvertex arrowhorizex braceex .notdef".split(" "),
  ...["", "dbl"].flatMap((kind) => ["both", "left", "up", "right", "down"].map((way) => `arrow${kind}${way}`)),
  ...["register", "copyright", "trademark"].flatMap((sign) => [`${sign}serif`, `${sign}sans`]),
  ...SIDES.flatMap((side) => ["paren", "bracket", "brace", "angle"].map((sign) => `${sign}${side}`)),
  ...SIDES.flatMap((side) => ["tp", "ex", "bt"].flatMap((part) => [`paren${side}${part}`, `bracket${side}${part}`])),
  ...SIDES.flatMap((side) => ["tp", "mid", "bt"].map((part) => `brace${side}${part}`)),
]);

/** Whether one of the two fonts has a character of that name. */
export const isAmong = (known: Known, name: string): boolean =>
  known === "Symbol" ? inSymbol.has(name) : OF_DINGBATS.test(name);

interface Symbols {
  /** The font that all readers have for it; null where there is none. */
  known: Known | null;
  /** Whether the file says so in the way in which all readers understand it. */
  isSaidSo: boolean;
}

/** Undefined for a font that is none of symbols, or that the file brings along. */
export const borrowedSymbols = (font: PDFDict, file: PdfFile): Symbols | undefined => {
  const descriptor = file.dictEntry(font, "FontDescriptor");
  const kind = file.nameEntry(font, "Subtype");
  if (!SIMPLE.includes(kind) || (descriptor && programEntry(descriptor, file) !== undefined)) return undefined;
  const name = file.nameEntry(font, "BaseFont") ?? "";
  const further = file.nameEntry(descriptor, "FontName") ?? name;
  const names = [name, further].map((one) => one.replaceAll(" ", "").replace(/^[A-Z]{6}\+/, ""));
  if (!names.some((one) => OF_SYMBOLS.test(one))) return undefined;
  const [known = null, other = null] = names.map((one) => CALLED.find(([called]) => called.test(one))?.[1]);
  if (known === null || other !== known) return { known: null, isSaidSo: false };
  const isOfSymbolsAlone = descriptor === undefined || isOfSymbols(descriptor, file);
  return { known, isSaidSo: kind === "Type1" && name === known && further === known && isOfSymbolsAlone };
};

/** What stands for an entry of such a font, so that all readers know it: the others of it change as well. */
export const settledSymbols = (
  entry: "Subtype" | "BaseFont" | "FontDescriptor",
  value: PDFObject,
  font: PDFDict,
  file: PdfFile,
): Otherwise | null => {
  const symbols = borrowedSymbols(font, file);
  if (symbols === undefined || symbols.known === null || symbols.isSaidSo) return null;
  const kind = "shown_otherwise";
  if (entry === "FontDescriptor") return { kind };
  const instead = entry === "Subtype" ? TYPE1 : PDFName.of(symbols.known);
  return value === instead ? null : { kind, instead };
};

import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, PDFName, PDFNumber, type PDFObject } from "pdf-lib";
import { Setting } from "./begun-with.ts";

/** What a graphics state does to how what is drawn and what lies under it become one (ISO 32000-2, 11.6.4 and 11.6.5). */
export interface StateEffect {
  /** Whether it has what is drawn seen through by an opacity; undefined where it leaves that. */
  isClear: boolean | undefined;
  /** Opacities of areas and lines; undefined where it leaves these. */
  opacities: readonly [areas: number | undefined, lines: number | undefined];
  /** Whether it has colors mixed in another way than one covering the other; undefined where it leaves that. */
  isBlended: boolean | undefined;
  /** By which mode it does so; undefined where it leaves that. */
  mode: string | undefined;
  /** Whether it sets a soft mask, or ends one; undefined where it leaves that. */
  isMasked: boolean | undefined;
  /** How wide lines are, and what they are to end in; undefined where it leaves these. */
  width: number | undefined;
  cap: number | undefined;
  /** How long the longest dash or gap of lines is, and whether dashes have no length; undefined where it leaves these. */
  dashes: { largest: number; hasDots: boolean } | undefined;
  /** Bits of what else it sets of lines. */
  settings: number;
}

const [BM, SMASK] = names("BM", "SMask");
const LINES = Object.entries({
  LW: Setting.width,
  D: Setting.dashes,
  LC: Setting.ends,
  LJ: Setting.corners,
  ML: Setting.miter,
}).map(([name, bit]) => [PDFName.of(name), bit] as const);
const PLAIN_MODES: readonly (PDFObject | undefined)[] = ["Normal", "Compatible"].map((name) => PDFName.of(name));

/** Content may set one state a million times. */
const known = new WeakMap<PDFDict, StateEffect>();

export const effectOf = (state: PDFDict, file: PdfFile): StateEffect => {
  const effect = known.get(state) ?? effectIn(state, file);
  known.set(state, effect);
  return effect;
};

const effectIn = (state: PDFDict, file: PdfFile): StateEffect => ({
  isClear: isClear(state, file),
  opacities: [file.numberEntry(state, "ca"), file.numberEntry(state, "CA")],
  isBlended: state.has(BM) ? !PLAIN_MODES.includes(file.resolve(state.get(BM))) : undefined,
  mode: state.has(BM) ? (file.nameEntry(state, "BM") ?? "") : undefined,
  isMasked: state.has(SMASK) ? file.resolve(state.get(SMASK)) instanceof PDFDict : undefined,
  width: file.numberEntry(state, "LW"),
  cap: file.numberEntry(state, "LC"),
  dashes: dashesIn(file.arrayEntry(state, "D")?.get(0)),
  settings: LINES.reduce((bits, [name, bit]) => (state.has(name) ? bits | bit : bits), 0),
});

const dashesIn = (list: PDFObject | undefined): StateEffect["dashes"] => {
  if (!(list instanceof PDFArray)) return undefined;
  const lengths = list.asArray().map((length) => (length instanceof PDFNumber ? length.asNumber() : 0));
  const largest = lengths.reduce((before, length) => Math.max(before, length), 0);
  return { largest, hasDots: largest > 0 && lengths.includes(0) };
};

const isClear = (state: PDFDict, file: PdfFile): boolean | undefined => {
  const given = ["ca", "CA"].map((name) => file.numberEntry(state, name));
  if (given.some((opacity) => opacity !== undefined && opacity < 1)) return true;
  return given.includes(undefined) ? undefined : false;
};

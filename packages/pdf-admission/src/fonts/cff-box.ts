import { unlessDamaged } from "@rubrica/pdf-reading/faults";
import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, type PDFObject, PDFRef } from "pdf-lib";
import { boxPlaces } from "./cff.ts";
import { UNIT } from "./font-matrix.ts";
import type { NamedGlyphs } from "./named-glyphs.ts";
import { dataOf, programOf } from "./programs.ts";

/** Programs of CFF that say a box smaller than their glyphs, as some honest ones do: it is left out, and fonts say one that holds these. */

const [PROGRAM, BOX] = names("FontFile3", "FontBBox");
/** A number of one byte, and what longer ones begin and end with, between which zeros stand. */
const [ZERO, LONG, LAST] = [139, 30, 0x0f];

/** Boxes for fonts and programs without theirs, by the numbers of these programs. */
export interface MendedBoxes {
  programs: ReadonlyMap<number, Uint8Array>;
  boxes: ReadonlyMap<number, readonly number[]>;
}

export const mendedBoxes = (file: PdfFile): MendedBoxes => {
  const programs = new Map<number, Uint8Array>();
  const boxes = new Map<number, readonly number[]>();
  for (const ref of file.references()) {
    const descriptor = unlessDamaged(() => file.uncached(ref.objectNumber)?.object);
    const given = descriptor instanceof PDFDict ? descriptor.get(PROGRAM) : undefined;
    if (!(given instanceof PDFRef) || programs.has(given.objectNumber)) continue;
    const program = programOf(given, file);
    const data = program?.kind === "compact" && program.glyphs?.isBeyondBox ? dataOf(given, file) : undefined;
    if (data === undefined) continue;
    programs.set(given.objectNumber, withoutBox(data));
    boxes.set(given.objectNumber, roundedBox(program?.glyphs ?? {}));
  }
  return { programs, boxes };
};

/** Has a font's descriptor say the box that its program does not say any more. */
export const setBox = (object: PDFObject, { boxes }: MendedBoxes): void => {
  const given = object instanceof PDFDict ? object.get(PROGRAM) : undefined;
  const box = given instanceof PDFRef ? boxes.get(given.objectNumber) : undefined;
  if (box !== undefined && object instanceof PDFDict) object.set(BOX, object.context.obj([...box]));
};

/** In units of the program, for which pdf.js takes what a font says. */
const roundedBox = ({ reach = [], unit = UNIT }: Pick<NamedGlyphs, "reach" | "unit">): number[] =>
  reach.map((side, index) => (index < 2 ? Math.floor(side / unit) : Math.ceil(side / unit)));

/** Nothing in it moves: zeros take as many bytes as the numbers did. */
const withoutBox = (data: Uint8Array): Uint8Array => {
  const without = Uint8Array.from(data);
  for (const { at, length } of boxPlaces(data)) {
    without.fill(0, at, at + length);
    without[at] = length === 1 ? ZERO : LONG;
    if (length > 1) without[at + length - 1] = LAST;
  }
  return without;
};

import { createHash } from "node:crypto";
import { HintedDrawing } from "@rubrica/pdf-drawing/placing/hinted-glyphs";
import { TooComplex } from "@rubrica/pdf-reading/faults";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, type PDFObject, PDFRef } from "pdf-lib";
import { dataOf, PROGRAMS, programOf } from "./programs.ts";
import { allTables, isCollection, placesIn } from "./sfnt.ts";

/**
 * Programs for hinting (ISO/IEC 14496-22, "Instructing TrueType"): they fit outlines to dots, and can as well move, exchange
 * and hide glyphs, for the readers that run them.
 */

/** Tables that hints are in beside glyphs: routines, what is run before, and numbers. */
const HINTS = ["fpgm", "prep", "cvt "];
/** The program that is run before: no glyph's own one is (INSTCTRL of 1 and 1). */
const RUNS_NONE = Buffer.of(0xb1, 1, 1, 0x8e);
const [HEAD_BYTES, ENTRY_BYTES, OF_TRUETYPE] = [12, 16, 0x10000];
const GLYPH_HEAD_BYTES = 10;
/** Bits of a part: its place is in words, its scale is one number, another part follows, it is two numbers, four, hints follow. */
const [IN_WORDS, SCALED, GOES_ON, SCALED_TWICE, TURNED, HAS_HINTS] = [1, 8, 0x20, 0x40, 0x80, 0x100];
const NOTHING = Buffer.of();
/** Glyphs that hints were seen to move no farther than to dots, by their bytes: fonts of many files have the same ones. */
const fitted = new Set<string>();
const MOST_FITTED = 50_000;

/** The programs that an object, as a font's descriptor, names, and that may be of TrueType. */
export const programsOf = (object: PDFObject | undefined): PDFRef[] =>
  object instanceof PDFDict
    ? PROGRAMS.map((entry) => object.get(entry)).filter((given): given is PDFRef => given instanceof PDFRef)
    : [];

/** Programs by their numbers whose hints move outlines elsewhere, without hints. Throws `TooComplex`. */
export const unhintedPrograms = async (
  file: PdfFile,
  programs: readonly PDFRef[],
): Promise<Map<number, Uint8Array>> => {
  const drawing = new HintedDrawing();
  const unhinted = new Map<number, Uint8Array>();
  for (const given of new Set(programs)) {
    const data = programOf(given, file)?.kind === "trueType" ? dataOf(given, file) : undefined;
    const plain = data && (await movedBy(data, drawing));
    if (plain) unhinted.set(given.objectNumber, plain);
  }
  return unhinted;
};

/** A program without its hints, where these move outlines elsewhere. */
const movedBy = async (data: Uint8Array, drawing: HintedDrawing): Promise<Uint8Array | undefined> => {
  const tables = allTables(data);
  const hinted = hintedGlyphs(tables).filter(({ key }) => !fitted.has(key));
  if (hinted.length === 0) return undefined;
  const plain = withoutHints(tables);
  const programs = [isCollection(data) ? sfntOf(tables) : data, plain] as const;
  const differ = await drawing.differ(
    programs,
    hinted.map(({ glyph }) => glyph),
  );
  if (differ === undefined) throw new TooComplex("the glyphs of its fonts take too long to draw");
  if (differ) return plain;
  for (const { key } of hinted) {
    if (fitted.size >= MOST_FITTED) fitted.clear();
    fitted.add(key);
  }
  return undefined;
};

/** The glyphs that have hints, of their own or in parts, each with what tells it and all that its hints go by from others. */
const hintedGlyphs = (tables: ReadonlyMap<string, Uint8Array>): { glyph: number; key: string }[] => {
  const [glyf, hmtx, hhea] = ["glyf", "hmtx", "hhea"].map((name) => Buffer.from(tables.get(name) ?? NOTHING)) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  const [places, wide] = [placesIn(tables), hhea.readUInt16BE(34)];
  const common = createHash("sha1");
  for (const name of [...HINTS, "maxp", "head", "vhea", "vmtx"])
    common.update(`${name}\n`).update(tables.get(name) ?? NOTHING);
  const all = common.digest();
  return places.slice(0, -1).flatMap((_, glyph) => {
    const parts = partsOf(glyph, (part) => glyf.subarray(places[part], places[part + 1]));
    if (!parts.some(({ hints }) => hints)) return [];
    const key = createHash("sha1").update(all);
    // Hints move points also by where a letter begins and the next one does.
    for (const part of parts) key.update(`${part.data.length} ${sidesOf(part.glyph, wide, hmtx)} `).update(part.data);
    return { glyph, key: key.digest("base64") };
  });
};

/** What a list of widths, of so many glyphs that have one of their own, says of a glyph, in hexadecimal digits. */
const sidesOf = (glyph: number, wide: number, hmtx: Buffer): string => {
  if (glyph < wide) return hmtx.toString("hex", glyph * 4, glyph * 4 + 4);
  const side = wide * 4 + (glyph - wide) * 2;
  return hmtx.toString("hex", wide * 4 - 4, wide * 4 - 2) + hmtx.toString("hex", side, side + 2);
};

interface Part {
  glyph: number;
  data: Buffer;
  hints: boolean;
}

/** A glyph's data, and those of all that it is made of, each with whether it has hints. */
const partsOf = (glyph: number, dataIn: (glyph: number) => Buffer): Part[] => {
  const data = dataIn(glyph);
  if (data.length < GLYPH_HEAD_BYTES) return [];
  const outlines = data.readInt16BE(0);
  if (outlines === 0) return [];
  const end = GLYPH_HEAD_BYTES + outlines * 2;
  if (outlines > 0) return [{ glyph, data, hints: end + 2 <= data.length && data.readUInt16BE(end) > 0 }];
  const own = { glyph, data, hints: false };
  const parts: Part[] = [];
  for (let [at, flags] = [GLYPH_HEAD_BYTES, GOES_ON]; (flags & GOES_ON) !== 0; ) {
    flags = data.readUInt16BE(at);
    own.hints ||= (flags & HAS_HINTS) !== 0;
    parts.push(...partsOf(data.readUInt16BE(at + 2), dataIn));
    at += 4 + (flags & IN_WORDS ? 4 : 2) + (flags & SCALED ? 2 : flags & SCALED_TWICE ? 4 : flags & TURNED ? 8 : 0);
  }
  return [own, ...parts];
};

const withoutHints = (tables: ReadonlyMap<string, Uint8Array>): Uint8Array => {
  const plain = new Map(tables);
  for (const name of HINTS) plain.delete(name);
  return sfntOf(plain.set("prep", RUNS_NONE));
};

/** A program of tables, in the order that their names have to have. */
const sfntOf = (tables: ReadonlyMap<string, Uint8Array>): Uint8Array => {
  const sorted = [...tables].sort(([one], [other]) => (one < other ? -1 : 1));
  const directory = Buffer.alloc(HEAD_BYTES + sorted.length * ENTRY_BYTES);
  const power = 2 ** Math.floor(Math.log2(sorted.length));
  directory.writeUInt32BE(OF_TRUETYPE, 0);
  for (const [index, value] of [sorted.length, power * 16, Math.log2(power), (sorted.length - power) * 16].entries())
    directory.writeUInt16BE(value, 4 + index * 2);
  const parts: Uint8Array[] = [directory];
  let at = directory.length;
  for (const [index, [name, table]] of sorted.entries()) {
    const padded = Buffer.alloc(Math.ceil(table.length / 4) * 4);
    padded.set(table);
    const entry = HEAD_BYTES + index * ENTRY_BYTES;
    directory.write(name, entry, "latin1");
    for (const [place, value] of [sumOf(padded), at, table.length].entries())
      directory.writeUInt32BE(value, entry + 4 + place * 4);
    parts.push(padded);
    at += padded.length;
  }
  return Buffer.concat(parts);
};

const sumOf = (padded: Buffer): number => {
  let sum = 0;
  for (let at = 0; at < padded.length; at += 4) sum = (sum + padded.readUInt32BE(at)) >>> 0;
  return sum;
};

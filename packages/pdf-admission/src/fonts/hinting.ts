import { createHash } from "node:crypto";
import { HintedDrawing } from "@rubrica/pdf-drawing/placing/hinted-glyphs";
import { TooComplex } from "@rubrica/pdf-reading/faults";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, type PDFObject, PDFRef } from "pdf-lib";
import { isHintedForAll } from "./always-hinted.ts";
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
/** Bits of a part: its place is in words, is put on whole dots, its scale is one number, another part follows, it is two numbers, four, hints follow. */
const [IN_WORDS, ROUNDED, SCALED, GOES_ON, SCALED_TWICE, TURNED, HAS_HINTS] = [1, 4, 8, 0x20, 0x40, 0x80, 0x100];
const OF_PARTS = -1;
const NOTHING = Buffer.of();
/** Glyphs that hints were seen to move no farther than to dots, by their bytes: fonts of many files have the same ones. */
const fitted = new Set<string>();
const MOST_FITTED = 50_000;

/** The programs that an object names, be it a font's descriptor or have one within it, and that may be of TrueType. */
export const programsOf = (object: PDFObject | undefined): PDFRef[] => {
  const found: PDFRef[] = [];
  const left = [object];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next instanceof PDFArray) left.push(...next.asArray().filter(isHolder));
    if (!(next instanceof PDFDict)) continue;
    for (const entry of PROGRAMS) {
      const given = next.get(entry);
      if (given instanceof PDFRef) found.push(given);
    }
    left.push(...next.values().filter(isHolder));
  }
  return found;
};

const isHolder = (value: PDFObject): boolean => value instanceof PDFDict || value instanceof PDFArray;

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
  if (isWithoutHints(tables)) return undefined;
  const all = hintedGlyphs(tables);
  const hinted = all.filter(({ key }) => !fitted.has(key));
  const plain = withoutHints(tables);
  if (all.length > 0 && isHintedForAll(tables)) return plain;
  if (hinted.length === 0) return undefined;
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
  for (const name of [...HINTS, "maxp", "head", "hhea", "vhea", "vmtx", "OS/2"])
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
  if (outlines > 0) {
    const end = GLYPH_HEAD_BYTES + outlines * 2;
    return [{ glyph, data, hints: end + 2 <= data.length && data.readUInt16BE(end) > 0 }];
  }
  if (outlines !== OF_PARTS) return [];
  const heads = partHeads(data);
  const parts = heads.flatMap(({ part }) => partsOf(part, dataIn));
  // Each step down moves what is put on whole dots a bit farther.
  const isNested = parts.length > heads.length;
  const bits = heads.reduce((all, { flags }) => all | flags, 0);
  return [{ glyph, data, hints: (bits & HAS_HINTS) !== 0 || (isNested && (bits & ROUNDED) !== 0) }, ...parts];
};

/** Of a glyph that is made of others: where each of them is named, with its bits and its number. */
const partHeads = (data: Buffer): { at: number; flags: number; part: number }[] => {
  const heads: ReturnType<typeof partHeads> = [];
  for (let [at, flags] = [GLYPH_HEAD_BYTES, GOES_ON]; (flags & GOES_ON) !== 0 && at + 4 <= data.length; ) {
    flags = data.readUInt16BE(at);
    heads.push({ at, flags, part: data.readUInt16BE(at + 2) });
    at += 4 + (flags & IN_WORDS ? 4 : 2) + (flags & SCALED ? 2 : flags & SCALED_TWICE ? 4 : flags & TURNED ? 8 : 0);
  }
  return heads;
};

/** Whether a program is one that hints were taken out of. */
const isWithoutHints = (tables: ReadonlyMap<string, Uint8Array>): boolean =>
  HINTS.every((name) => (name === "prep" ? RUNS_NONE.equals(tables.get(name) ?? NOTHING) : !tables.has(name)));

const withoutHints = (tables: ReadonlyMap<string, Uint8Array>): Uint8Array => {
  const plain = new Map(tables);
  for (const name of HINTS) plain.delete(name);
  return sfntOf(plain.set("prep", RUNS_NONE).set("glyf", withPartsInPlace(tables)));
};

/** Outlines of which no part is put on whole dots. */
const withPartsInPlace = (tables: ReadonlyMap<string, Uint8Array>): Uint8Array => {
  const glyf = Buffer.from(tables.get("glyf") ?? NOTHING);
  const places = placesIn(tables);
  for (const [glyph, place] of places.slice(0, -1).entries()) {
    const data = glyf.subarray(place, places[glyph + 1]);
    if (data.length < GLYPH_HEAD_BYTES || data.readInt16BE(0) !== OF_PARTS) continue;
    for (const { at, flags } of partHeads(data)) data.writeUInt16BE(flags & ~ROUNDED, at);
  }
  return glyf;
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

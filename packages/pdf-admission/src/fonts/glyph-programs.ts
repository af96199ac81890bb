import { standardName } from "./named-glyphs.ts";
import { MOST_POINTS, type OutlinePen } from "./outline-pen.ts";
import { around, moved, type Sides } from "./sides.ts";

/** What glyphs of CFF and of Type 1 have in common: each is a program, which may call routines. */

/** Codes of the standard encoding of two glyphs that are drawn in the place of one. */
export interface Accented {
  base: number;
  accent: number;
  /** Where the accent's own beginning stands. */
  x: number;
  y: number;
}

/** How a glyph ends; null: not all readers draw the same. */
export type GlyphEnd = "drawn" | Accented | null;

/** What follows a part of a glyph: its end, what called it, or nothing that all readers agree on. */
export type Next = "end" | "return" | "doubtful";

/** A glyph as it was gone through. */
export interface GoneThrough {
  end: GlyphEnd;
  pen: OutlinePen;
}

/** Whether each glyph is drawn by itself, or by two others that are, and of no more points than readers draw, these together. */
export const areAllDrawn = (
  glyphs: Iterable<GoneThrough>,
  glyphOf: (name: string) => GoneThrough | undefined,
): boolean => {
  const partOf = (code: number) => glyphOf(standardName(code) ?? "");
  return [...glyphs].every(({ end, pen }) => {
    const parts = end === null || end === "drawn" ? [] : [partOf(end.base), partOf(end.accent)];
    const points = parts.reduce((sum, part) => sum + (part?.pen.points ?? 0), pen.points);
    return end !== null && points <= MOST_POINTS && parts.every((part) => part?.end === "drawn");
  });
};

/** How far glyphs reach that are all drawn; undefined where nothing is. */
export const reachOf = (
  glyphs: Iterable<GoneThrough>,
  glyphOf: (name: string) => GoneThrough | undefined,
): Sides | undefined => {
  const sidesOf = (code: number) => glyphOf(standardName(code) ?? "")?.pen.sides;
  const all = [...glyphs].flatMap(({ end, pen }) => {
    const isWhole = end === null || end === "drawn";
    const accent = isWhole ? undefined : sidesOf(end.accent);
    return isWhole ? [pen.sides] : [sidesOf(end.base), accent && moved(accent, [1, 0, 0, 1, end.x, end.y])];
  });
  return around(all.filter((sides) => sides !== undefined));
};

/** How many bytes a program's glyphs may take with their routines, as often as these are called. */
export class Steps {
  #left: number;
  /** @param length of the program: honest ones take some four times as many */
  constructor(length: number) {
    this.#left = 16_384 + length * 32;
  }

  /** False where there are none left. */
  take(): boolean {
    this.#left -= 1;
    return this.#left >= 0;
  }
}

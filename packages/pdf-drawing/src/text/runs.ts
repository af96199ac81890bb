import { atFirstUse } from "@rubrica/runtime";
import { type FontKey, fontFor, fontOf, glyphOf, type Weight } from "./fonts.ts";
import { graphemesOf } from "./graphemes.ts";
import { type Cluster, needsShaping, shaper } from "./shaping.ts";

/** Stands for what no font has. */
const MISSING_SIGN = "\uFFFD";

/** Text in the order of its glyphs, from left to right, in a font that has them. */
export interface Run {
  font: FontKey;
  text: string;
  /** Where the text was shaped; without them each character stands as its one glyph. */
  clusters?: readonly Cluster[];
}

/** What most texts, which are of Latin letters, need not: classes of all of Unicode's characters. */
const classes = atFirstUse(() => ({
  /** Joiners, variation selectors and marks of direction draw nothing of their own. */
  invisible: /[\p{Cc}\p{Cf}\p{Variation_Selector}]/gu,
  /** Of these, joiners say how letters beside them look. */
  invisibleButJoiners: /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Variation_Selector}]/gu,
  /**
   * More marks than any language puts on one letter; piled up, they would cover what stands above or below it. Letters
   * that others are put below, and the vowels around them, count as marks in some scripts.
   */
  surplusMarks: /(?<=\p{M}{4})(?![\p{Script=Myanmar}\p{Script=Khmer}\p{Script=Tibetan}])\p{M}|(?<=\p{M}{8})\p{M}/gu,
}));

/**
 * Parts text into runs by the fonts that have its glyphs, in the order in which they are seen. White space becomes
 * single spaces; control characters, which could hide or turn round what a name says, are left out; what no font has
 * becomes one sign a character, as it is perceived.
 *
 * `prepareShaping` must have been awaited for the text.
 */
export const runsOf = (text: string, weight: Weight): Run[] => {
  const normal = text.normalize("NFC");
  const spaced = withSingleSpaces(normal);
  // It has no mark, and nothing that is invisible.
  if (isOfFace(spaced, weight)) return [{ font: weight, text: spaced }];
  const { surplusMarks, invisible, invisibleButJoiners } = classes();
  const clean = withSingleSpaces(normal.replace(surplusMarks, ""));
  if (!needsShaping(clean)) return joined(signsOf(clean, weight, invisible));
  const signs = signsOf(clean, weight, invisibleButJoiners);
  const levels = shaper().levels(signs.map((sign) => sign.text).join(""));
  let index = 0;
  for (const sign of signs) {
    sign.level = levels[index] ?? 0;
    index += sign.text.length;
  }
  return asSeen(joined(signs)).map(({ font, text: part, level }) => ({
    font,
    text: part,
    clusters: shaper().clusters(part, font, level % 2 === 1 ? "rtl" : "ltr"),
  }));
};

const withSingleSpaces = (text: string): string => text.replace(/\s+/gu, " ").trim();

/** Latin letters, digits and signs, which stand one by one in the faces that have them. */
const latin = /^[\u0020-\u007E\u00A1-\u00AC\u00AE-\u024F]+$/;

/** Whether a text, as most are, is of Latin letters that its face has: nothing of it has to be looked at in parts. */
const isOfFace = (text: string, weight: Weight): boolean =>
  latin.test(text) && [...text].every((character) => glyphOf(fontOf(weight), character.codePointAt(0) ?? 0).id !== 0);

/** Text of one font, and of one embedding level (UAX #9). */
interface Levelled {
  font: FontKey;
  text: string;
  level: number;
}

/** The characters of a text, as they are perceived. */
const signsOf = (text: string, weight: Weight, leftOut: RegExp): Levelled[] => {
  const signs: Levelled[] = [];
  for (const grapheme of graphemesOf(text)) {
    const visible = grapheme.replace(classes().invisible, "");
    if (visible === "") continue;
    const font = fontFor(visible, weight);
    const shown = font === undefined ? MISSING_SIGN : grapheme.replace(leftOut, "");
    signs.push({ font: font ?? weight, text: shown, level: 0 });
  }
  return signs;
};

const joined = (signs: readonly Levelled[]): Levelled[] => {
  const runs: Levelled[] = [];
  for (const sign of signs) {
    const last = runs.at(-1);
    if (last?.font === sign.font && last.level === sign.level) last.text += sign.text;
    else runs.push({ ...sign });
  }
  return runs;
};

/** Runs from left to right: from the highest level on, what is at a level or above is turned round (UAX #9, L2). */
const asSeen = (runs: readonly Levelled[]): Levelled[] => {
  const seen = [...runs];
  for (let level = Math.max(0, ...runs.map((run) => run.level)); level > 0; level -= 1) {
    for (let start = 0; start < seen.length; start += 1) {
      let end = start;
      while ((seen[end]?.level ?? -1) >= level) end += 1;
      if (end > start) seen.splice(start, end - start, ...seen.slice(start, end).reverse());
      start = Math.max(start, end);
    }
  }
  return seen;
};

/** Width in points of runs set at a size. */
export const widthOfRuns = (runs: readonly Run[], size: number): number =>
  runs.reduce((width, run) => width + (unitsOf(run) / fontOf(run.font).unitsPerEm) * size, 0);

const unitsOf = ({ font: key, text, clusters }: Run): number => {
  let units = 0;
  if (clusters !== undefined) {
    for (const { glyphs } of clusters) for (const { advance } of glyphs) units += advance;
    return units;
  }
  const font = fontOf(key);
  for (const character of text) units += glyphOf(font, character.codePointAt(0) ?? 0).advanceWidth;
  return units;
};

/** How far runs set at a size reach below their baseline, in points, as far as they were shaped; 0 for others. */
export const depthOfRuns = (runs: readonly Run[], size: number): number => {
  const depths = runs.flatMap(({ font: key, clusters = [] }) => {
    const font = fontOf(key);
    const glyphs = clusters.flatMap((cluster) => cluster.glyphs);
    return glyphs.map(({ id, y }) => (-((font.getGlyph(id)?.bbox.minY ?? 0) + y) / font.unitsPerEm) * size);
  });
  return Math.max(0, ...depths);
};

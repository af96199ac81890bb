import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as fontkit from "@cantoo/fontkit";
import { CustomFontSubsetEmbedder, type PDFContext, type PDFRef } from "pdf-lib";

const require = createRequire(import.meta.url);

/** The fonts, in the order in which they are asked for a glyph. */
const files = {
  regular: "@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf",
  bold: "@expo-google-fonts/noto-sans/600SemiBold/NotoSans_600SemiBold.ttf",
  monospaced: "@expo-google-fonts/noto-sans-mono/400Regular/NotoSansMono_400Regular.ttf",
  chineseAndJapanese: "@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf",
  korean: "@expo-google-fonts/noto-sans-kr/400Regular/NotoSansKR_400Regular.ttf",
};

type FontKey = keyof typeof files;

/** Stands for what no font has, emoji among them. */
const MISSING_SIGN = "\uFFFD";

type Font = Extract<ReturnType<typeof fontkit.create>, { hasGlyphForCodePoint: unknown }>;

/** Faces of text. */
export type Weight = "regular" | "bold" | "monospaced";

/** Text in the order of its glyphs, each run in a font that has them. */
export interface Run {
  font: FontKey;
  text: string;
}

const loaded = new Map<FontKey, Font>();

function load(key: FontKey): Font {
  const known = loaded.get(key);
  if (known !== undefined) return known;
  const font = fontkit.create(readFileSync(require.resolve(files[key])));
  if (font === null || !("hasGlyphForCodePoint" in font)) throw new Error(`${files[key]} is not one font`);
  loaded.set(key, font);
  return font;
}

interface Glyph {
  /** 0 when the font has none. */
  id: number;
  /** In the font's units. */
  advanceWidth: number;
}

const glyphs = new WeakMap<Font, Map<number, Glyph>>();

/** A character's glyph. Remembered, since fontkit goes through the font's tables for it each time. */
function glyphOf(font: Font, codePoint: number): Glyph {
  const known = glyphs.get(font) ?? new Map<number, Glyph>();
  glyphs.set(font, known);
  const found = known.get(codePoint);
  if (found !== undefined) return found;
  const { id, advanceWidth } = font.glyphForCodePoint(codePoint) ?? { id: 0, advanceWidth: 0 };
  const glyph = { id, advanceWidth };
  known.set(codePoint, glyph);
  return glyph;
}

/**
 * A font that sets each character as its one glyph. Fontkit's own layout composes and joins glyphs, and
 * keeps in the font which text a glyph was first used for: what is copied out of a file would be what
 * another one says. It also takes 60 ms to read a font's rules.
 */
function plain(font: Font): Font {
  const layout = (text: string) => ({
    glyphs: Array.from(text, (character) => {
      const codePoint = character.codePointAt(0) ?? 0;
      return { ...glyphOf(font, codePoint), codePoints: [codePoint] };
    }),
  });
  return Object.create(font, { layout: { value: layout } });
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Joiners, variation selectors and marks of direction draw nothing of their own. */
const invisible = /[\p{Cc}\p{Cf}\p{Variation_Selector}]/gu;

/**
 * Parts text into runs by the fonts that have its glyphs. White space becomes single spaces; control
 * characters, which could hide or turn round what a name says, are left out; what no font has
 * becomes one sign a character, as it is perceived.
 */
export function runsOf(text: string, weight: Weight): Run[] {
  const runs: Run[] = [];
  for (const { segment } of graphemes.segment(text.normalize("NFC").replace(/\s+/gu, " ").trim())) {
    const visible = segment.replace(invisible, "");
    if (visible === "") continue;
    const found = fontFor(visible, weight);
    const run: Run = found === undefined ? { font: weight, text: MISSING_SIGN } : { font: found, text: visible };
    const last = runs.at(-1);
    if (last?.font === run.font) last.text += run.text;
    else runs.push(run);
  }
  return runs;
}

function fontFor(grapheme: string, weight: Weight): FontKey | undefined {
  // An emoji's base may be in a text font; with its selector or modifiers it is another sign.
  if (/\p{Emoji_Presentation}/u.test(grapheme)) return undefined;
  const order: readonly FontKey[] = [weight, "chineseAndJapanese", "korean"];
  return order.find((key) => {
    const font = load(key);
    return [...grapheme].every((character) => glyphOf(font, character.codePointAt(0) ?? 0).id !== 0);
  });
}

/** Width in points of runs set at a size. */
export function widthOfRuns(runs: readonly Run[], size: number): number {
  let width = 0;
  for (const { font: key, text } of runs) {
    const font = load(key);
    let units = 0;
    for (const character of text) units += glyphOf(font, character.codePointAt(0) ?? 0).advanceWidth;
    width += (units / font.unitsPerEm) * size;
  }
  return width;
}

/** The glyphs that one revision of a file uses, embedded as subsets of their fonts. */
export class FontSubsets {
  readonly #embedders = new Map<FontKey, CustomFontSubsetEmbedder>();
  readonly #tag: string;

  /** `tag`: six capital letters that tell these subsets from others of the same fonts (ISO 32000-2, 9.9.2). */
  constructor(tag: string) {
    this.#tag = tag;
  }

  /** Width in points of runs set at a size. */
  async width(runs: readonly Run[], size: number): Promise<number> {
    let width = 0;
    for (const run of runs) width += (await this.#embedder(run.font)).widthOfTextAtSize(run.text, size);
    return width;
  }

  /** The operators that show runs, one after the other, at a size. Belongs into a text object. */
  async show(runs: readonly Run[], size: number): Promise<string> {
    const operators: string[] = [];
    for (const run of runs) {
      operators.push(`/${run.font} ${size} Tf ${(await this.#embedder(run.font)).encodeText(run.text)} Tj`);
    }
    return operators.join("\n");
  }

  /** Writes the subsets; the names to give them in a resource dictionary, and their references. */
  async embed(context: PDFContext): Promise<Map<string, PDFRef>> {
    const refs = new Map<string, PDFRef>();
    for (const [key, embedder] of this.#embedders) refs.set(key, await embedder.embedIntoContext(context));
    return refs;
  }

  async #embedder(key: FontKey): Promise<CustomFontSubsetEmbedder> {
    const known = this.#embedders.get(key);
    if (known !== undefined) return known;
    const font = plain(load(key));
    const name = `${this.#tag}+${font.postscriptName}`;
    const embedder = await CustomFontSubsetEmbedder.for({ create: () => font }, new Uint8Array(), name);
    this.#embedders.set(key, embedder);
    return embedder;
  }
}

import { atFirstUse } from "@rubrica/runtime";
import type { Bidi } from "bidi-js";
import { type FontKey, fontFile, scripts } from "./fonts.ts";

/**
 * Marks, emoji, and the scripts that are written from right to left, whose letters change with their neighbours, or
 * whose fonts were made to be kerned. Each other character of the fonts stands as its one glyph, from left to right.
 */
const complex = atFirstUse(
  () =>
    new RegExp(
      `(?!\\p{Variation_Selector})[\\p{M}\\p{Emoji_Presentation}${scripts.map(({ name }) => `\\p{Script_Extensions=${name}}`).join("")}]`,
      "u",
    ),
);
/** Most texts are of nothing else; none of these is complex (U+00B7 is used in Georgian), and that is seen without tables. */
const latin = /^[\0-\u00B6\u00B8-\u024F]*$/;

/** Whether a text has to be shaped, rather than be set character by character. */
export const needsShaping = (text: string): boolean => !latin.test(text) && complex().test(text);

/** A glyph at its place, in the font's units. */
export interface PlacedGlyph {
  id: number;
  /** From where the glyph would stand by itself. */
  x: number;
  y: number;
  /** From this glyph's place to the next one's. */
  advance: number;
}

/** What can't be parted of a shaped text: glyphs, and what they say together. */
export interface Cluster {
  text: string;
  glyphs: PlacedGlyph[];
}

type HarfBuzz = typeof import("harfbuzzjs");

/** Shapes text by the fonts' own rules, and orders it by the Unicode Bidirectional Algorithm (UAX #9). */
export class Shaper {
  readonly #harfBuzz: HarfBuzz;
  readonly #bidi: Bidi;
  readonly #fonts = new Map<FontKey, InstanceType<HarfBuzz["Font"]>>();

  constructor(harfBuzz: HarfBuzz, bidi: Bidi) {
    this.#harfBuzz = harfBuzz;
    this.#bidi = bidi;
  }

  /** The embedding level of each UTF-16 unit of a text in a paragraph from left to right; odd: from right to left. */
  levels(text: string): Uint8Array {
    return this.#bidi.getEmbeddingLevels(text, "ltr").levels;
  }

  /** The clusters of text of one direction and font, from left to right as they are seen. */
  clusters(text: string, key: FontKey, direction: "ltr" | "rtl"): Cluster[] {
    const { Buffer, Direction, shape } = this.#harfBuzz;
    const buffer = new Buffer();
    buffer.addText(text);
    buffer.guessSegmentProperties();
    buffer.setDirection(direction === "rtl" ? Direction.RTL : Direction.LTR);
    shape(this.#font(key), buffer);
    const positions = buffer.getGlyphPositions();
    const starts = buffer.getGlyphInfos().map(({ cluster }) => cluster);
    const ends = [...new Set(starts), text.length].sort((a, b) => a - b);
    const clusters = new Map<number, Cluster>();
    for (const [index, { codepoint: id, cluster: start }] of buffer.getGlyphInfos().entries()) {
      const { xOffset: x = 0, yOffset: y = 0, xAdvance: advance = 0 } = positions[index] ?? {};
      const end = ends.find((candidate) => candidate > start);
      const cluster = clusters.get(start) ?? { text: text.slice(start, end), glyphs: [] };
      cluster.glyphs.push({ id, x, y, advance });
      clusters.set(start, cluster);
    }
    return [...clusters.values()];
  }

  #font(key: FontKey): InstanceType<HarfBuzz["Font"]> {
    const known = this.#fonts.get(key);
    if (known !== undefined) return known;
    const { Blob, Face, Font } = this.#harfBuzz;
    const font = new Font(new Face(new Blob(fontFile(key).slice().buffer)));
    this.#fonts.set(key, font);
    return font;
  }
}

let loading: Promise<Shaper> | undefined;
let loaded: Shaper | undefined;

/**
 * Loads what it takes to shape a text, when it has to be shaped: most names don't, and start-up does not wait for it.
 * To be awaited before `runsOf` gets the text, or a part of it.
 */
export const prepareShaping = async (text: string): Promise<void> => {
  if (loaded !== undefined || !needsShaping(text.normalize("NFC"))) return;
  loading ??= Promise.all([import("harfbuzzjs"), import("bidi-js")]).then(
    // Its types are of the form for bundlers, where the factory is one `default` deeper than in Node.
    ([harfBuzz, { default: factory }]) => new Shaper(harfBuzz, (factory as unknown as () => Bidi)()),
  );
  loaded = await loading;
};

/** The shaper. @throws when `prepareShaping` was not awaited. */
export const shaper = (): Shaper => {
  if (loaded === undefined) throw new Error("a text is set that nothing was prepared for");
  return loaded;
};

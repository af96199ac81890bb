import { deflateSync } from "node:zlib";
import { CustomFontSubsetEmbedder, type PDFContext, PDFHexString, type PDFRef } from "pdf-lib";
import { type Font, type FontKey, fontOf, type Glyph, glyphOf } from "./fonts.ts";
import type { Run } from "./runs.ts";
import type { Cluster, PlacedGlyph } from "./shaping.ts";

/** The text of a glyph whose text is already given by another glyph of its cluster: a space of no width. */
const NOTHING = "\u200B";

/** A glyph, and what is to be read where it stands. */
interface ReadableGlyph extends Glyph {
  codePoints: number[];
}

interface Embedded {
  font: Font;
  embedder: CustomFontSubsetEmbedder;
  /** What the file says that a glyph is to be read as, by its id. */
  readings: Map<number, string>;
  /** Glyphs that stand for a character each. */
  characters: Map<string, ReadableGlyph>;
}

/** Takes half as long as the runtime's own choice (6), for files that are 3 % larger. */
const LEVEL = 4;

/** Has a file's streams deflated by the runtime: the library does it in JavaScript, which takes ten times as long. */
export const deflateNatively = (context: PDFContext): void => {
  context.flateStream = (contents, entries = {}) =>
    context.stream(deflateSync(contents, { level: LEVEL }), { ...entries, Filter: "FlateDecode" });
};

/** The glyphs that one revision of a file uses, embedded as subsets of their fonts. */
export class FontSubsets {
  readonly #embedded = new Map<FontKey, Embedded>();
  readonly #tag: string;

  /** `tag`: six capital letters that tell these subsets from others of the same fonts (ISO 32000-2, 9.9.2). */
  constructor(tag: string) {
    this.#tag = tag;
  }

  /** The operators that show runs, one after the other, at a size. Belongs into a text object. */
  async show(runs: readonly Run[], size: number): Promise<string> {
    const operators: string[] = [];
    for (const { font, text, clusters } of runs) {
      const embedded = await this.#embed(font);
      operators.push(`/${font} ${size} Tf`);
      if (clusters === undefined) operators.push(`${encoded(embedded, charactersOf(embedded, text))} Tj`);
      else operators.push(...clusters.map((cluster) => shownCluster(embedded, cluster, size)));
    }
    return operators.join("\n");
  }

  /** Writes the subsets; the names to give them in a resource dictionary, and their references. */
  async embed(context: PDFContext): Promise<Map<string, PDFRef>> {
    const refs = new Map<string, PDFRef>();
    deflateNatively(context);
    for (const [key, { embedder }] of this.#embedded) refs.set(key, await embedder.embedIntoContext(context));
    return refs;
  }

  async #embed(key: FontKey): Promise<Embedded> {
    const known = this.#embedded.get(key);
    if (known !== undefined) return known;
    const font = fontOf(key);
    const name = `${this.#tag}+${font.postscriptName}`;
    const embedder = await CustomFontSubsetEmbedder.for({ create: () => laidOut(font) }, new Uint8Array(), name);
    const embedded: Embedded = { font, embedder, readings: new Map(), characters: new Map() };
    this.#embedded.set(key, embedded);
    return embedded;
  }
}

/**
 * A font that sets the glyphs that it is given in place of a text. Fontkit's own layout composes and joins glyphs, and
 * keeps in the font which text a glyph was first used for: what is copied out of a file would be what another one
 * says. It also takes 60 ms to read a font's rules.
 */
const laidOut = (font: Font): Font => {
  const layout = (given: unknown) => ({ glyphs: given });
  return Object.create(font, { layout: { value: layout } });
};

const encoded = ({ embedder }: Embedded, glyphs: readonly ReadableGlyph[]): PDFHexString =>
  embedder.encodeText(glyphs as unknown as string);

const charactersOf = ({ font, readings, characters }: Embedded, text: string): ReadableGlyph[] => {
  const glyphs: ReadableGlyph[] = [];
  for (const character of text) {
    let glyph = characters.get(character);
    if (glyph === undefined) {
      const codePoint = character.codePointAt(0) ?? 0;
      glyph = { ...glyphOf(font, codePoint), codePoints: [codePoint] };
      characters.set(character, glyph);
    }
    readings.set(glyph.id, character);
    glyphs.push(glyph);
  }
  return glyphs;
};

/**
 * A cluster's glyphs at their places, and what they are read as. A glyph alone needs nothing said, as long as it reads the
 * same everywhere. Else the glyphs with an advance say what they are read as together (`ActualText`, ISO 32000-2, 14.9.4).
 * Marks on them come last and say that they are read as nothing: readers begin the next text where the glyphs before end.
 */
const shownCluster = (embedded: Embedded, { text, glyphs }: Cluster, size: number): string => {
  const { placed, end } = atPlaces(glyphs);
  const marks = placed.some(advances) ? placed.filter((glyph) => !advances(glyph)) : [];
  const bases = placed.filter((glyph) => !marks.includes(glyph));
  learnReadings(embedded, text, [...bases, ...marks]);
  const pen = new Pen(embedded, size);
  const shown = pen.show(bases);
  const isReadAlone = glyphs.length === 1 && embedded.readings.get(glyphs[0]?.id ?? 0) === text;
  return [
    isReadAlone ? shown : readAs(text, shown),
    ...(marks.length > 0 ? [readAs("", pen.show(marks))] : []),
    pen.moveTo(end),
  ].join(" ");
};

/**
 * Says of each glyph that nothing is said of yet what it is to be read as by itself, for readers that look at nothing
 * else: its own character, or, of the first that is no character's, what is left of the cluster's text.
 */
const learnReadings = ({ font, readings }: Embedded, text: string, glyphs: readonly PlacedGlyph[]): void => {
  const characters = new Map(
    Array.from(text, (character) => [glyphOf(font, character.codePointAt(0) ?? 0).id, character]),
  );
  const own = new Map(glyphs.flatMap(({ id }) => (characters.has(id) ? [[id, characters.get(id) ?? ""]] : [])));
  const left = Array.from(text).filter((character) => ![...own.values()].includes(character));
  const first = glyphs.find(({ id }) => !own.has(id));
  if (first !== undefined && left.length > 0) own.set(first.id, left.join(""));
  for (const [id, reading] of own) if (!readings.has(id)) readings.set(id, reading);
};

const advances = ({ advance }: PlacedGlyph): boolean => advance > 0;

const readAs = (text: string, shown: string): string =>
  `/Span <</ActualText ${PDFHexString.fromText(text)}>> BDC ${shown} EMC`;

/** Glyphs with their distance from the cluster's start, and where the cluster ends. */
const atPlaces = (glyphs: readonly PlacedGlyph[]): { placed: PlacedGlyph[]; end: number } => {
  let end = 0;
  const placed = glyphs.map((glyph) => {
    const place = { ...glyph, x: end + glyph.x };
    end += glyph.advance;
    return place;
  });
  return { placed, end };
};

/** Shows glyphs at distances from where it starts, in the font's units. */
class Pen {
  readonly #embedded: Embedded;
  readonly #size: number;
  #at = 0;

  constructor(embedded: Embedded, size: number) {
    this.#embedded = embedded;
    this.#size = size;
  }

  show(glyphs: readonly PlacedGlyph[]): string {
    return glyphs.map((glyph) => this.#glyph(glyph)).join(" ");
  }

  moveTo(x: number): string {
    const distance = ((this.#at - x) * 1_000) / this.#embedded.font.unitsPerEm;
    this.#at = x;
    return distance === 0 ? "" : `[${n(distance)}] TJ`;
  }

  #glyph({ id, x, y }: PlacedGlyph): string {
    const { font, readings } = this.#embedded;
    const moved = this.moveTo(x);
    const advanceWidth = font.getGlyph(id)?.advanceWidth ?? 0;
    const reading = readings.get(id) ?? NOTHING;
    const codePoints = Array.from(reading, (character) => character.codePointAt(0) ?? 0);
    this.#at += advanceWidth;
    const shown = `${moved} ${encoded(this.#embedded, [{ id, advanceWidth, codePoints }])} Tj`;
    return y === 0 ? shown : `${n((y / font.unitsPerEm) * this.#size)} Ts ${shown} 0 Ts`;
  }
}

const n = (value: number): string => String(Math.round(value * 1_000) / 1_000);

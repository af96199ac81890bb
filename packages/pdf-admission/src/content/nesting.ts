import type { Page } from "@rubrica/pdf-reading/pages";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, PDFRef } from "pdf-lib";
import { agreedCodes } from "../fonts/agreed-codes.ts";
import { isFont } from "../fonts/kinds.ts";
import { Beginnings } from "./beginnings.ts";
import type { Begun } from "./begun-with.ts";
import { ClearGlyphs } from "./clear-glyphs.ts";
import { areAmong, type Shown } from "./codes.ts";
import { Efforts } from "./efforts.ts";
import type { Reach } from "./far-paths.ts";
import { Groups, type Layered } from "./groups.ts";
import { InnerPatterns } from "./inner-patterns.ts";
import type { InLayers } from "./layer-marks.ts";
import { type NamedBy, NamedContents } from "./named-contents.ts";
import { Reaches } from "./reaches.ts";
import type { Uses } from "./used.ts";

/**
 * How contents lie within each other: forms, patterns, masks and glyphs, by the names that they use. Each reader gives up
 * at another depth (PDFium beyond forty, MuPDF beyond sixty), or draws what lies within itself once more than others do.
 */

/** Honest files have few levels. */
const MAX_DEPTH = 28;
/** PDFium draws no glyphs that are drawn by glyphs. */
const MAX_GLYPHS = 1;
interface Node extends Layered {
  isGlyph: boolean;
  /** Whether an annotation looks like it. */
  isAppearance: boolean;
  /** Of a page: where its lower left corner lies, and how turned it is; null for all else. */
  corner: string | null;
  inLayers: InLayers;
  openSaves: number;
  leavesState: boolean;
  /** Whether it is one in colors of its own. */
  isColored: boolean;
  /** Whether it is one that draws more than once. */
  isRepeated: boolean;
  uses: Uses;
  /** What it uses while that is seen through. */
  clear: ReadonlyMap<string, ReadonlySet<string>>;
  operators: number;
  reach: Reach;
  begun: Begun;
  shownCodes: ReadonlyMap<string, Shown>;
  /** Undefined where it uses those of whoever uses it. */
  resources: PDFDict | undefined;
}

interface Height {
  contents: number;
  glyphs: number;
}

const TOO_HIGH: Height = { contents: Number.POSITIVE_INFINITY, glyphs: 0 };

export class Nesting {
  readonly #file: PdfFile;
  readonly #nodes = new Map<number, Node>();
  readonly #pages: Node[] = [];
  readonly #names: NamedContents;
  readonly #namedBy: NamedBy<Pick<Node, "resources">>;
  readonly #heights = new Map<number, Height>();
  readonly #heightsOfAll = new Map<readonly number[], Height>();

  constructor(file: PdfFile) {
    this.#file = file;
    this.#names = new NamedContents(file);
    this.#namedBy = ({ resources }, category, name) => this.#names.by(resources, category, name);
  }

  /** Takes resources that contents without any may find names in. */
  addResources(resources: PDFDict): void {
    this.#names.add(resources);
  }

  /** Takes a form, a pattern or a glyph. */
  add(number: number, node: Node): void {
    this.#nodes.set(number, node);
  }

  /** Takes a page. */
  addPage(page: Node): void {
    this.#pages.push(page);
  }

  /** Whether some content lies deeper than all readers draw it, or within itself. Throws `TooComplex`. */
  isTooDeep(): boolean {
    return [...this.#nodes.keys()].some((number) => {
      const { contents, glyphs } = this.#heightOf(number, new Set());
      return contents > MAX_DEPTH || glyphs > MAX_GLYPHS;
    });
  }

  /** Whether some page or form draws others so often that readers take minutes; where none is too deep. */
  isTooDear(): boolean {
    return new Efforts(this.#nodes, this.#namedBy).areTooMuch(this.#pages);
  }

  /** Whether a content draws with patterns of its own, which lie where it does. */
  hasPatterns(number: number): boolean {
    return this.#nodes.get(number)?.uses.has("Pattern") === true;
  }

  /** Forms that belong to layers, or are drawn by what does, and leave a state behind where they are not ended: with their open saves. */
  leakingForms(): Map<number, number> {
    const drawn = [...this.#pages, ...this.#nodes.values()].flatMap((node) =>
      [...node.inLayers.draws].flatMap((name) => this.#namedBy(node, "XObject", name)),
    );
    const ofLayers = [...this.#nodes.keys()].filter((number) => {
      const form = this.#file.uncached(number)?.object;
      return form instanceof PDFDict && this.#file.entry(form, "OC") !== undefined;
    });
    const leaking = new Map<number, number>();
    const hidden = new Set([...drawn, ...ofLayers]);
    // What they draw is added while the set is gone through.
    for (const number of hidden) {
      const form = this.#nodes.get(number);
      if (form && (form.leavesState || form.openSaves > 0)) leaking.set(number, form.openSaves);
      for (const name of form?.uses.get("XObject")?.keys() ?? [])
        for (const inner of this.#namedBy(form as Node, "XObject", name)) hidden.add(inner);
    }
    return leaking;
  }

  groups(): Groups<Node> {
    return new Groups(this.#file, this.#nodes, this.#pages, this.#namedBy);
  }

  /** Whether readers disagree on codes that contents without resources of their own show, in a font of anyone that may use them. */
  hasDoubtfulCodes(): boolean {
    const ofOthers = new Map([...this.#nodes].filter(([, { resources }]) => resources === undefined));
    if (this.#lackFonts(ofOthers)) return true;
    return [...ofOthers.values()].some(({ shownCodes }) =>
      [...shownCodes].some(([name, shown]) => {
        return [...this.#names.everybodys()].some((resources) => {
          const font = this.#file.entry(this.#file.dictEntry(resources, "Font"), name);
          return (
            font instanceof PDFDict && !(isFont(font, this.#file) && areAmong(shown, agreedCodes(font, this.#file)))
          );
        });
      }),
    );
  }

  /** Whether somebody that draws one of these contents lacks a font that it shows text in: each reader takes one of its own. */
  #lackFonts(ofOthers: ReadonlyMap<number, Node>): boolean {
    if (ofOthers.size === 0) return false;
    return [...this.#names.everybodys()].some((resources) => {
      const fonts = this.#file.dictEntry(resources, "Font");
      const drawn = this.#file.dictEntry(resources, "XObject")?.values() ?? [];
      const shown = drawn.flatMap((given) => {
        const content = given instanceof PDFRef ? ofOthers.get(given.objectNumber) : undefined;
        return [...(content?.shownCodes.keys() ?? [])];
      });
      return shown.some((name) => !(this.#file.entry(fonts, name) instanceof PDFDict));
    });
  }

  /** Whether readers begin some form, pattern, mask or glyph with other settings of who uses it, and it draws with these. */
  isBegunOtherwise(): boolean {
    const isGroup = (number: number) => {
      const form = this.#file.uncached(number)?.object;
      return form instanceof PDFDict && this.#file.dictEntry(form, "Group") !== undefined;
    };
    return !new Beginnings(this.#nodes, this.#namedBy, isGroup).areAgreed(this.#pages);
  }

  /** Whether some slanted line leads farther than all readers draw it to; where none is too deep. */
  leadsTooFar(pages: readonly Page[]): boolean {
    return new Reaches(this.#file, this.#nodes, this.#namedBy).areTooFar(this.#pages, pages);
  }

  /** Whether a mask names something and has no resources of its own: PDFium takes those of the page, others those of who sets it. */
  hasStrayMasks(): boolean {
    return [...this.#masks()].some((number) => {
      const mask = this.#nodes.get(number);
      return mask !== undefined && mask.resources === undefined && mask.uses.size > 0;
    });
  }

  #masks(): ReadonlySet<number> {
    const named = [...this.#pages, ...this.#nodes.values()].flatMap((node) =>
      [...(node.uses.get("ExtGState")?.keys() ?? [])].flatMap((name) => this.#namedBy(node, "ExtGState", name)),
    );
    return new Set(named);
  }

  /** Whether glyphs that readers see through each in their own way are drawn so. */
  hasClearGlyphs(): boolean {
    return new ClearGlyphs(this.#file, this.#nodes, this.#namedBy).areAmong(this.#pages);
  }

  /** Whether patterns lie where readers draw them each in its own way. */
  hasInnerPatterns(): boolean {
    const patterns = this.#innerPatterns();
    const appearances = [...this.#nodes].filter(([, { isAppearance }]) => isAppearance).map(([number]) => number);
    return (
      patterns.areInPatternsOrGlyphs() ||
      patterns.areMasked() ||
      patterns.areOfSeveral(this.#pages, appearances) ||
      patterns.haveGlyphsStatedForms() ||
      patterns.areMixedWithin(this.#pages) ||
      patterns.areMixedAlone(appearances) ||
      patterns.areThroughMasks(this.#pages) ||
      patterns.areThroughThemselves(this.#pages)
    );
  }

  /** Whether a glyph is drawn through a mask that readers see each in its own colors. */
  hasColoredMasks(): boolean {
    return this.#innerPatterns().haveGlyphsColoredMasks();
  }

  #innerPatterns(): InnerPatterns<Node> {
    return new InnerPatterns(this.#file, this.#nodes, this.#namedBy);
  }

  #heightOf(number: number, above: Set<number>): Height {
    const known = this.#heights.get(number);
    if (known !== undefined) return known;
    const node = this.#nodes.get(number);
    if (node === undefined) return { contents: 1, glyphs: 0 };
    if (above.has(number) || above.size >= MAX_DEPTH) return TOO_HIGH;
    above.add(number);
    let [contents, glyphs] = [0, 0];
    for (const used of this.#usedBy(node)) {
      const height = this.#heightOfAll(used, above);
      contents = Math.max(contents, height.contents);
      glyphs = Math.max(glyphs, height.glyphs);
    }
    above.delete(number);
    const height = { contents: contents + 1, glyphs: glyphs + (node.isGlyph ? 1 : 0) };
    this.#heights.set(number, height);
    return height;
  }

  /** Once for each list, since many contents show text in a font of many glyphs. */
  #heightOfAll(numbers: readonly number[], above: Set<number>): Height {
    if (numbers.length === 1) return this.#heightOf(numbers[0] as number, above);
    const known = this.#heightsOfAll.get(numbers);
    if (known !== undefined) return known;
    let [contents, glyphs] = [0, 0];
    for (const number of numbers) {
      const height = this.#heightOf(number, above);
      contents = Math.max(contents, height.contents);
      glyphs = Math.max(glyphs, height.glyphs);
    }
    this.#heightsOfAll.set(numbers, { contents, glyphs });
    return { contents, glyphs };
  }

  *#usedBy(node: Node): Generator<readonly number[]> {
    for (const [category, names] of node.uses)
      for (const name of names.keys()) yield this.#namedBy(node, category, name);
  }
}

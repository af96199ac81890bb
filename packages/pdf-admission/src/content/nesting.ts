import { TooComplex } from "@rubrica/pdf-reading/faults";
import type { Page } from "@rubrica/pdf-reading/pages";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, PDFName, type PDFObject, PDFRef } from "pdf-lib";
import { agreedCodes } from "../fonts/agreed-codes.ts";
import { isFont } from "../fonts/kinds.ts";
import { Beginnings } from "./beginnings.ts";
import type { Begun } from "./begun-with.ts";
import { areAmong, type Shown } from "./codes.ts";
import type { Reach } from "./far-paths.ts";
import { Groups, type Layered } from "./groups.ts";
import { InnerPatterns } from "./inner-patterns.ts";
import { Reaches } from "./reaches.ts";

/**
 * How contents lie within each other: forms, patterns, masks and glyphs, by the names that they use. Each reader gives up
 * at another depth (PDFium beyond forty, MuPDF beyond sixty), or draws what lies within itself once more than others do.
 */

/** Honest files have few levels. */
const MAX_DEPTH = 28;
/** PDFium draws no glyphs that are drawn by glyphs. */
const MAX_GLYPHS = 1;
/**
 * How many operators a reader may go through for a page: the most of honest files are 320,000. Drawing a form takes as long
 * as many others; of a font's glyphs few are those with the most. pdf.js takes seconds for it.
 */
const [MAX_EFFORT, EFFORT_OF_FORM, SHARE_OF_GLYPHS] = [10_000_000, 100, 0.1];
/** So often contents without resources of their own may ask those of all others … */
const MAX_LOOKUPS = 1_000_000;
/** … and be given something that these name. */
const MAX_GIVEN = 10_000_000;

/** What a content uses of its resources: names of each category, and how often; of fonts, how many bytes of text. */
export type Uses = ReadonlyMap<string, ReadonlyMap<string, number>>;

interface Node extends Layered {
  isGlyph: boolean;
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
  readonly #resources = new Set<PDFDict>();
  readonly #heights = new Map<number, Height>();
  readonly #heightsOfAll = new Map<readonly number[], Height>();
  readonly #clearOtherwise = new Map<readonly number[], boolean>();
  readonly #efforts = new Map<number, number>();
  readonly #mosts = new Map<readonly number[], number>();
  readonly #glyphs = new Map<PDFDict, readonly number[]>();
  readonly #asked = new Map<string, readonly number[]>();
  #lookups = 0;
  #given = 0;

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /** Takes resources that contents without any may find names in. */
  addResources(resources: PDFDict): void {
    this.#resources.add(resources);
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
    const isSo = (effort: number) => effort > MAX_EFFORT;
    return (
      this.#pages.some((page) => isSo(this.#effortOf(page))) ||
      [...this.#nodes.keys()].some((one) => isSo(this.#effortAt(one)))
    );
  }

  /** Whether a content draws with patterns of its own, which lie where it does. */
  hasPatterns(number: number): boolean {
    return this.#nodes.get(number)?.uses.has("Pattern") === true;
  }

  groups(): Groups<Node> {
    const namedBy = (node: Node, category: string, name: string) => this.#usedAs(node, category, name);
    return new Groups(this.#file, this.#nodes, this.#pages, namedBy);
  }

  #effortAt(number: number): number {
    const node = this.#nodes.get(number);
    const effort = this.#efforts.get(number) ?? (node ? this.#effortOf(node) : 0);
    this.#efforts.set(number, effort);
    return effort;
  }

  #effortOf({ uses, resources, operators }: Node): number {
    let effort = operators;
    for (const [category, names] of uses)
      for (const [name, times] of names) {
        const used = this.#usedAs({ resources }, category, name);
        const most = this.#mostOf(used);
        effort +=
          times *
          (category === "Font"
            ? most * SHARE_OF_GLYPHS
            : most + (used.some((one) => this.#nodes.has(one)) ? EFFORT_OF_FORM : 0));
      }
    return effort;
  }

  /** Whether readers disagree on codes that contents without resources of their own show, in a font of anyone that may use them. */
  hasDoubtfulCodes(): boolean {
    const ofOthers = [...this.#nodes.values()].filter(({ resources }) => resources === undefined);
    return ofOthers.some(({ shownCodes }) =>
      [...shownCodes].some(([name, shown]) => {
        this.#lookUp();
        return [...this.#resources].some((resources) => {
          const font = this.#file.entry(this.#file.dictEntry(resources, "Font"), name);
          return (
            font instanceof PDFDict && !(isFont(font, this.#file) && areAmong(shown, agreedCodes(font, this.#file)))
          );
        });
      }),
    );
  }

  /** Whether readers begin some form, pattern, mask or glyph with other settings of who uses it, and it draws with these. */
  isBegunOtherwise(): boolean {
    const namedBy = (node: Node, category: string, name: string) => this.#usedAs(node, category, name);
    const isGroup = (number: number) => {
      const form = this.#file.uncached(number)?.object;
      return form instanceof PDFDict && this.#file.dictEntry(form, "Group") !== undefined;
    };
    return !new Beginnings(this.#nodes, namedBy, isGroup).areAgreed(this.#pages);
  }

  /** Whether some slanted line leads farther than all readers draw it to; where none is too deep. */
  leadsTooFar(pages: readonly Page[]): boolean {
    const namedBy = (node: Node, category: string, name: string) => this.#usedAs(node, category, name);
    return new Reaches(this.#file, this.#nodes, namedBy).areTooFar(this.#pages, pages);
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
      [...(node.uses.get("ExtGState")?.keys() ?? [])].flatMap((name) => this.#usedAs(node, "ExtGState", name)),
    );
    return new Set(named);
  }

  #lookUp(): void {
    this.#lookups += this.#resources.size;
    if (this.#lookups > MAX_LOOKUPS) throw new TooComplex("too many of its contents have no resources of their own");
  }

  /** Once for each list, since pages share fonts of many glyphs. */
  #mostOf(numbers: readonly number[]): number {
    if (numbers.length === 1) return this.#effortAt(numbers[0] as number);
    const known = this.#mosts.get(numbers) ?? numbers.reduce((most, one) => Math.max(most, this.#effortAt(one)), 0);
    this.#mosts.set(numbers, known);
    return known;
  }

  /**
   * Whether glyphs in colors of their own, or that draw more than once, are drawn as if they could be seen through: pdf.js
   * and PDFium draw them as they are, or see each of its areas by itself.
   * What a form draws that is a group is not: it is seen through as a whole.
   */
  hasClearGlyphs(): boolean {
    if (![...this.#nodes.values()].some((node) => node.isColored || node.isRepeated)) return false;
    const seen = new Set<Node>();
    const isSo = (node: Node, names: (category: string) => Iterable<string>): boolean => {
      const used = (category: string) => [...names(category)].map((name) => this.#usedAs(node, category, name));
      if (used("Font").some((glyphs) => this.#areClearOtherwise(glyphs))) return true;
      return used("XObject")
        .flat()
        .some((number) => {
          const form = this.#nodes.get(number);
          if (form === undefined || seen.has(form) || this.#isGroup(number)) return false;
          seen.add(form);
          return isSo(form, (category) => form.uses.get(category)?.keys() ?? []);
        });
    };
    return [...this.#pages, ...this.#nodes.values()].some((node) =>
      isSo(node, (category) => node.clear.get(category) ?? []),
    );
  }

  #areClearOtherwise(glyphs: readonly number[]): boolean {
    const isSo = (glyph: number) => (this.#nodes.get(glyph)?.isColored || this.#nodes.get(glyph)?.isRepeated) === true;
    const known = this.#clearOtherwise.get(glyphs) ?? glyphs.some(isSo);
    this.#clearOtherwise.set(glyphs, known);
    return known;
  }

  /** Whether patterns lie where readers draw them each in its own way. */
  hasInnerPatterns(): boolean {
    const patterns = this.#innerPatterns();
    return (
      patterns.areInPatternsOrGlyphs() ||
      patterns.areThroughMasks(this.#pages) ||
      patterns.areThroughThemselves(this.#pages)
    );
  }

  /** Whether a glyph is drawn through a mask that readers see each in its own colors. */
  hasColoredMasks(): boolean {
    return this.#innerPatterns().haveGlyphsColoredMasks();
  }

  #innerPatterns(): InnerPatterns<Node> {
    return new InnerPatterns(this.#file, this.#nodes, (node: Node, category, name) =>
      this.#usedAs(node, category, name),
    );
  }

  #isGroup(number: number): boolean {
    const form = this.#file.uncached(number)?.object;
    const group = form instanceof PDFDict ? this.#file.dictEntry(form, "Group") : undefined;
    return this.#file.nameEntry(group, "S") === "Transparency";
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
      for (const name of names.keys()) yield this.#usedAs(node, category, name);
  }

  #usedAs({ resources }: Pick<Node, "resources">, category: string, name: string): readonly number[] {
    return resources ? this.#named(resources, category, name) : this.#namedAnywhere(category, name);
  }

  #namedAnywhere(category: string, name: string): readonly number[] {
    const key = `${category}/${name}`;
    const known = this.#asked.get(key);
    if (known !== undefined) {
      this.#given += known.length;
      if (this.#given > MAX_GIVEN) throw new TooComplex("its contents without resources find too much by their names");
      return known;
    }
    this.#lookUp();
    // Once each: many pages may have the same by a name.
    const found = [...new Set([...this.#resources].flatMap((resources) => this.#named(resources, category, name)))];
    this.#asked.set(key, found);
    return found;
  }

  #named(resources: PDFDict, category: string, name: string): readonly number[] {
    const given = this.#file.dictEntry(resources, category)?.get(PDFName.of(name));
    if (category === "XObject" || category === "Pattern") return numbersOf([given]);
    const object = this.#file.resolve(given);
    if (!(object instanceof PDFDict)) return [];
    if (category === "ExtGState") return numbersOf([this.#file.dictEntry(object, "SMask")?.get(PDFName.of("G"))]);
    const procedures = this.#file.dictEntry(object, "CharProcs");
    if (procedures === undefined) return [];
    const glyphs = this.#glyphs.get(procedures) ?? numbersOf(procedures.values());
    this.#glyphs.set(procedures, glyphs);
    return glyphs;
  }
}

const numbersOf = (values: readonly (PDFObject | undefined)[]): number[] =>
  values.flatMap((value) => (value instanceof PDFRef ? [value.objectNumber] : []));

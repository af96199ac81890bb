import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, PDFName, type PDFObject } from "pdf-lib";
import { type Begun, Setting } from "./begun-with.ts";
import type { NamedBy } from "./named-contents.ts";
import { Manner } from "./used.ts";

/** Patterns, masks and mixed colors that lie within other contents, where readers draw them each in its own way. */

const PATTERN_TYPE = PDFName.of("PatternType");
const PLAIN: readonly (PDFObject | undefined)[] = [undefined, ...names("Normal", "Compatible")];
/** How Poppler mixes an annotation with the page, as others do. */
const MIXED = [...PLAIN, ...names("Multiply", "Darken")];

interface Patterned {
  isGlyph: boolean;
  /** Of a page: where its lower left corner lies, and how turned it is; null for all else. */
  corner: string | null;
  resources: PDFDict | undefined;
  begun: Begun;
  uses: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** In which manners it draws forms, by their names. */
  drawn: ReadonlyMap<string, number>;
}

export class InnerPatterns<Node extends Patterned> {
  readonly #file: PdfFile;
  readonly #nodes: ReadonlyMap<number, Node>;
  readonly #namedBy: NamedBy<Node>;

  /**
   * @param nodes forms, patterns, masks and glyphs, by their numbers
   * @param namedBy which objects a content means by a name
   */
  constructor(file: PdfFile, nodes: ReadonlyMap<number, Node>, namedBy: NamedBy<Node>) {
    this.#file = file;
    this.#nodes = nodes;
    this.#namedBy = namedBy;
  }

  /** Whether a pattern, or a glyph, is drawn with a pattern: readers put the inner one each to another place, or print nothing. */
  areInPatternsOrGlyphs(): boolean {
    const isAny = (node: Node) => node.begun.given.has("Pattern");
    const seen = new Set<number>();
    return [...this.#nodes].some(
      ([number, { isGlyph }]) => (isGlyph || this.#isPattern(number)) && this.#isWithin(number, isAny, false, seen),
    );
  }

  /**
   * Whether a pattern is used by several contents that are drawn, but pages of one kind: PDFium and MuPDF may keep it as the
   * first of them has it.
   * @param appearances numbers of what annotations look like
   */
  areOfSeveral(pages: readonly Node[], appearances: readonly number[]): boolean {
    const drawn = new Set<number>();
    for (const page of pages)
      for (const category of page.uses.keys())
        for (const used of this.#allNamed(page, category)) this.#addParts(used, drawn);
    for (const number of appearances) this.#addParts(number, drawn);
    const users = new Map<number | PDFDict, number | string>();
    const isOfAnother = (node: Node, user: number | string) =>
      [...this.#allNamed(node, "Pattern"), ...this.#writtenPatterns(node)].some((pattern) => {
        // MuPDF keeps cells over pages; a shading's pattern lies where it does whatever the page.
        const isCell = typeof pattern === "number" && this.#nodes.has(pattern);
        const own = typeof user === "number" || isCell ? user : "";
        const known = users.get(pattern) ?? own;
        users.set(pattern, known);
        return known !== own;
      });
    return (
      pages.some((page) => isOfAnother(page, page.corner ?? "")) ||
      [...drawn].some((number) => isOfAnother(this.#nodes.get(number) as Node, number))
    );
  }

  /** Patterns that are no objects of their own, but written within resources, which several contents may have. */
  #writtenPatterns({ resources, uses }: Node): PDFDict[] {
    const patterns = this.#file.dictEntry(resources, "Pattern");
    return [...(uses.get("Pattern")?.keys() ?? [])]
      .map((name) => patterns?.get(PDFName.of(name)))
      .filter((pattern) => pattern instanceof PDFDict);
  }

  /** Whether a pattern draws through a mask: PDFium puts it elsewhere where the pattern is used by a form. */
  areMasked(): boolean {
    const isMasked = (node: Node) => this.#allNamed(node, "ExtGState").length > 0;
    const seen = new Set<number>();
    return [...this.#nodes.keys()].some(
      (number) => this.#isPattern(number) && this.#isWithin(number, isMasked, false, seen),
    );
  }

  /** Whether what annotations look like is mixed with the page by a mode that Poppler takes for another one there. */
  areMixedAlone(appearances: readonly number[]): boolean {
    return this.#areMixed(appearances, MIXED);
  }

  /** Whether colors are mixed within a mask, or a glyph: PDFium makes another mask of it, and MuPDF mixes glyphs with nothing. */
  areMixedWithin(pages: readonly Node[]): boolean {
    const masks = [...pages, ...this.#nodes.values()].flatMap((node) => this.#allNamed(node, "ExtGState"));
    const glyphs = [...this.#nodes].filter(([, { isGlyph }]) => isGlyph).map(([number]) => number);
    return this.#areMixed([...new Set(masks), ...glyphs], PLAIN);
  }

  /** Whether a glyph draws a form that sets a state, or has a shading: where that is moved, Poppler prints nothing of the page. */
  haveGlyphsStatedForms(): boolean {
    const isStated = ({ uses }: Node) => uses.has("ExtGState") || uses.has("Shading");
    const seen = new Set<number>();
    return [...this.#nodes.values()].some(
      (node) =>
        node.isGlyph && this.#allNamed(node, "XObject").some((form) => this.#isWithin(form, isStated, false, seen)),
    );
  }

  #areMixed(numbers: readonly number[], modes: typeof PLAIN): boolean {
    const isMixed = ({ resources, uses }: Node) => {
      const states = this.#file.dictEntry(resources, "ExtGState");
      return [...(uses.get("ExtGState")?.keys() ?? [])].some(
        (name) => !modes.includes(this.#file.entry(this.#file.dictEntry(states, name), "BM")),
      );
    };
    const seen = new Set<number>();
    return numbers.some((number) => this.#isWithin(number, isMixed, false, seen));
  }

  /** Whether a form that is no group has a pattern of cells, and is drawn through a mask: Poppler prints these as if there were none. */
  areThroughMasks(pages: readonly Node[]): boolean {
    const isOfCells = (node: Node) =>
      [...(node.begun.given.get("Pattern")?.keys() ?? [])].some((name) =>
        this.#namedBy(node, "Pattern", name).some((number) => this.#nodes.has(number)),
      );
    const seen = new Set<number>();
    return [...pages, ...this.#nodes.values()].some((node) =>
      [...node.drawn].some(
        ([name, manner]) =>
          (manner & Manner.masked) !== 0 &&
          this.#namedBy(node, "XObject", name).some((number) => this.#isWithin(number, isOfCells, true, seen)),
      ),
    );
  }

  /** Whether a form is drawn through a mask, and a part of one: MuPDF takes it for one within itself then, and draws nothing. */
  areThroughThemselves(pages: readonly Node[]): boolean {
    const all = [...pages, ...this.#nodes.values()];
    const masked = all.flatMap((node) =>
      [...node.drawn].flatMap(([name, manner]) =>
        (manner & Manner.masked) !== 0
          ? this.#namedBy(node, "XObject", name).filter((one) => this.#nodes.has(one))
          : [],
      ),
    );
    if (masked.length === 0) return false;
    const masks = all.flatMap((node) => this.#allNamed(node, "ExtGState"));
    const parts = new Set<number>();
    for (const mask of masks) this.#addParts(mask, parts);
    return masked.some((form) => parts.has(form));
  }

  #addParts(number: number, parts: Set<number>): void {
    const node = this.#nodes.get(number);
    if (node === undefined || parts.has(number)) return;
    parts.add(number);
    for (const category of node.uses.keys())
      for (const used of this.#allNamed(node, category)) this.#addParts(used, parts);
  }

  #allNamed(node: Node, category: string): number[] {
    return [...(node.uses.get(category)?.keys() ?? [])].flatMap((name) => this.#namedBy(node, category, name));
  }

  /**
   * Whether a glyph is drawn through a mask of more than pictures: pdf.js and MuPDF ignore colors in those of glyphs
   * without colors of their own.
   */
  haveGlyphsColoredMasks(): boolean {
    const isColored = (number: number) => {
      const mask = this.#nodes.get(number);
      if (mask === undefined) return false;
      const { uses, begun } = mask;
      const forms = this.#allNamed(mask, "XObject");
      return (
        (begun.everAltered & (Setting.fill | Setting.stroke)) !== 0 ||
        ["Shading", "Pattern", "Font"].some((category) => uses.has(category)) ||
        forms.some((form) => this.#nodes.has(form))
      );
    };
    return [...this.#nodes.values()].some((node) => node.isGlyph && this.#allNamed(node, "ExtGState").some(isColored));
  }

  /** Whether a content is so, or a form that it draws; `butGroups`: these are drawn by themselves first. */
  #isWithin(number: number, isSo: (node: Node) => boolean, butGroups: boolean, seen: Set<number>): boolean {
    const node = this.#nodes.get(number);
    if (node === undefined || seen.has(number) || (butGroups && this.#isGroup(number))) return false;
    seen.add(number);
    if (isSo(node)) return true;
    return this.#allNamed(node, "XObject").some((form) => this.#isWithin(form, isSo, butGroups, seen));
  }

  #isPattern(number: number): boolean {
    const pattern = this.#file.uncached(number)?.object;
    return pattern instanceof PDFDict && pattern.has(PATTERN_TYPE);
  }

  #isGroup(number: number): boolean {
    const form = this.#file.uncached(number)?.object;
    const group = form instanceof PDFDict ? this.#file.dictEntry(form, "Group") : undefined;
    return this.#file.nameEntry(group, "S") === "Transparency";
  }
}

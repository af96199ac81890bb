import { numbersIn, sidesOf } from "@rubrica/pdf-reading/annotations/appearances";
import { names } from "@rubrica/pdf-reading/names";
import type { Page } from "@rubrica/pdf-reading/pages";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFDict, type PDFObject, PDFRef } from "pdf-lib";
import { FURTHEST } from "../annotations.ts";
import { isAskew } from "./cells.ts";
import { FARTHEST, type Reach, scaleOf, surroundsAll } from "./far-paths.ts";
import type { NamedBy } from "./named-contents.ts";
import type { Matrix } from "./shifts.ts";

/** How far lines lead on the pages, through forms, patterns, masks and glyphs that lie within each other. */

/** Pages may begin away from where numbers do; no further than they are large. */
const LARGEST_PAGE = 14_400;

interface Reaching {
  reach: Reach;
  resources: PDFDict | undefined;
}

type Far = Pick<Reach, "slanted" | "all">;

const NOWHERE: Far = { slanted: 0, all: 0 };
const PLAIN: Matrix = [1, 0, 0, 1, 0, 0];
const [N, LENGTH, RECT, PATTERN_TYPE] = names("N", "Length", "Rect", "PatternType");

export class Reaches<Node extends Reaching> {
  readonly #file: PdfFile;
  readonly #nodes: ReadonlyMap<number, Node>;
  readonly #namedBy: NamedBy<Node>;
  readonly #known = new Map<number, Far>();

  /** @param nodes forms, patterns and glyphs, none of which lies within itself */
  constructor(file: PdfFile, nodes: ReadonlyMap<number, Node>, namedBy: NamedBy<Node>) {
    this.#file = file;
    this.#nodes = nodes;
    this.#namedBy = namedBy;
  }

  /** Whether some slanted line leads farther than all readers draw it to, on a page or in an annotation. */
  areTooFar(contents: readonly Node[], pages: readonly Page[]): boolean {
    const sides = pages.flatMap(({ box }) => Object.values(box).map(Math.abs));
    const most = FARTHEST + sides.filter((side) => side <= LARGEST_PAGE).reduce((one, side) => Math.max(one, side), 0);
    return (
      contents.some((node) => isTooFar(this.#of(node), most)) ||
      [...this.#nodes.keys()].some((number) => this.#isPattern(number) && isTooFar(this.#at(number), most)) ||
      pages.some((page) => this.#annotationsLead(page, most))
    );
  }

  #isPattern(number: number): boolean {
    const dict = this.#file.uncached(number)?.object;
    return dict instanceof PDFDict && dict.has(PATTERN_TYPE);
  }

  /** Of a form, a pattern or a glyph, where its own matrix leads to. */
  #at(number: number): Far {
    const known = this.#known.get(number);
    if (known !== undefined) return known;
    this.#known.set(number, NOWHERE);
    const node = this.#nodes.get(number);
    const dict = node && this.#file.uncached(number)?.object;
    if (node === undefined || !(dict instanceof PDFDict)) return NOWHERE;
    const box = sidesOf(this.#file.entry(dict, "BBox"), this.#file) ?? [];
    const { slanted, all } = this.#of(node);
    const matrix = (numbersIn(this.#file.entry(dict, "Matrix"), 6, this.#file) ?? PLAIN) as unknown as Matrix;
    const far = moved(
      { slanted, all: surroundsAll(box) ? all : Math.max(all, ...box.map(Math.abs)) },
      placedBy(matrix),
    );
    this.#known.set(number, far);
    return far;
  }

  #of(node: Node): Far {
    let { slanted, all } = node.reach;
    for (const [key, placed] of node.reach.placed) {
      const [category = "", name = ""] = [key.slice(0, key.indexOf("/")), key.slice(key.indexOf("/") + 1)];
      const letters = category === "Font" ? this.#letterScale(node, name) : 1;
      for (const number of this.#namedBy(node, category, name)) {
        if (category === "XObject" && !this.#nodes.has(number)) slanted = Math.max(slanted, placed.scale);
        const far = moved(this.#at(number), { ...placed, scale: placed.scale * letters });
        slanted = Math.max(slanted, far.slanted);
        all = Math.max(all, far.all);
      }
    }
    return { slanted, all };
  }

  /** By how much drawn glyphs are enlarged that are of the size of one point. */
  #letterScale({ resources }: Node, name: string): number {
    const font = this.#file.entry(this.#file.dictEntry(resources, "Font"), name);
    const matrix = font instanceof PDFDict ? numbersIn(this.#file.entry(font, "FontMatrix"), 6, this.#file) : null;
    return matrix === null ? 1 : scaleOf(matrix as unknown as Matrix);
  }

  #annotationsLead({ dict }: Page, most: number): boolean {
    const annotations = this.#file.arrayEntry(dict, "Annots")?.asArray() ?? [];
    return annotations.some((given) => {
      const annotation = this.#file.resolve(given);
      if (!(annotation instanceof PDFDict)) return false;
      const sides = sidesOf(this.#file.resolve(annotation.get(RECT)), this.#file);
      // One that is put further away is hidden.
      return (
        sides?.every((side) => Math.abs(side) <= FURTHEST) === true &&
        this.#formsOf(this.#file.dictEntry(annotation, "AP")?.get(N)).some((number) => this.#leads(number, sides, most))
      );
    });
  }

  /** The one appearance, or those of each state. */
  #formsOf(given: PDFObject | undefined): number[] {
    const form = this.#file.resolve(given);
    if (!(form instanceof PDFDict)) return [];
    const all = form.has(LENGTH) ? [given] : form.values();
    return all.flatMap((one) => (one instanceof PDFRef ? [one.objectNumber] : []));
  }

  /** Whether an appearance does in the rectangle that its box is put into. */
  #leads(number: number, [left, bottom, right, top]: readonly number[], most: number): boolean {
    const { slanted, all } = this.#at(number);
    const form = this.#file.uncached(number)?.object;
    const box = form instanceof PDFDict ? sidesOf(this.#file.entry(form, "BBox"), this.#file) : null;
    if (box === null || all === 0 || !(form instanceof PDFDict)) return false;
    const [a = 1, b = 0, c = 0, d = 1] = numbersIn(this.#file.entry(form, "Matrix"), 6, this.#file) ?? PLAIN;
    const [width, height] = [Math.abs(box[2] - box[0]), Math.abs(box[3] - box[1])];
    const across = Math.abs((right ?? 0) - (left ?? 0)) / (Math.abs(a) * width + Math.abs(c) * height);
    const up = Math.abs((top ?? 0) - (bottom ?? 0)) / (Math.abs(b) * width + Math.abs(d) * height);
    const scale = Math.max(across, up);
    return isTooFar({ slanted: slanted * scale, all: all * scale }, most);
  }
}

/** Poppler prints lines that lead beyond 8,388,608 dots elsewhere, also straight ones. */
const isTooFar = ({ slanted, all }: Far, most: number): boolean => slanted > most || all > FURTHEST;

const placedBy = (matrix: Matrix) => ({
  scale: scaleOf(matrix),
  shift: Math.max(Math.abs(matrix[4]), Math.abs(matrix[5])),
  isAskew: isAskew(matrix),
});

const moved = (far: Far, { scale, shift, isAskew }: ReturnType<typeof placedBy>): Far => {
  const slanted = isAskew ? far.all : far.slanted;
  return { slanted: slanted === 0 ? 0 : slanted * scale + shift, all: far.all * scale + shift };
};

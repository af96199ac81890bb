import { sidesOf } from "@rubrica/pdf-reading/annotations/appearances";
import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFBool, PDFDict, PDFName, PDFNull, type PDFObject, PDFRef } from "pdf-lib";
import type { NamedBy } from "./named-contents.ts";
import { spaceOf } from "./resources.ts";
import { Manner, type Sets } from "./used.ts";

/**
 * How what forms draw becomes one with what lies under it (ISO 32000-2, 11.4 and 11.6). All readers show the same of a group
 * that is isolated, and of a form that is no group and is drawn plainly. Of others some take what is in a group for what is
 * not, or a form for a group.
 */

/** A content, as far as that asks for. */
export interface Layered {
  sets: Sets;
  /** In which manners it draws forms and pictures, by their names. */
  drawn: ReadonlyMap<string, number>;
  uses: ReadonlyMap<string, ReadonlyMap<string, number>>;
  resources: PDFDict | undefined;
  /** Whether an annotation looks like it. */
  isAppearance: boolean;
}

const key = (name: string) => PDFName.of(name);
const [GROUP, S, TRANSPARENCY, I, K, CS, SMASK, MASK, G, PATTERN_TYPE] = names(
  "Group",
  "S",
  "Transparency",
  "I",
  "K",
  "CS",
  "SMask",
  "Mask",
  "G",
  "PatternType",
);
const [COLORS, INKS] = [3, 4];
const RGB = key("DeviceRGB");
const ANY = -1;
/** A group begins with these as well. */
const PENS = Manner.patterned | Manner.dashed | Manner.outlined | Manner.lined;

/** What a form's group is to be; null: it is to be none. */
export type Regrouped = ReadonlyMap<number, PDFDict | null>;

export class Groups<Node extends Layered> {
  readonly #file: PdfFile;
  readonly #nodes: ReadonlyMap<number, Node>;
  readonly #pages: readonly Node[];
  readonly #namedBy: NamedBy<Node>;
  readonly #manners = new Map<number, number>();
  #masks: ReadonlyMap<number, boolean> | null = null;
  readonly #ofCategory = new Map<string, ReadonlySet<number>>();
  readonly #inner = new Map<number, boolean>();

  /**
   * @param nodes forms, patterns and glyphs, by their numbers
   * @param pages contents of pages
   * @param namedBy which objects a content means by a name
   */
  constructor(file: PdfFile, nodes: ReadonlyMap<number, Node>, pages: readonly Node[], namedBy: NamedBy<Node>) {
    this.#file = file;
    this.#nodes = nodes;
    this.#pages = pages;
    this.#namedBy = namedBy;
  }

  /** What groups of forms are to be for all readers to show the same; null where nothing can stand there instead. */
  settled(): Regrouped | null {
    for (const node of this.#all) this.#spread(node, 0);
    if (this.#pages.some((page) => this.#drawsOtherwise(page, 0))) return null;
    const changes = new Map<number, PDFDict | null>();
    for (const [number, node] of this.#nodes) {
      const manner = this.#manners.get(number) ?? 0;
      const group = this.#groupOf(number);
      if ((manner & Manner.patterned) !== 0 && node.sets.paintsMask) return null;
      if ((manner & Manner.dashed) !== 0 && node.sets.dashesBoxes) return null;
      const isClear = node.sets.isClear || (group === undefined && (manner & Manner.clear) !== 0);
      if (node.sets.patternsText && isClear) return null;
      if (node.sets.leavesFree && (manner & Manner.subtracted) !== 0) return null;
      if ((manner & Manner.outlined) !== 0 && node.sets.showsTextAsBegun && this.#hasClear(node, manner)) return null;
      if (linesTextUnlike(node.sets, group === undefined ? manner : manner & PENS)) return null;
      if (this.#isPattern(number) && (this.#mixes(number, node) || this.#overlaps(number, node))) return null;
      const isToBeGroup = group === undefined && this.#isBetterAsGroup(node, manner);
      if (isToBeGroup && !this.#drawsOnce(node)) return null;
      if (this.#drawsOtherwise(node, group === undefined && !isToBeGroup ? manner : 0)) return null;
      if (group === undefined) {
        if (this.#hasNoGroup(number)) changes.set(number, null);
        if (isOtherwiseIn(node.sets, manner)) return null;
        // PDFium takes it for one, and sees through the mask, or the opacity, once more what it draws.
        if (isToBeGroup) changes.set(number, this.#file.context.obj({ S: TRANSPARENCY }));
        continue;
      }
      const instead = this.#regrouped(number, node, group);
      if (instead === undefined) return null;
      if (instead !== group) changes.set(number, instead);
    }
    return changes;
  }

  /** Whether lines of a form are seen through as who draws it has it, once groups are settled. */
  hasClearLines(number: number): boolean {
    return ((this.#manners.get(number) ?? 0) & Manner.clearLines) !== 0 && this.#groupOf(number) === undefined;
  }

  get #all(): readonly Node[] {
    return [...this.#pages, ...this.#nodes.values()];
  }

  /** Tells forms in which manners they are drawn. A group begins anew; another form goes on as it was begun. */
  #spread(node: Node, begun: number): void {
    const names = begun === 0 ? node.drawn.keys() : (node.uses.get("XObject")?.keys() ?? []);
    for (const name of names) {
      const manner = begun | (node.drawn.get(name) ?? 0);
      for (const number of this.#namedBy(node, "XObject", name)) {
        const form = this.#nodes.get(number);
        const known = this.#manners.get(number) ?? 0;
        if (form === undefined || (known | manner) === known) continue;
        this.#manners.set(number, known | manner);
        const isGroup = this.#groupOf(number) !== undefined;
        this.#spread(form, (known | manner) & (isGroup ? PENS : ANY));
      }
    }
  }

  /** Forms that contents draw, or set as masks. */
  #named(category: "XObject" | "ExtGState"): ReadonlySet<number> {
    const known =
      this.#ofCategory.get(category) ??
      new Set(
        this.#all.flatMap((node) =>
          [...(node.uses.get(category)?.keys() ?? [])].flatMap((name) => this.#namedBy(node, category, name)),
        ),
      );
    this.#ofCategory.set(category, known);
    return known;
  }

  /** Forms that graphics states have for masks, be that used or not, and whether they are by how light they are. */
  get masks(): ReadonlyMap<number, boolean> {
    this.#masks ??= masksIn(this.#all, this.#file);
    return this.#masks;
  }

  #groupOf(number: number): PDFDict | undefined {
    const form = this.#file.uncached(number)?.object;
    return form instanceof PDFDict && form.has(GROUP) ? this.#file.dictEntry(form, "Group") : undefined;
  }

  /** MuPDF puts a pattern's cell together by itself, others on what lies under it. */
  #isPattern(number: number): boolean {
    const pattern = this.#file.uncached(number)?.object;
    return pattern instanceof PDFDict && pattern.has(PATTERN_TYPE);
  }

  /** Whether cells of a pattern lie over each other, and are seen through: MuPDF sees all of them as one. */
  #overlaps(number: number, { sets }: Node): boolean {
    if (!sets.isClear) return false;
    const pattern = this.#file.uncached(number)?.object as PDFDict;
    const [left, bottom, right, top] = sidesOf(this.#file.entry(pattern, "BBox"), this.#file) ?? [0, 0, 0, 0];
    const [across = 0, up = 0] = ["XStep", "YStep"].map((name) => Math.abs(this.#file.numberEntry(pattern, name) ?? 0));
    return Math.abs(right - left) > across || Math.abs(top - bottom) > up;
  }

  /**
   * Whether readers differ in how something that a content draws is seen through: a picture with a mask of its own, drawn
   * through another mask; one with a mask of bits, drawn with an opacity; a form within a form that has an opacity, which
   * PDFium applies to each; a group where lines have another opacity, with which pdf.js draws its lines.
   * @param begun in which manner the content itself is drawn
   */
  #drawsOtherwise(node: Node, begun: number): boolean {
    return [...(node.uses.get("XObject")?.keys() ?? [])].some((name) => {
      const manner = begun | (node.drawn.get(name) ?? 0);
      if ((manner & (Manner.clear | Manner.masked | Manner.uneven)) === 0) return false;
      return this.#namedBy(node, "XObject", name).some((number) => {
        if (this.#nodes.has(number))
          return this.#groupOf(number) === undefined ? (begun & Manner.clear) !== 0 : (manner & Manner.uneven) !== 0;
        const picture = this.#file.uncached(number)?.object;
        if (!(picture instanceof PDFDict)) return false;
        const isThroughBits = this.#file.resolve(picture.get(MASK)) instanceof PDFDict;
        if ((manner & Manner.clear) !== 0 && isThroughBits) return true;
        // What is greys all readers agree on where the other mask was set beside it.
        return (
          ((manner & Manner.masked) !== 0 && picture.has(MASK)) || ((begun & Manner.masked) !== 0 && picture.has(SMASK))
        );
      });
    });
  }

  #hasClear({ sets }: Node, manner: number): boolean {
    return sets.isClear || (manner & Manner.clearLines) !== 0;
  }

  /** Whether a form is drawn through a mask, or has others in it and is seen through: PDFium takes it for a group then. */
  #isBetterAsGroup(node: Node, manner: number): boolean {
    return (manner & Manner.masked) !== 0 || ((manner & Manner.clear) !== 0 && this.#formsIn(node).length > 0);
  }

  /** Whether one thing is drawn in a form, so that others show the same of it as a group. */
  #drawsOnce(node: Node, seen = new Set<Node>()): boolean {
    if (seen.has(node)) return true;
    seen.add(node);
    if (node.sets.paintings > 1 || node.sets.hasOpacity) return false;
    const isOne = ([number, form]: readonly [number, Node]) =>
      this.#groupOf(number) !== undefined || this.#drawsOnce(form, seen);
    return this.#formsIn(node).every(isOne);
  }

  /** Whether something else stands where a group would: some readers then draw nothing. */
  #hasNoGroup(number: number): boolean {
    const form = this.#file.uncached(number)?.object;
    return (
      form instanceof PDFDict && ![undefined, PDFNull].includes(this.#file.resolve(form.get(GROUP)) as typeof PDFNull)
    );
  }

  /** The group to write for the form: the same one if it may stay, null to leave it out, undefined if the file is to be refused. */
  #regrouped(number: number, node: Node, group: PDFDict): PDFDict | null | undefined {
    const [isAlone, knockout] = [I, K].map((name) => this.#file.resolve(group.get(name)) === PDFBool.True);
    // Isolated, an annotation covers in MuPDF what others mix it with.
    const isolated = isAlone && !(node.isAppearance && this.#mixes(number, node));
    const isMixed = !isolated && this.#mixes(number, node);
    const isOther = !isOfLight(this.#file.resolve(group.get(CS)), this.#file);
    const isBare = !isolated && !group.has(CS);
    const isAsked = isOther || isMixed || isBare || (!isolated && node.sets.isClear);
    const isDrawn = isAsked && (node.isAppearance || this.#named("XObject").has(number));
    const isSet = isAsked && this.#named("ExtGState").has(number);
    // What is a mask by a state that nobody sets is none.
    const isLight = isAsked && (isSet || !isDrawn) ? this.masks.get(number) : undefined;
    const isMask = isLight !== undefined;
    // What is drawn by itself, too, is put together in its own space there.
    if (isMask && isOther && isDrawn) return undefined;
    const changes: [PDFName, PDFObject | undefined][] = [];
    if (group.get(S) !== TRANSPARENCY) changes.push([S, TRANSPARENCY]);
    if (knockout && this.#areDoubtfulAlone(node)) changes.push([K, undefined]);
    // A mask is isolated in any case (11.5.2); some readers take that to the letter.
    if (isMask && !isolated && (isMixed || node.sets.isClear || (isLight && isBare))) changes.push([I, PDFBool.True]);
    else if (isMixed) return this.#manners.has(number) ? undefined : null;
    // MuPDF mixes what is seen through in such a group with what lies under it, one after the other.
    const isBlended = ((this.#manners.get(number) ?? 0) & Manner.blended) !== 0;
    if (!isMask && !isolated && node.sets.isClear && isBlended) changes.push([I, PDFBool.True]);
    if (!isMask && isOther) changes.push([CS, undefined]);
    // Poppler sees nothing through what has no space and is seen through itself, and something through black of inks.
    if (isLight && (isBare || spaceOf(this.#file.entry(group, "CS"), this.#file)?.count === INKS))
      changes.push([CS, RGB]);
    if (changes.length === 0) return group;
    const settled = group.clone();
    for (const [name, value] of changes) {
      if (value === undefined) settled.delete(name);
      else settled.set(name, value);
    }
    return settled;
  }

  /** Whether a content mixes colors with those of what lies under it, itself or by what it draws and is not isolated. */
  #mixes(number: number, node: Node): boolean {
    const known = this.#inner.get(number);
    if (known !== undefined) return known;
    this.#inner.set(number, node.sets.isBlended);
    const mixes = node.sets.isBlended || this.#formsIn(node).some(([one, form]) => this.#mixesAs(one, form));
    this.#inner.set(number, mixes);
    return mixes;
  }

  #mixesAs(number: number, form: Node): boolean {
    const group = this.#groupOf(number);
    return this.#file.resolve(group?.get(I)) !== PDFBool.True && this.#mixes(number, form);
  }

  #formsIn(node: Node): [number: number, form: Node][] {
    return this.#drawnBy(node).flatMap((number) => {
      const form = this.#nodes.get(number);
      return form === undefined ? [] : [[number, form] as [number, Node]];
    });
  }

  #drawnBy(node: Node): number[] {
    return [...(node.uses.get("XObject")?.keys() ?? [])].flatMap((name) => [...this.#namedBy(node, "XObject", name)]);
  }

  /**
   * Whether something of a content, each thing of which is put on the ground by itself, may be seen through, or be mixed with
   * what it covers, or cuts out what follows: pdf.js cuts it out as well.
   */
  #areDoubtfulAlone(node: Node, depth = 0): boolean {
    const { isClear, isBlended, isMasked, cutsByDrawn } = node.sets;
    if (isClear || isBlended || isMasked || cutsByDrawn || depth > 1) return true;
    // Poppler's print cuts away what lies under all of a shading's clip, or of the area that cells fill.
    if (node.uses.has("Shading") || node.uses.has("Pattern")) return true;
    return this.#drawnBy(node).some((number) => {
      const form = this.#nodes.get(number);
      if (form !== undefined) return this.#areDoubtfulAlone(form, depth + 1);
      const picture = this.#file.uncached(number)?.object;
      return picture instanceof PDFDict && (picture.has(SMASK) || picture.has(MASK));
    });
  }
}

/** Forms that are masks, and whether they are by how light they are. */
const masksIn = (nodes: readonly Layered[], file: PdfFile): ReadonlyMap<number, boolean> => {
  const masks = new Map<number, boolean>();
  for (const resources of new Set(nodes.map((node) => node.resources)))
    for (const given of file.dictEntry(resources, "ExtGState")?.values() ?? []) {
      const state = file.resolve(given);
      const mask = state instanceof PDFDict ? file.dictEntry(state, "SMask") : undefined;
      const group = mask?.get(G);
      if (group instanceof PDFRef)
        masks.set(group.objectNumber, masks.get(group.objectNumber) || file.nameEntry(mask, "S") === "Luminosity");
    }
  return masks;
};

/** Whether a form draws letters by lines that are dashed, or seen through in another way than areas: pdf.js draws these as it draws areas. */
const linesTextUnlike = (sets: Sets, manner: number): boolean => {
  const isUnlike = (manner & Manner.unlike) !== 0 || ((manner & Manner.clear) !== 0 && sets.hasOpacity);
  const isLined = (manner & Manner.lined) !== 0;
  const isUnlikeOrDashed = sets.linesTextUnlike || ((manner & Manner.dashed) !== 0 && sets.showsTextAsBegun);
  return (isUnlike && (sets.linesText || (isLined && sets.showsTextAsBegun))) || (isLined && isUnlikeOrDashed);
};

/** Whether a form that is no group sets what only some readers let it set: PDFium takes it for one then. */
const isOtherwiseIn = (sets: Sets, manner: number): boolean =>
  (manner & Manner.moved) !== 0 ||
  ((manner & Manner.blended) !== 0 && sets.hasMode) ||
  ((manner & (Manner.clear | Manner.masked)) !== 0 && sets.isBlended) ||
  ((manner & (Manner.blended | Manner.masked)) !== 0 && sets.hasOpacity) ||
  ((manner & Manner.masked) !== 0 && sets.hasMask) ||
  ((manner & (Manner.blended | Manner.masked)) !== 0 && sets.cutsByDrawn) ||
  ((manner & (Manner.clear | Manner.blended)) !== 0 && sets.isTiled) ||
  ((manner & Manner.clearLines) !== 0 && sets.outlinesText) ||
  ((manner & Manner.blended) !== 0 && (sets.outlines || sets.showsText || sets.isMasked));

/** Makes a form's group another one, or none. */
export const setGroup = (form: PDFObject, group: PDFDict | null | undefined): void => {
  if (group === undefined || !(form instanceof PDFDict)) return;
  if (group === null) form.delete(GROUP);
  else form.set(GROUP, group);
};

/** Whether colors are mixed as light is, or a group says nothing of it; of inks and greys some readers make other colors. */
export const isOfLight = (space: PDFObject | undefined, file: PdfFile): boolean => {
  if (space === undefined) return true;
  const isNamed = space instanceof PDFName || space instanceof PDFArray;
  return isNamed && spaceOf(space, file)?.count === COLORS;
};

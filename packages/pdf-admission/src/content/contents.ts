import { unlessDamaged } from "@rubrica/pdf-reading/faults";
import { names } from "@rubrica/pdf-reading/names";
import type { OpenDocument } from "@rubrica/pdf-reading/open";
import { contentParts } from "@rubrica/pdf-reading/pages";
import type { PdfFile, UncachedObject } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, PDFName, PDFNumber, type PDFObject, PDFRef } from "pdf-lib";
import { FARTHEST } from "./far-paths.ts";
import type { ContentKind } from "./operator-order.ts";

/** All contents of a file: what draws its pages, forms, patterns and glyphs (ISO 32000-2, 7.8.2). */

/** A content. */
export interface Content {
  kind: ContentKind;
  parts: readonly PDFObject[];
  /** Undefined where it uses those of whoever uses it. */
  resources: PDFDict | undefined;
  /** Whether its dictionary says nothing that only some readers follow. Of pages that is not looked at here. */
  isSound: boolean;
  /** Whether an annotation looks like it. */
  isAppearance: boolean;
  /** Of a page: where its lower left corner lies, and how turned it is; null for all else. */
  corner: string | null;
}

const key = (name: string) => PDFName.of(name);
const [LENGTH, BBOX, SUBTYPE, FORM, IMAGE, PATTERN_TYPE, CHAR_PROCS] = names(
  "Length",
  "BBox",
  "Subtype",
  "Form",
  "Image",
  "PatternType",
  "CharProcs",
);
const MATRIX = key("Matrix");
/** What streams have that are contents, and no others. */
const marks = ["Group", "PatternType"].map(key);

const TILINGS: readonly (number | undefined)[] = [1, 2, 3];
/** In points, on a page. */
const LEAST_CELL = 1;
/** What a form's matrix leaves of an area at least, and of what its sides would make of it upright. */
const [LEAST_AREA, NEARLY_FLAT] = [1e-30, 1e-9];

/** Whether an object is a content, or a font whose glyphs are some. */
export const holdsContent = ({ object, data }: UncachedObject, file: PdfFile): boolean =>
  object instanceof PDFDict && ((data !== null && isOwn(object, file)) || object.has(CHAR_PROCS));

/**
 * Goes through the contents of a file; each once with the same resources, however many pages of one kind show it.
 * @param holders objects among which all are that hold contents beside the pages, in the order of their numbers
 */
export function* contentsOf(
  { file, pages }: OpenDocument,
  holders: readonly PDFRef[],
  uncached: (number: number) => UncachedObject | undefined,
) {
  const nothing = PDFDict.withContext(file.context);
  const known = new Map<readonly PDFObject[], Map<PDFDict, Set<string>>>();
  const glyphs = new Glyphs(file, uncached);
  for (const page of pages) {
    const parts = contentParts(file, page);
    const resources = page.resources ?? nothing;
    const corner = cornerOf(page);
    const withOnes = known.get(parts) ?? new Map<PDFDict, Set<string>>();
    known.set(parts, withOnes);
    const atCorners = withOnes.get(resources) ?? new Set();
    if (atCorners.has(corner)) continue;
    withOnes.set(resources, atCorners.add(corner));
    yield { kind: "page", parts, resources, isSound: true, isAppearance: false, corner } satisfies Content;
    yield* glyphs.ofFontsWithin(resources);
  }
  const appearances = appearancesOf(file, pages);
  for (const ref of holders) {
    const { object: dict, data = null } = uncached(ref.objectNumber) ?? {};
    if (!(dict instanceof PDFDict)) continue;
    if (data !== null && isOwn(dict, file)) {
      const isAppearance = appearances.has(ref.objectNumber);
      const content = { ...ownContent(ref, dict, file), isAppearance, corner: null };
      const isOfNobody = isAppearance || dict.has(PATTERN_TYPE);
      // Of others without resources all readers take those of the content that draws them.
      yield isOfNobody ? { ...content, resources: content.resources ?? nothing } : content;
      yield* glyphs.ofFontsWithin(content.resources);
    }
    yield* glyphs.ofFont(dict);
  }
}

const cornerOf = ({ box, rotation, userUnit }: OpenDocument["pages"][number]): string =>
  JSON.stringify([box.left, box.bottom, rotation, userUnit]);

/** Glyphs that are contents, each once with the same resources. */
class Glyphs {
  readonly #file: PdfFile;
  readonly #uncached: (number: number) => UncachedObject | undefined;
  readonly #seen = new Set<PDFDict>();
  /** Glyphs, with the resources of the fonts that have them. */
  readonly #known = new Map<PDFRef, Set<PDFDict | undefined>>();

  constructor(file: PdfFile, uncached: (number: number) => UncachedObject | undefined) {
    this.#file = file;
    this.#uncached = uncached;
  }

  *ofFont(font: PDFDict): Generator<Content> {
    const procedures = this.#file.resolve(font.get(CHAR_PROCS));
    if (!(procedures instanceof PDFDict)) return;
    const resources = this.#file.dictEntry(font, "Resources");
    for (const glyph of procedures.values()) {
      if (!(glyph instanceof PDFRef)) continue;
      const withOnes = this.#known.get(glyph) ?? new Set();
      if (withOnes.has(resources)) continue;
      this.#known.set(glyph, withOnes.add(resources));
      // PDFium and Poppler take those of the glyph, others those of the font.
      const own = this.#uncached(glyph.objectNumber)?.object;
      const hasOwn = own instanceof PDFDict && this.#file.entry(own, "Resources") !== undefined;
      const hasOwnMatrix = own instanceof PDFDict && own.has(MATRIX);
      // By a glyph's matrix PDFium alone draws it.
      const isSound = !hasOwnMatrix && (!hasOwn || this.#file.dictEntry(own, "Resources") === resources);
      yield { kind: "glyph", parts: [glyph], resources, isSound, isAppearance: false, corner: null };
      yield* this.ofFontsWithin(resources);
    }
  }

  /** Of fonts that are no objects of their own, but written within resources. */
  *ofFontsWithin(resources: PDFDict | undefined): Generator<Content> {
    const fonts = this.#file.dictEntry(resources, "Font");
    if (fonts === undefined || this.#seen.has(fonts)) return;
    this.#seen.add(fonts);
    for (const font of fonts.values()) if (font instanceof PDFDict) yield* this.ofFont(font);
  }
}

/** Numbers of the forms that annotations look like, of which some readers take resources of the page, others none. */
const appearancesOf = (file: PdfFile, pages: OpenDocument["pages"]): ReadonlySet<number> => {
  const numbers = new Set<number>();
  const seen = new Set<PDFDict>();
  const take = (given: PDFObject | undefined, isState: boolean): void => {
    const object = file.resolve(given);
    if (!(object instanceof PDFDict) || (!isState && seen.has(object))) return;
    if (given instanceof PDFRef && object.has(LENGTH)) numbers.add(given.objectNumber);
    else if (!isState) {
      seen.add(object);
      for (const state of object.values()) take(state, true);
    }
  };
  for (const list of new Set(pages.map(({ dict }) => file.arrayEntry(dict, "Annots"))))
    for (const given of list?.asArray() ?? []) {
      const annotation = file.resolve(given);
      const forms = annotation instanceof PDFDict ? file.dictEntry(annotation, "AP") : undefined;
      take(forms?.get(key("N")), false);
    }
  return numbers;
};

/**
 * Whether a stream is a form or a pattern: readers do not ask the same of them. Of a pattern, and of a mask's group, none
 * asks whether it says that it is a picture; honest pictures may have a box, which says nothing.
 */
const isOwn = (dict: PDFDict, file: PdfFile): boolean => {
  const subtype = unlessDamaged(() => file.resolve(dict.get(SUBTYPE)));
  return subtype === FORM || marks.some((name) => dict.has(name)) || (dict.has(BBOX) && subtype !== IMAGE);
};

const ownContent = (ref: PDFRef, dict: PDFDict, file: PdfFile): Omit<Content, "isAppearance" | "corner"> => {
  const paint = file.numberEntry(dict, "PaintType");
  const isPattern = dict.has(PATTERN_TYPE);
  const isPatternSound = !isPattern || ((paint === 1 || paint === 2) && hasSoundCells(dict, file));
  return {
    kind: isPattern && paint === 2 ? "uncolored" : "form",
    parts: [ref],
    resources: file.dictEntry(dict, "Resources"),
    isSound:
      isPatternSound &&
      isNumbers(file.entry(dict, "BBox"), 4, file) &&
      (file.entry(dict, "Matrix") === undefined || isSoundMatrix(dict, file)),
  };
};

/** Whether a form's matrix can be undone: Poppler passes over others in print, and shows what readers do not show on screen. */
const isSoundMatrix = (form: PDFDict, file: PdfFile): boolean => {
  if (!isNumbers(file.entry(form, "Matrix"), 6, file)) return false;
  const [a = 1, b = 0, c = 0, d = 1] = numbersIn(form, "Matrix", file);
  return Math.abs(a * d - b * c) > Math.max(LEAST_AREA, NEARLY_FLAT * (Math.abs(a * d) + Math.abs(b * c)));
};

/** Whether a pattern's cells are drawn alike by all readers: of tiny ones they draw each for minutes, one in many, or a mean. */
const hasSoundCells = (pattern: PDFDict, file: PdfFile): boolean => {
  const [a = 1, b = 0, c = 0, d = 1] = numbersIn(pattern, "Matrix", file);
  const [left, bottom, right, top] = numbersIn(pattern, "BBox", file);
  const [across = 0, up = 0] = ["XStep", "YStep"].map((name) => Math.abs(file.numberEntry(pattern, name) ?? 0));
  const longest = Math.max(across * Math.hypot(a, b), up * Math.hypot(c, d));
  const [width, height] = [Math.abs((right ?? 0) - (left ?? 0)), Math.abs((top ?? 0) - (bottom ?? 0))];
  // PDFium draws none of cells of more dots.
  const isHuge = Math.max(width * Math.hypot(a, b), height * Math.hypot(c, d)) > FARTHEST;
  const isTiny = longest < LEAST_CELL || (across * up * Math.abs(a * d - b * c)) / longest < LEAST_CELL;
  return (
    TILINGS.includes(file.numberEntry(pattern, "TilingType")) && left !== right && bottom !== top && !isTiny && !isHuge
  );
};

const numbersIn = (dict: PDFDict, name: string, file: PdfFile): (number | undefined)[] =>
  (file.arrayEntry(dict, name)?.asArray() ?? []).map((item) => {
    const value = file.resolve(item);
    return value instanceof PDFNumber ? value.asNumber() : undefined;
  });

const isNumbers = (value: PDFObject | undefined, count: number, file: PdfFile): boolean =>
  value instanceof PDFArray &&
  value.size() === count &&
  value.asArray().every((item) => file.resolve(item) instanceof PDFNumber);

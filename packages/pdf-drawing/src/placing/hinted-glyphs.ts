import type { WrappedPdfiumModule } from "@embedpdf/pdfium";
import { systemClock } from "@rubrica/runtime";
import { DrawingTime } from "./drawing-time.ts";
import { memoryOf, PdfiumInstance } from "./pdfium-instance.ts";
import { fileOf, streamOf } from "./small-file.ts";

/**
 * Glyphs as programs for hinting leave them: PDFium runs these in letters of up to fifty dots, for 64 dots whatever the size,
 * others run none. What is drawn with them and without is compared.
 */

/** A page of letters takes some milliseconds. */
const LIMITS = { processorMs: 5_000, elapsedMs: 60_000 };
type Programs = readonly [Uint8Array, Uint8Array];

/** How many dots text is high, so that it is drawn with hints; each glyph has a cell, and begins within it. */
const SIZE = 48;
const CELL = 84;
const [LEFT, BOTTOM] = [18, 24];
const COLUMNS = 16;
const [ON_PAGE, WIDTH] = [COLUMNS * COLUMNS, COLUMNS * CELL];
/** A bitmap of a byte for each dot (FPDFBitmap_Gray). */
const [GREY, WHITE] = [1, 0xffffffff];
/** A dot is dark, or light; one that is not quite the other has a bit of it. */
const [DARK, SOME_DARK, SOME_LIGHT, LIGHT] = [64, 160, 96, 192];
/** So many dots hints move lines to fit them to dots. */
const ASIDE = 2;
/** So many dots of one glyph may be farther from the next one of their kind (of 27,690 honest glyphs one has 30), but not a quarter of it. */
const MOST_FAR = 32;
const MOST_OF_DARK = 1 / 4;
/**
 * So many of them may be in a row: a line that is moved elsewhere is longer. One between other lines, as the middle one of
 * an 8 is, makes another letter where it is shorter; a stroke above or below a letter that honest hints move has 9.
 */
const LONGEST_FAR = 9;
const LONGEST_BETWEEN = 6;

/** Draws glyphs of one file, for as long as that may take. */
export class HintedDrawing {
  readonly #time = new DrawingTime(LIMITS, systemClock);

  /**
   * Whether some glyphs, by their numbers, are drawn otherwise by one TrueType program than by another one; undefined where
   * that takes longer, or more memory, than it may.
   */
  async differ(programs: Programs, glyphs: readonly number[]): Promise<boolean | undefined> {
    if (this.#time.isOver()) return undefined;
    const instance = await PdfiumInstance.ready();
    const differs = instance.attempt(this.#time.leftMs(), (pdfium) => differOn(pdfium, programs, glyphs, this.#time));
    instance.rest(() => undefined);
    return differs;
  }
}

const differOn = (
  pdfium: WrappedPdfiumModule,
  programs: Programs,
  glyphs: readonly number[],
  time: DrawingTime,
): boolean | undefined => {
  const { malloc, free } = pdfium.pdfium.wasmExports;
  const bytes = pagesOf(programs, glyphs);
  const at = malloc(bytes.length);
  memoryOf(pdfium).set(bytes, at);
  const document = pdfium.FPDF_LoadMemDocument(at, bytes.length, "");
  let differs: boolean | undefined = false;
  for (let first = 0; differs === false && first < glyphs.length; first += ON_PAGE) {
    const index = (first / ON_PAGE) * 2;
    const [one, other] = [dotsOf(pdfium, document, index), dotsOf(pdfium, document, index + 1)];
    const cells = Array.from({ length: Math.min(ON_PAGE, glyphs.length - first) }, (_, cell) => startOf(cell));
    differs = time.isOver() ? undefined : cells.some((start) => isOtherwise(one, other, start));
  }
  pdfium.FPDF_CloseDocument(document);
  free(at);
  return differs;
};

/** Where a cell begins among the dots of its page. */
const startOf = (cell: number): number => Math.floor(cell / COLUMNS) * CELL * WIDTH + (cell % COLUMNS) * CELL;

/** A file of pages with glyphs in cells, from left to right and from the top down: each page twice, by one program and the other. */
const pagesOf = (programs: Programs, glyphs: readonly number[]): Uint8Array => {
  const count = Math.ceil(glyphs.length / ON_PAGE);
  const [firstPage, firstContent, firstFont] = [3, 3 + count * 2, 3 + count * 3];
  const pages = Array.from({ length: count * 2 }, (_, page) =>
    Buffer.from(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${WIDTH} ${WIDTH}]/Contents ${firstContent + (page >> 1)} 0 R` +
        `/Resources<</Font<</F ${firstFont + (page % 2) * 4} 0 R>>>>>>`,
    ),
  );
  const contents = Array.from({ length: count }, (_, page) =>
    streamOf("", Buffer.from(shown(glyphs.slice(page * ON_PAGE, (page + 1) * ON_PAGE)))),
  );
  const kids = pages.map((_, index) => `${firstPage + index} 0 R`).join(" ");
  return fileOf([
    Buffer.from("<</Type/Catalog/Pages 2 0 R>>"),
    Buffer.from(`<</Type/Pages/Kids[${kids}]/Count ${count * 2}>>`),
    ...pages,
    ...contents,
    ...programs.flatMap((program, index) => fontOf(program, firstFont + index * 4)),
  ]);
};

const shown = (glyphs: readonly number[]): string => {
  const each = glyphs.map((glyph, cell) => {
    const [x, y] = [(cell % COLUMNS) * CELL + LEFT, WIDTH - (Math.floor(cell / COLUMNS) + 1) * CELL + BOTTOM];
    return `1 0 0 1 ${x} ${y} Tm <${glyph.toString(16).padStart(4, "0")}> Tj`;
  });
  return `BT /F ${SIZE} Tf\n${each.join("\n")}\nET`;
};

/** A font whose codes are the numbers of a program's glyphs, in four objects. */
const fontOf = (program: Uint8Array, first: number): Buffer[] => [
  Buffer.from(`<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[${first + 1} 0 R]>>`),
  Buffer.from(
    "<</Type/Font/Subtype/CIDFontType2/BaseFont/A/CIDToGIDMap/Identity/DW 1000" +
      `/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor ${first + 2} 0 R>>`,
  ),
  Buffer.from(
    "<</Type/FontDescriptor/FontName/A/Flags 4/FontBBox[0 0 1000 1000]/ItalicAngle 0/Ascent 800/Descent -200" +
      `/CapHeight 700/StemV 80/FontFile2 ${first + 3} 0 R>>`,
  ),
  streamOf("", program),
];

const dotsOf = (pdfium: WrappedPdfiumModule, document: number, index: number): Uint8Array => {
  const page = pdfium.FPDF_LoadPage(document, index);
  const bitmap = pdfium.FPDFBitmap_CreateEx(WIDTH, WIDTH, GREY, 0, 0);
  pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, WIDTH, WIDTH, WHITE);
  pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, WIDTH, WIDTH, 0, 0);
  // A row of whole words has no bytes beside its dots.
  const start = pdfium.FPDFBitmap_GetBuffer(bitmap);
  const dots = memoryOf(pdfium).slice(start, start + WIDTH * WIDTH);
  pdfium.FPDFBitmap_Destroy(bitmap);
  pdfium.FPDF_ClosePage(page);
  return dots;
};

/** Whether a cell of one picture has dots that are not near any of their kind in the other. */
const isOtherwise = (one: Uint8Array, other: Uint8Array, start: number): boolean => {
  const far = [new Set<number>(), new Set<number>()] as const;
  let dark = 0;
  for (let y = ASIDE; y < CELL - ASIDE; y += 1) {
    const end = start + y * WIDTH + CELL - ASIDE;
    for (let at = start + y * WIDTH + ASIDE; at < end; at += 1) {
      const [dot, opposite] = [one[at] as number, other[at] as number];
      if (opposite <= DARK) dark += 1;
      if (dot === opposite) continue;
      if (isFar(dot, other, at)) far[0].add(at);
      if (isFar(opposite, one, at)) far[1].add(at);
    }
  }
  const count = far[0].size + far[1].size;
  return count > MOST_FAR || count > dark * MOST_OF_DARK || far.some((dots) => holdsLine(dots, one));
};

const NEXT_TO = [-WIDTH - 1, -WIDTH, -WIDTH + 1, -1, 1, WIDTH - 1, WIDTH, WIDTH + 1];

/** Whether dots that are next to each other make a line that is too long. */
const holdsLine = (dots: ReadonlySet<number>, picture: Uint8Array): boolean => {
  const left = new Set(dots);
  for (const first of left) {
    const [columns, rows]: [number[], number[]] = [[], []];
    const piece = [first];
    left.delete(first);
    for (let dot = piece.pop(); dot !== undefined; dot = piece.pop()) {
      columns.push(dot % WIDTH);
      rows.push(Math.floor(dot / WIDTH));
      for (const step of NEXT_TO) if (left.delete(dot + step)) piece.push(dot + step);
    }
    const [across, up] = [extentOf(columns), extentOf(rows)];
    const longest = Math.max(across.length, up.length);
    if (longest > LONGEST_FAR) return true;
    const isWide = across.length >= up.length;
    const [along, aside] = isWide ? [across, up] : [up, across];
    if (longest > LONGEST_BETWEEN && isBetweenLines(along, aside, isWide ? 1 : WIDTH, isWide ? WIDTH : 1, picture))
      return true;
  }
  return false;
};

interface Extent {
  from: number;
  to: number;
  length: number;
}

const extentOf = (places: readonly number[]): Extent => {
  const [from, to] = [Math.min(...places), Math.max(...places)];
  return { from, to, length: to - from + 1 };
};

/** Whether a picture has dark dots beyond both ends of a line: as near as what is far from any can be. */
const isBetweenLines = (along: Extent, aside: Extent, step: number, row: number, picture: Uint8Array): boolean => {
  const isDarkAt = (place: number) => {
    for (let beside = aside.from; beside <= aside.to; beside += 1)
      if ((picture[place * step + beside * row] as number) <= SOME_DARK) return true;
    return false;
  };
  const beyond = Array.from({ length: ASIDE + 1 }, (_, index) => index + 1);
  return beyond.some((by) => isDarkAt(along.from - by)) && beyond.some((by) => isDarkAt(along.to + by));
};

const isFar = (dot: number, picture: Uint8Array, at: number): boolean => {
  if (dot > DARK && dot < LIGHT) return false;
  for (let row = at - ASIDE * WIDTH; row <= at + ASIDE * WIDTH; row += WIDTH)
    for (let near = row - ASIDE; near <= row + ASIDE; near += 1) {
      const found = picture[near] as number;
      if (dot <= DARK ? found <= SOME_DARK : found >= SOME_LIGHT) return false;
    }
  return true;
};

import type { WrappedPdfiumModule } from "@embedpdf/pdfium";
import type { PageSize } from "@rubrica/pdf-reading/pages";
import { memoryOf } from "./pdfium-instance.ts";

/** Of a picture, in dots: a page of A4 at 72 per inch has half as many. */
const MAX_DOTS = 1_000_000;
const MAX_DOTS_PER_POINT = 1;
/** Pieces of text and annotations of a page that are looked at; beyond them, the picture has to tell. */
const MAX_PIECES = 20_000;
/** Objects of a page that are looked at one by one; where there are more, to draw them takes no longer. */
const MAX_OBJECTS = 2_000;
/** Values of FPDF_ANNOT (annotations are drawn), FPDFBitmap_BGRx, and FPDF_RENDER_TOBECONTINUED and FPDF_RENDER_DONE. */
const [WITH_ANNOTATIONS, BGRX, TO_BE_CONTINUED, DONE] = [1, 3, 1, 2];
/** Annotations that are no marks: links, and popups, which open by a click. */
const UNMARKED_SUBTYPES = new Set([2, 16]);
const WHITE = 0xff_ff_ff_ff;
/** PDFium tells places in whole dots: this many of them a point, where points are asked for. */
const FINE = 16;

/** A rectangle by its edges, from a page's top left. */
export interface Edges {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A page as it is seen. */
export interface DrawnPage {
  /** In dots. */
  width: number;
  height: number;
  dotsPerPoint: number;
  /** Blue, green, red and a byte of no meaning for each dot, row by row from the top left. */
  bgrx: Uint8Array;
  /** What is there whether it is seen or not: text, fields and notes, in dots. */
  pieces: readonly Edges[];
}

/** A page that PDFium has read. */
export class PdfiumPage {
  readonly #pdfium: WrappedPdfiumModule;
  readonly #page: number;
  /** Memory for what PDFium tells by addresses: four numbers of 8 bytes. */
  readonly #scratch: number;
  /** The form that the page was made known to, once it was drawn. */
  #form = 0;

  constructor(pdfium: WrappedPdfiumModule, page: number) {
    this.#pdfium = pdfium;
    this.#page = page;
    this.#scratch = pdfium.pdfium.wasmExports.malloc(32);
  }

  close(): void {
    if (this.#form !== 0) this.#pdfium.FORM_OnBeforeClosePage(this.#page, this.#form);
    this.#pdfium.FPDF_ClosePage(this.#page);
    this.#pdfium.pdfium.wasmExports.free(this.#scratch);
  }

  /**
   * What a look at the page in a size in points tells. Undefined where it is too large, can't be drawn, or drawing paused.
   */
  seen<Seen>(
    { width, height }: PageSize,
    form: number,
    pause: number,
    look: (picture: DrawnPage) => Seen,
  ): Seen | undefined {
    const dotsPerPoint = Math.min(MAX_DOTS_PER_POINT, Math.sqrt(MAX_DOTS / (width * height)));
    const size = {
      width: Math.max(1, Math.round(width * dotsPerPoint)),
      height: Math.max(1, Math.round(height * dotsPerPoint)),
    };
    if (size.width * size.height > 2 * MAX_DOTS) return undefined;
    if (form !== 0 && this.#form === 0) this.#pdfium.FORM_OnAfterLoadPage(this.#page, form);
    this.#form = form;
    const bitmap = this.#pdfium.FPDFBitmap_CreateEx(size.width, size.height, BGRX, 0, 0);
    if (bitmap === 0) return undefined;
    try {
      if (!this.#draw(bitmap, size, pause)) return undefined;
      const pieces = [...this.#texts(size), ...this.#annotations(size)];
      // Last: asked for anything, PDFium's memory may move.
      const bgrx = this.#dotsOf(bitmap, size);
      return bgrx && look({ ...size, dotsPerPoint, bgrx, pieces });
    } finally {
      this.#pdfium.FPDFBitmap_Destroy(bitmap);
    }
  }

  /** See `Renderer.occupied`. */
  occupied({ width, height }: PageSize): Edges[] | undefined {
    const count = this.#pdfium.FPDFPage_CountObjects(this.#page);
    if (count + this.#pdfium.FPDFPage_GetAnnotCount(this.#page) > MAX_OBJECTS) return undefined;
    const size = { width: Math.round(width * FINE), height: Math.round(height * FINE) };
    const objects = this.#objects(size, count);
    if (objects === undefined) return undefined;
    return [...objects, ...this.#annotations(size)].map(({ left, top, right, bottom }) => ({
      left: left / FINE,
      top: top / FINE,
      right: right / FINE,
      bottom: bottom / FINE,
    }));
  }

  /** Whether all of the page was drawn. */
  #draw(bitmap: number, { width, height }: PageSize, pause: number): boolean {
    this.#pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
    const area = [bitmap, this.#page, 0, 0, width, height, 0, WITH_ANNOTATIONS] as const;
    const status = this.#pdfium.FPDF_RenderPageBitmap_Start(...area, pause);
    this.#pdfium.FPDF_RenderPage_Close(this.#page);
    // What pauses has no time left.
    if (status === TO_BE_CONTINUED || status !== DONE) return false;
    if (this.#form !== 0) this.#pdfium.FPDF_FFLDraw(this.#form, ...area);
    return true;
  }

  #dotsOf(bitmap: number, { width, height }: PageSize): Uint8Array | undefined {
    const stride = this.#pdfium.FPDFBitmap_GetStride(bitmap);
    const start = this.#pdfium.FPDFBitmap_GetBuffer(bitmap);
    return stride === width * 4 ? memoryOf(this.#pdfium).subarray(start, start + stride * height) : undefined;
  }

  /** The rectangles of the page's text, in dots. */
  #texts(size: PageSize): Edges[] {
    const [pdfium, scratch] = [this.#pdfium, this.#scratch];
    const text = pdfium.FPDFText_LoadPage(this.#page);
    if (text === 0) return [];
    const edgesOf = this.#converter(size);
    const texts: Edges[] = [];
    const count = Math.min(MAX_PIECES, pdfium.FPDFText_CountRects(text, 0, -1));
    for (let index = 0; index < count; index += 1) {
      if (!pdfium.FPDFText_GetRect(text, index, scratch, scratch + 8, scratch + 16, scratch + 24)) continue;
      const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = this.#values("double", 8);
      texts.push(edgesOf(x1, y1, x2, y2));
    }
    pdfium.FPDFText_ClosePage(text);
    return texts;
  }

  /** The rectangles of the page's annotations, in dots. */
  #annotations(size: PageSize): Edges[] {
    const pdfium = this.#pdfium;
    const count = Math.min(MAX_PIECES, pdfium.FPDFPage_GetAnnotCount(this.#page));
    if (count === 0) return [];
    const edgesOf = this.#converter(size);
    const annotations: Edges[] = [];
    for (let index = 0; index < count; index += 1) {
      const annotation = pdfium.FPDFPage_GetAnnot(this.#page, index);
      if (annotation === 0) continue;
      const isMark = !UNMARKED_SUBTYPES.has(pdfium.FPDFAnnot_GetSubtype(annotation));
      // FS_RECTF: left, top, right, bottom.
      if (isMark && pdfium.FPDFAnnot_GetRect(annotation, this.#scratch)) {
        const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = this.#values("float", 4);
        annotations.push(edgesOf(x1, y1, x2, y2));
      }
      pdfium.FPDFPage_CloseAnnot(annotation);
    }
    return annotations;
  }

  /** The rectangles outside of which no object of the page's contents draws, in dots; undefined where one has none. */
  #objects(size: PageSize, count: number): Edges[] | undefined {
    const [pdfium, scratch] = [this.#pdfium, this.#scratch];
    const edgesOf = this.#converter(size);
    const objects: Edges[] = [];
    for (let index = 0; index < count; index += 1) {
      const object = pdfium.FPDFPage_GetObject(this.#page, index);
      if (!pdfium.FPDFPageObj_GetBounds(object, scratch, scratch + 4, scratch + 8, scratch + 12)) return undefined;
      const [left = 0, bottom = 0, right = 0, top = 0] = this.#values("float", 4);
      objects.push(edgesOf(left, bottom, right, top));
    }
    return objects;
  }

  /** Four numbers that PDFium told. */
  #values(type: "double" | "float", bytes: number): number[] {
    const { getValue } = this.#pdfium.pdfium;
    return [0, 1, 2, 3].map((index) => getValue(this.#scratch + index * bytes, type));
  }

  /** Makes edges in dots of two opposite corners in the page's own units, where the page as seen has some size in dots. */
  #converter({ width, height }: PageSize): (x1: number, y1: number, x2: number, y2: number) => Edges {
    const pdfium = this.#pdfium;
    const toDots = (x: number, y: number): [number, number] => {
      pdfium.FPDF_PageToDevice(this.#page, 0, 0, width, height, 0, x, y, this.#scratch, this.#scratch + 4);
      const { getValue } = pdfium.pdfium;
      return [getValue(this.#scratch, "i32"), getValue(this.#scratch + 4, "i32")];
    };
    return (x1, y1, x2, y2) => {
      const [[left, top], [right, bottom]] = [toDots(x1, y1), toDots(x2, y2)];
      return {
        left: Math.min(left, right),
        top: Math.min(top, bottom),
        right: Math.max(left, right),
        bottom: Math.max(top, bottom),
      };
    };
  }
}

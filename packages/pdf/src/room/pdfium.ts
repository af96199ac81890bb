import type { WrappedPdfiumModule } from "@embedpdf/pdfium";
import type { PageSize } from "../port.ts";
import type { DrawingTime } from "./drawing-time.ts";
import { memoryOf, PdfiumInstance } from "./pdfium-instance.ts";

/** Of a picture, in dots: a page of A4 at 72 per inch has half as many. */
const MAX_DOTS = 1_000_000;
const MAX_DOTS_PER_POINT = 1;
/** Pieces of text and annotations of a page that are looked at; beyond them, the picture has to tell. */
const MAX_PIECES = 20_000;
/** Values of FPDF_ANNOT (annotations are drawn), FPDFBitmap_BGRx, and FPDF_RENDER_TOBECONTINUED and FPDF_RENDER_DONE. */
const [WITH_ANNOTATIONS, BGRX, TO_BE_CONTINUED, DONE] = [1, 3, 1, 2];
/** Annotations that are no marks: links, and popups, which open by a click. */
const UNMARKED_SUBTYPES = new Set([2, 16]);
const WHITE = 0xff_ff_ff_ff;
/** The version of the structure that tells when to pause. */
const PAUSE_VERSION = 1;

/** A page as it is seen. */
export interface Picture {
  /** In dots. */
  width: number;
  height: number;
  dotsPerPoint: number;
  /** Blue, green, red and a byte of no meaning for each dot, row by row from the top left. */
  bgrx: Uint8Array;
  /** What is there whether it is seen or not: text, fields and notes, in dots from the top left. */
  pieces: readonly { left: number; top: number; right: number; bottom: number }[];
}

/** Giving back what a file took, in milliseconds; beyond them, all of the instance is left. */
const CLOSING_MS = 200;

/** Draws pages of a file, for as long as drawing may take, and in the memory that it may take; what it took is given back by `close`. */
export class Renderer {
  readonly #instance: PdfiumInstance;
  readonly #time: DrawingTime;
  readonly #opened: OpenedFile | undefined;

  private constructor(instance: PdfiumInstance, time: DrawingTime, opened: OpenedFile | undefined) {
    this.#instance = instance;
    this.#time = time;
    this.#opened = opened;
  }

  static async of(bytes: Uint8Array, time: DrawingTime): Promise<Renderer> {
    const instance = await PdfiumInstance.ready();
    const opened = instance.attempt(time.leftMs(), (pdfium) => new OpenedFile(pdfium, bytes, () => time.isOver()));
    return new Renderer(instance, time, opened);
  }

  /** 0 when the file can't be opened. */
  get pageCount(): number {
    return this.#instance.attempt(this.#time.leftMs(), () => this.#opened?.pageCount) ?? 0;
  }

  /** A page (index from 0) of a size in points; undefined when it can't be drawn, or not within bounds. */
  picture(index: number, size: PageSize): Picture | undefined {
    return this.#instance.attempt(this.#time.leftMs(), () => this.#opened?.picture(index, size));
  }

  close(): void {
    this.#instance.attempt(CLOSING_MS, () => this.#opened?.close());
    this.#instance.rest();
  }
}

/** A file that PDFium has opened. */
class OpenedFile {
  readonly #pdfium: WrappedPdfiumModule;
  readonly #file: number;
  readonly #document: number;
  readonly #formInfo: number;
  readonly #form: number;
  readonly #pause: number;
  readonly #mustPause: number;

  constructor(pdfium: WrappedPdfiumModule, bytes: Uint8Array, isOver: () => boolean) {
    const { wasmExports, addFunction, setValue } = pdfium.pdfium;
    this.#pdfium = pdfium;
    this.#file = wasmExports.malloc(bytes.length);
    memoryOf(pdfium).set(bytes, this.#file);
    this.#document = pdfium.FPDF_LoadMemDocument(this.#file, bytes.length, "");
    this.#formInfo = this.#document === 0 ? 0 : pdfium.PDFiumExt_OpenFormFillInfo();
    this.#form = this.#formInfo === 0 ? 0 : pdfium.PDFiumExt_InitFormFillEnvironment(this.#document, this.#formInfo);
    this.#mustPause = addFunction(() => (isOver() ? 1 : 0), "ii");
    this.#pause = wasmExports.malloc(12);
    setValue(this.#pause, PAUSE_VERSION, "i32");
    setValue(this.#pause + 4, this.#mustPause, "i32");
    setValue(this.#pause + 8, 0, "i32");
  }

  get pageCount(): number {
    return this.#document === 0 ? 0 : this.#pdfium.FPDF_GetPageCount(this.#document);
  }

  picture(index: number, { width, height }: PageSize): Picture | undefined {
    const page = this.#pdfium.FPDF_LoadPage(this.#document, index);
    if (page === 0) return undefined;
    const dotsPerPoint = Math.min(MAX_DOTS_PER_POINT, Math.sqrt(MAX_DOTS / (width * height)));
    const size = {
      width: Math.max(1, Math.round(width * dotsPerPoint)),
      height: Math.max(1, Math.round(height * dotsPerPoint)),
    };
    if (this.#form !== 0) this.#pdfium.FORM_OnAfterLoadPage(page, this.#form);
    try {
      const bgrx = size.width * size.height > 2 * MAX_DOTS ? undefined : this.#drawn(page, size);
      return bgrx && { ...size, dotsPerPoint, bgrx, pieces: this.#pieces(page, size) };
    } finally {
      if (this.#form !== 0) this.#pdfium.FORM_OnBeforeClosePage(page, this.#form);
      this.#pdfium.FPDF_ClosePage(page);
    }
  }

  close(): void {
    const { wasmExports, removeFunction } = this.#pdfium.pdfium;
    if (this.#form !== 0) this.#pdfium.PDFiumExt_ExitFormFillEnvironment(this.#form);
    if (this.#formInfo !== 0) this.#pdfium.PDFiumExt_CloseFormFillInfo(this.#formInfo);
    if (this.#document !== 0) this.#pdfium.FPDF_CloseDocument(this.#document);
    wasmExports.free(this.#file);
    wasmExports.free(this.#pause);
    removeFunction(this.#mustPause);
  }

  #drawn(page: number, { width, height }: PageSize): Uint8Array | undefined {
    const bitmap = this.#pdfium.FPDFBitmap_CreateEx(width, height, BGRX, 0, 0);
    if (bitmap === 0) return undefined;
    try {
      this.#pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
      const area = [bitmap, page, 0, 0, width, height, 0, WITH_ANNOTATIONS] as const;
      const status = this.#pdfium.FPDF_RenderPageBitmap_Start(...area, this.#pause);
      this.#pdfium.FPDF_RenderPage_Close(page);
      // What pauses has no time left.
      if (status === TO_BE_CONTINUED || status !== DONE) return undefined;
      if (this.#form !== 0) this.#pdfium.FPDF_FFLDraw(this.#form, ...area);
      const stride = this.#pdfium.FPDFBitmap_GetStride(bitmap);
      const start = this.#pdfium.FPDFBitmap_GetBuffer(bitmap);
      return stride === width * 4 ? memoryOf(this.#pdfium).slice(start, start + stride * height) : undefined;
    } finally {
      this.#pdfium.FPDFBitmap_Destroy(bitmap);
    }
  }

  /** The text's and the annotations' rectangles. */
  #pieces(page: number, size: PageSize): Picture["pieces"] {
    const pdfium = this.#pdfium;
    const room = pdfium.pdfium.wasmExports.malloc(32);
    const pieces: { left: number; top: number; right: number; bottom: number }[] = [];
    const toDots = (x: number, y: number): [number, number] => {
      const { setValue: _, getValue } = pdfium.pdfium;
      pdfium.FPDF_PageToDevice(page, 0, 0, size.width, size.height, 0, x, y, room, room + 4);
      return [getValue(room, "i32"), getValue(room + 4, "i32")];
    };
    const add = (x1: number, y1: number, x2: number, y2: number): void => {
      const [[left, top], [right, bottom]] = [toDots(x1, y1), toDots(x2, y2)];
      pieces.push({
        left: Math.min(left, right),
        top: Math.min(top, bottom),
        right: Math.max(left, right),
        bottom: Math.max(top, bottom),
      });
    };
    const value = (offset: number, type: "double" | "float") => pdfium.pdfium.getValue(room + offset, type);
    const text = pdfium.FPDFText_LoadPage(page);
    if (text !== 0) {
      const count = Math.min(MAX_PIECES, pdfium.FPDFText_CountRects(text, 0, -1));
      for (let index = 0; index < count; index += 1) {
        if (!pdfium.FPDFText_GetRect(text, index, room, room + 8, room + 16, room + 24)) continue;
        add(value(0, "double"), value(8, "double"), value(16, "double"), value(24, "double"));
      }
      pdfium.FPDFText_ClosePage(text);
    }
    for (let index = 0; index < Math.min(MAX_PIECES, pdfium.FPDFPage_GetAnnotCount(page)); index += 1) {
      const annotation = pdfium.FPDFPage_GetAnnot(page, index);
      if (annotation === 0) continue;
      const isMark = !UNMARKED_SUBTYPES.has(pdfium.FPDFAnnot_GetSubtype(annotation));
      // FS_RECTF: left, top, right, bottom.
      if (isMark && pdfium.FPDFAnnot_GetRect(annotation, room)) {
        add(value(0, "float"), value(4, "float"), value(8, "float"), value(12, "float"));
      }
      pdfium.FPDFPage_CloseAnnot(annotation);
    }
    pdfium.pdfium.wasmExports.free(room);
    return pieces;
  }
}

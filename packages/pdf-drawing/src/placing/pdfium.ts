import type { WrappedPdfiumModule } from "@embedpdf/pdfium";
import type { PageSize } from "@rubrica/pdf-reading/pages";
import type { DrawingTime } from "./drawing-time.ts";
import { memoryOf, PdfiumInstance } from "./pdfium-instance.ts";
import { type DrawnPage, type Edges, PdfiumPage } from "./pdfium-page.ts";

export type { DrawnPage, Edges };

/** The version of the structure that tells when to pause. */
const PAUSE_VERSION = 1;

/** Draws pages of a file, for as long as drawing may take, and in the memory that it may take; what it took is given back by `close`. */
export class Renderer {
  readonly #instance: PdfiumInstance;
  readonly #time: DrawingTime;
  readonly #bytes: Uint8Array;
  /** Null where it can't be opened; undefined before it was tried. */
  #opened: OpenedFile | null | undefined;

  private constructor(instance: PdfiumInstance, time: DrawingTime, bytes: Uint8Array) {
    this.#instance = instance;
    this.#time = time;
    this.#bytes = bytes;
  }

  static async of(bytes: Uint8Array, time: DrawingTime): Promise<Renderer> {
    return new Renderer(await PdfiumInstance.ready(), time, bytes);
  }

  /** 0 when the file can't be opened. */
  get pageCount(): number {
    return this.#file()?.pageCount ?? 0;
  }

  /**
   * Does work that asks for several things; all of it is watched once, which costs less than each by itself. Undefined
   * where it took too long: from then on nothing more is told of the file.
   */
  together<Result>(work: () => Result): Result | undefined {
    return this.#instance.attempt(this.#time.leftMs(), work);
  }

  /**
   * Where a page (index from 0) of a size in points has marks, seen or not, in points from its top left: nothing is
   * drawn outside of these. Undefined when that can't be told, or not within bounds.
   */
  occupied(index: number, size: PageSize): readonly Edges[] | undefined {
    return this.together(() => this.#file()?.page(index)?.occupied(size));
  }

  /** A page (index from 0) of a size in points; undefined when it can't be drawn, or not within bounds. */
  picture(index: number, size: PageSize): DrawnPage | undefined {
    return this.seen(index, size, (picture) => ({ ...picture, bgrx: picture.bgrx.slice() }));
  }

  /** What a look at a page's picture tells; the picture's dots are there only so long. */
  seen<Seen>(index: number, size: PageSize, look: (picture: DrawnPage) => Seen): Seen | undefined {
    return this.together(() => this.#file()?.seen(index, size, look));
  }

  close(): void {
    this.#instance.rest(() => this.#opened?.close());
  }

  #file(): OpenedFile | null {
    if (this.#opened === undefined) {
      // Whatever comes of it: what could not be opened in time is not tried again.
      this.#opened = null;
      const isOver = () => this.#time.isOver();
      const open = (pdfium: WrappedPdfiumModule) => new OpenedFile(pdfium, this.#bytes, isOver);
      this.#opened = this.#instance.attempt(this.#time.leftMs(), open) ?? null;
    }
    return this.#opened;
  }
}

/** A file that PDFium has opened. */
class OpenedFile {
  readonly #pdfium: WrappedPdfiumModule;
  readonly #isOver: () => boolean;
  readonly #file: number;
  readonly #document: number;
  readonly pageCount: number;
  /** The page that was asked for last: what is asked of it next need not read it anew. */
  #page: { index: number; page: PdfiumPage | undefined } | undefined;
  /** What drawing takes, once something is drawn. */
  #drawing: { formInfo: number; form: number; pause: number; mustPause: number } | undefined;

  constructor(pdfium: WrappedPdfiumModule, bytes: Uint8Array, isOver: () => boolean) {
    this.#pdfium = pdfium;
    this.#isOver = isOver;
    this.#file = pdfium.pdfium.wasmExports.malloc(bytes.length);
    memoryOf(pdfium).set(bytes, this.#file);
    this.#document = pdfium.FPDF_LoadMemDocument(this.#file, bytes.length, "");
    this.pageCount = this.#document === 0 ? 0 : pdfium.FPDF_GetPageCount(this.#document);
  }

  page(index: number): PdfiumPage | undefined {
    if (this.#page?.index === index) return this.#page.page;
    this.#leavePage();
    const page = this.#document === 0 ? 0 : this.#pdfium.FPDF_LoadPage(this.#document, index);
    this.#page = { index, page: page === 0 ? undefined : new PdfiumPage(this.#pdfium, page) };
    return this.#page.page;
  }

  seen<Seen>(index: number, size: PageSize, look: (picture: DrawnPage) => Seen): Seen | undefined {
    const page = this.page(index);
    if (page === undefined) return undefined;
    const { form, pause } = this.#ready();
    return page.seen(size, form, pause, look);
  }

  close(): void {
    const { wasmExports, removeFunction } = this.#pdfium.pdfium;
    this.#leavePage();
    if (this.#drawing) {
      const { form, formInfo, pause, mustPause } = this.#drawing;
      if (form !== 0) this.#pdfium.PDFiumExt_ExitFormFillEnvironment(form);
      if (formInfo !== 0) this.#pdfium.PDFiumExt_CloseFormFillInfo(formInfo);
      wasmExports.free(pause);
      removeFunction(mustPause);
    }
    if (this.#document !== 0) this.#pdfium.FPDF_CloseDocument(this.#document);
    wasmExports.free(this.#file);
  }

  #leavePage(): void {
    this.#page?.page?.close();
    this.#page = undefined;
  }

  #ready() {
    this.#drawing ??= this.#start();
    return this.#drawing;
  }

  #start() {
    const { wasmExports, addFunction, setValue } = this.#pdfium.pdfium;
    const formInfo = this.#pdfium.PDFiumExt_OpenFormFillInfo();
    const form = formInfo === 0 ? 0 : this.#pdfium.PDFiumExt_InitFormFillEnvironment(this.#document, formInfo);
    const mustPause = addFunction(() => (this.#isOver() ? 1 : 0), "ii");
    const pause = wasmExports.malloc(12);
    setValue(pause, PAUSE_VERSION, "i32");
    setValue(pause + 4, mustPause, "i32");
    setValue(pause + 8, 0, "i32");
    return { formInfo, form, pause, mustPause };
  }
}

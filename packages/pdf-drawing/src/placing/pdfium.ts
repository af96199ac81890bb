import type { WrappedPdfiumModule } from "@embedpdf/pdfium";
import type { PageSize } from "@rubrica/pdf-reading/pages";
import type { DrawingTime } from "./drawing-time.ts";
import { memoryOf, PdfiumInstance } from "./pdfium-instance.ts";
import { type Edges, PdfiumPage, type Picture } from "./pdfium-page.ts";

export type { Edges, Picture };

/** The version of the structure that tells when to pause. */
const PAUSE_VERSION = 1;
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
    return this.#opened?.pageCount ?? 0;
  }

  /**
   * Where a page (index from 0) of a size in points bears something, seen or not, in points from its top left: nothing is
   * drawn outside of these. Undefined when that can't be told, or not within bounds.
   */
  occupied(index: number, size: PageSize): readonly Edges[] | undefined {
    return this.#instance.attempt(this.#time.leftMs(), () => this.#opened?.page(index)?.occupied(size));
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

  picture(index: number, size: PageSize): Picture | undefined {
    const page = this.page(index);
    if (page === undefined) return undefined;
    const { form, pause } = this.#ready();
    return page.picture(size, form, pause);
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

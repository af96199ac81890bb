import type * as PdfJs from "pdfjs-dist";
import type { PDFDocumentProxy } from "pdfjs-dist";

/** The folder of pdf.js under `/assets/`, put in when the page is bundled. */
declare const PDFJS_FOLDER: string;

const address = (path: string): string => new URL(`./${PDFJS_FOLDER}/${path}`, import.meta.url).href;

interface Engine {
  pdfjs: typeof PdfJs;
  worker: PdfJs.PDFWorker;
}

let loading: Promise<Engine> | undefined;
let attempts = 0;

/**
 * Loads pdf.js and starts its worker, once; called early, so that both come while the document does. A failure is
 * forgotten, so that a retry loads again.
 */
export const loadPdfEngine = (): Promise<Engine> => {
  loading ??= startEngine();
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
};

const startEngine = async (): Promise<Engine> => {
  // A browser remembers that a module did not come, for as long as the page is open: ask under another address.
  const version = attempts === 0 ? "" : `?attempt=${attempts}`;
  attempts += 1;
  const pdfjs: typeof PdfJs = await import(address(`legacy/build/pdf.min.mjs${version}`));
  pdfjs.GlobalWorkerOptions.workerSrc = address(`legacy/build/pdf.worker.min.mjs${version}`);
  return { pdfjs, worker: pdfjs.PDFWorker.create({}) };
};

/**
 * Opens a PDF from its bytes, which pdf.js takes over. Throws what pdf.js throws; the next attempt then has a new
 * worker, since this one's file may not have come.
 */
export const openPdf = async (bytes: Uint8Array<ArrayBuffer>): Promise<PDFDocumentProxy> => {
  const { pdfjs, worker } = await loadPdfEngine();
  const task = pdfjs.getDocument({
    data: bytes,
    worker,
    cMapUrl: address("cmaps/"),
    iccUrl: address("iccs/"),
    standardFontDataUrl: address("standard_fonts/"),
    wasmUrl: address("wasm/"),
    enableXfa: false,
    // Letters are drawn by their outlines: as a font of the browser, a font of the file would run its hinting programs,
    // which can show other letters in one size or on one system.
    disableFontFace: true,
  });
  return task.promise.catch((error: unknown) => {
    loading = undefined;
    worker.destroy();
    throw error;
  });
};

/** The SHA-256 in hex; null where the browser has none to offer (plain HTTP other than localhost). */
export const sha256Hex = async (bytes: Uint8Array<ArrayBuffer>): Promise<string | null> => {
  if (globalThis.crypto?.subtle === undefined) return null;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
};

import type * as PdfJs from "pdfjs-dist";
import type { PDFDocumentProxy } from "pdfjs-dist";

/** The folder of pdf.js under `/assets/`, put in when the page is bundled. */
declare const PDFJS_FOLDER: string;

const address = (path: string): string => new URL(`./${PDFJS_FOLDER}/${path}`, import.meta.url).href;

let loading: Promise<typeof PdfJs> | undefined;

/** Loads pdf.js, once; a failure is forgotten, so that a retry loads again. */
export const loadPdfJs = (): Promise<typeof PdfJs> => {
  loading ??= import(address("legacy/build/pdf.min.mjs")).then((pdfjs: typeof PdfJs) => {
    pdfjs.GlobalWorkerOptions.workerSrc = address("legacy/build/pdf.worker.min.mjs");
    return pdfjs;
  });
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
};

/** Opens a PDF from its bytes, which pdf.js takes over. Throws what pdf.js throws. */
export const openPdf = async (bytes: Uint8Array<ArrayBuffer>): Promise<PDFDocumentProxy> => {
  const pdfjs = await loadPdfJs();
  const task = pdfjs.getDocument({
    data: bytes,
    cMapUrl: address("cmaps/"),
    iccUrl: address("iccs/"),
    standardFontDataUrl: address("standard_fonts/"),
    wasmUrl: address("wasm/"),
  });
  return task.promise;
};

/** The SHA-256 in hex; null where the browser has none to offer (plain HTTP other than localhost). */
export const sha256Hex = async (bytes: Uint8Array<ArrayBuffer>): Promise<string | null> => {
  if (globalThis.crypto?.subtle === undefined) return null;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
};

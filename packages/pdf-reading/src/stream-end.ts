import { inflateSync } from "node:zlib";
import { PDFArray, type PDFDict, PDFName } from "pdf-lib";
import { bufferOf } from "./bytes.ts";

const FILTER = PDFName.of("Filter");
const flate = [PDFName.of("FlateDecode"), PDFName.of("Fl")];
/** A stream that inflates further, and has what ends a stream in it, is not looked into. */
const MAX_INFLATED_BYTES = 16 * 1024 * 1024;

/**
 * Whether a stream's data holds what ends a stream for who looks for the end, so that readers take it for shorter or
 * longer. What is compressed ends by itself: behind that, nobody reads on.
 */
export const endsTwice = (dict: PDFDict, data: Uint8Array): boolean => {
  const buffer = bufferOf(data);
  for (let at = buffer.indexOf("endstream"); at >= 0; at = buffer.indexOf("endstream", at + 1)) {
    if (/^endstream\s*endobj/.test(buffer.toString("latin1", at, at + 32))) return !isWhole(dict, data.subarray(0, at));
  }
  return false;
};

/** Whether compressed data is there to its end. */
const isWhole = (dict: PDFDict, data: Uint8Array): boolean => {
  const filters = dict.get(FILTER);
  const first = filters instanceof PDFArray && filters.size() > 0 ? filters.get(0) : filters;
  if (!flate.some((name) => name === first)) return false;
  try {
    inflateSync(data, { maxOutputLength: MAX_INFLATED_BYTES });
    return true;
  } catch {
    return false;
  }
};

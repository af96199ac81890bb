/** A running office program. It may crash, hang or answer with rubbish: whoever holds it watches it. */
export interface OfficeProcess {
  /** The PDF, unchecked. Rejects with {@link UnreadableDocx}, or with anything when the process breaks. */
  convert(docx: Uint8Array): Promise<Uint8Array>;
  /** What it takes of the machine now; 0 where that is not known. */
  memoryMb(): number;
  /** Ends it by force, and removes what it left behind. */
  kill(): Promise<void>;
}

/** A kind of office program. */
export interface Office {
  readonly engine: "native" | "wasm";
  /** Whether it can read nothing of this machine but what programs are made of, and its own folder. */
  readonly isConfined: boolean;
  /** Starts one. Whatever was started is gone when this rejects, or after `signal` was aborted. */
  start(signal: AbortSignal): Promise<OfficeProcess>;
  /** Converts one document by a process of its own that is gone afterwards; undefined where there is no such way. */
  readonly convertOnce: ((docx: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>) | undefined;
  /** Removes what all of them left behind. */
  close(): Promise<void>;
}

/** The program works, and says that it cannot read the document. */
export class UnreadableDocx extends Error {}

/** Shorter than any PDF with a page in it that either engine writes; broken runs give some hundred bytes. */
const LEAST_PDF_BYTES = 900;

/** Whether bytes are a whole PDF, as far as its two ends tell. */
export const isWholePdf = (pdf: Uint8Array): boolean => {
  const buffer = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength);
  return (
    buffer.length >= LEAST_PDF_BYTES &&
    buffer.toString("latin1", 0, 5) === "%PDF-" &&
    buffer.subarray(-64).includes("%%EOF")
  );
};

/** Turns a DOCX into a PDF as an office program prints it. */
export interface DocxConverter {
  readonly engine: "native" | "wasm";
  /**
   * The PDF. Documents beyond the number of processes wait; callers come one after the other.
   * @param caller who it is done for, such as `account:<id>`
   * @throws {ConversionFailed} @throws {HelpersBusy} when too many wait.
   */
  convert(docx: Uint8Array, caller: string): Promise<Uint8Array>;
  /** Ends every process; what is being converted, or waits, fails. */
  close(): Promise<void>;
}

/**
 * `unreadable` is the document's fault, and so is `too_large`: it takes more memory than a document may. The others may be
 * a fault of the moment, after all attempts.
 */
export type ConversionFailure = "unreadable" | "too_large" | "crashed" | "hung" | "empty" | "closed";

/** The document was not converted. The message holds nothing of it. */
export class ConversionFailed extends Error {
  readonly reason: ConversionFailure;

  constructor(reason: ConversionFailure) {
    super(`the document was not converted: ${reason}`);
    this.name = "ConversionFailed";
    this.reason = reason;
  }
}

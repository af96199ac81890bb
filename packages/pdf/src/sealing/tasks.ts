import type { Stamp } from "@rubrica/pdf-drawing/stamping/box";
import { type Appearance, mayShowFields, stampAppearances, stampPages } from "@rubrica/pdf-drawing/stamping/stamp";
import { reasonOf } from "@rubrica/pdf-drawing/stamping/texts";
import type { Updated } from "@rubrica/pdf-reading/bytes";
import { openDocument } from "@rubrica/pdf-reading/open";
import { Revision } from "@rubrica/pdf-reading/revision";
import { addSignatureField, type Prepared, prepare, type SignatureEntries } from "./field.ts";
import { unprovenIssuer } from "./former-store.ts";
import type { SealsOfFile } from "./seals-of-file.ts";
import type { ValidationData } from "./validation-data.ts";

/** What sealing has done where files are read. */
export type SealingTask =
  | {
      kind: "prepareSeal";
      bytes: Uint8Array;
      stamps: readonly Stamp[];
      entries: SignatureEntries;
      contentsBytes: number;
    }
  | { kind: "addValidationData"; bytes: Uint8Array; data: ValidationData }
  | { kind: "readSeals"; bytes: Uint8Array; certificateSha256: string }
  /** Without data, a timestamp alone is prepared. */
  | { kind: "prepareArchive"; bytes: Uint8Array; data: ValidationData | null; contentsBytes: number };

/** What comes of each kind of task. */
export interface SealingResults {
  /**
   * `left`: the stamps that are still to come, each with a seal of its own. `unprovenIssuer`: of a revocation list that
   * the document came with.
   */
  prepareSeal: Prepared & { left: readonly Stamp[]; unprovenIssuer: string | null };
  addValidationData: Uint8Array;
  readSeals: SealsOfFile;
  /** Validation data added, where there is some, and bytes reserved for a document timestamp over all of it. */
  prepareArchive: Prepared;
}

/** Has tasks done. Throws as the engine's runner does. */
export interface SealingRunner {
  run<Kind extends SealingTask["kind"]>(task: Extract<SealingTask, { kind: Kind }>): Promise<SealingResults[Kind]>;
}

/** What a task makes: a file that is prepared to be sealed is not joined before it is where it stays. */
export type Made<Result> = Result extends Prepared ? Omit<Result, "bytes"> & { bytes: Updated } : Result;

/**
 * Stamps and reserves bytes for the seal, as one revision. A document that carries signatures takes one
 * stamp at a time, as the appearance of the seal's own field.
 */
export const prepareSeal = async ({
  bytes,
  stamps,
  entries,
  contentsBytes,
}: Extract<SealingTask, { kind: "prepareSeal" }>): Promise<Made<SealingResults["prepareSeal"]>> => {
  const document = await openDocument(bytes);
  const revision = new Revision(document.file);
  let shown = stamps;
  let left: readonly Stamp[] = [];
  let appearances: Appearance[] = [];
  if (document.signatures.length === 0) {
    await stampPages(document, revision, stamps);
  } else {
    [shown, left] = [stamps.slice(0, 1), stamps.slice(1)];
    const [first] = shown;
    if (first !== undefined && mayShowFields(document)) appearances = await stampAppearances(document, revision, first);
  }
  const named = { ...entries, reason: entries.reason ?? reasonOf(shown) };
  const signature = addSignatureField(document, revision, named, contentsBytes, appearances);
  return {
    ...prepare(revision.write(), signature, contentsBytes),
    left,
    unprovenIssuer: unprovenIssuer(document.file),
  };
};

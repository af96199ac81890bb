import { type Admission, admit } from "@rubrica/pdf-admission";
import { type Inspection, inspect } from "@rubrica/pdf-drawing/inspect";
import { asSigned, type SignedPage } from "@rubrica/pdf-drawing/placing/as-signed";
import type { Stamp } from "@rubrica/pdf-drawing/stamping/box";
import { type Appearance, mayShowFields, stampAppearances, stampPages } from "@rubrica/pdf-drawing/stamping/stamp";
import { reasonOf } from "@rubrica/pdf-drawing/stamping/texts";
import { undrawableIn } from "@rubrica/pdf-drawing/text/drawable";
import { joined, type Updated } from "@rubrica/pdf-reading/bytes";
import { openDocument } from "@rubrica/pdf-reading/open";
import { PdfRefused } from "@rubrica/pdf-reading/refused";
import { Revision } from "@rubrica/pdf-reading/revision";
import type { AdmittedAndPlaced, AskedPlaces } from "../port.ts";
import { prepareArchive, withSecurityStore } from "../sealing/archive.ts";
import { addSignatureField, type Prepared, prepare, type SignatureEntries } from "../sealing/field.ts";
import { unprovenIssuer } from "../sealing/former-store.ts";
import { type SealsOfFile, sealsOf } from "../sealing/seals-of-file.ts";
import type { ValidationData } from "../sealing/validation-data.ts";
import type { Verification } from "../verification/findings.ts";
import { withSoundAdditions } from "../verification/sound-additions.ts";
import { type Beside, verify } from "../verification/verify.ts";
import { admitAndPlace } from "./admit-and-place.ts";

/** What a worker does; each task is whole in itself and leaves nothing behind. */
export type Task =
  | { kind: "inspect"; bytes: Uint8Array }
  | { kind: "admit"; bytes: Uint8Array }
  | { kind: "admitAndPlace"; bytes: Uint8Array; asked: AskedPlaces; renders: boolean }
  | { kind: "stamp"; bytes: Uint8Array; stamps: readonly Stamp[] }
  | {
      kind: "prepareSeal";
      bytes: Uint8Array;
      stamps: readonly Stamp[];
      entries: SignatureEntries;
      contentsBytes: number;
    }
  | { kind: "addValidationData"; bytes: Uint8Array; data: ValidationData }
  | { kind: "readSeals"; bytes: Uint8Array; certificateSha256: string }
  | { kind: "undrawable"; texts: readonly string[] }
  | { kind: "verify"; bytes: Uint8Array; roots: readonly Uint8Array[]; beside: Beside }
  | { kind: "asSigned"; bytes: Uint8Array; signedBytes: number }
  /** Without data, a timestamp alone is prepared. */
  | { kind: "prepareArchive"; bytes: Uint8Array; data: ValidationData | null; contentsBytes: number };

/** What comes of each kind of task. */
export interface Results {
  inspect: Inspection;
  admit: Admission;
  admitAndPlace: AdmittedAndPlaced;
  stamp: Uint8Array;
  /**
   * `left`: the stamps that are still to come, each with a seal of its own. `unprovenIssuer`: of a revocation list that
   * the document came with.
   */
  prepareSeal: Prepared & { left: readonly Stamp[]; unprovenIssuer: string | null };
  addValidationData: Uint8Array;
  readSeals: SealsOfFile;
  /** For each text, the characters that no font has. */
  undrawable: string[][];
  verify: Verification;
  asSigned: SignedPage | null;
  /** Validation data added, where there is some, and bytes reserved for a document timestamp over all of it. */
  prepareArchive: Prepared;
}

/** What a task makes: a file that is prepared to be sealed is not joined before it is where it stays. */
export type Made<Result> = Result extends Prepared ? Omit<Result, "bytes"> & { bytes: Updated } : Result;

/** Runs a task. Throws `PdfRefused` when the document can't be taken. */
export const run = async (task: Task): Promise<Made<Results[Task["kind"]]>> => {
  switch (task.kind) {
    case "inspect":
      return inspect(task.bytes);
    case "admit":
      return admit(task.bytes);
    case "admitAndPlace":
      return admitAndPlace(task.bytes, task.asked, task.renders);
    case "stamp":
      return stampOnly(task.bytes, task.stamps);
    case "prepareSeal":
      return prepareSeal(task.bytes, task.stamps, task.entries, task.contentsBytes);
    case "addValidationData":
      return withSecurityStore(await openDocument(task.bytes), task.data);
    case "prepareArchive":
      return prepareArchive(await openDocument(task.bytes), task.data, task.contentsBytes);
    case "readSeals":
      return sealsOf((await openDocument(task.bytes)).file, task.certificateSha256);
    case "undrawable":
      return task.texts.map(undrawableIn);
    case "verify":
      return withSoundAdditions(verify(task.bytes, task.roots, task.beside), task.bytes);
    case "asSigned":
      return asSigned(task.bytes, task.signedBytes);
    default:
      return task satisfies never;
  }
};

const stampOnly = async (bytes: Uint8Array, stamps: readonly Stamp[]): Promise<Uint8Array> => {
  const document = await openDocument(bytes);
  if (document.signatures.length > 0) throw new PdfRefused("changes_forbidden");
  const revision = new Revision(document.file);
  await stampPages(document, revision, stamps);
  return joined(revision.write());
};

/**
 * Stamps and reserves bytes for the seal, as one revision. A document that carries signatures takes one
 * stamp at a time, as the appearance of the seal's own field.
 */
const prepareSeal = async (
  bytes: Uint8Array,
  stamps: readonly Stamp[],
  entries: SignatureEntries,
  contentsBytes: number,
): Promise<Made<Results["prepareSeal"]>> => {
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

import { type Admission, admit, admitted } from "@rubrica/pdf-admission";
import { type Inspection, inspect } from "@rubrica/pdf-drawing/inspect";
import { asSigned, type SignedPage } from "@rubrica/pdf-drawing/placing/as-signed";
import { placeOn } from "@rubrica/pdf-drawing/placing/place";
import type { Stamp } from "@rubrica/pdf-drawing/stamping/box";
import { stampPages } from "@rubrica/pdf-drawing/stamping/stamp";
import { undrawableIn } from "@rubrica/pdf-drawing/text/drawable";
import { joined } from "@rubrica/pdf-reading/bytes";
import { openDocument } from "@rubrica/pdf-reading/open";
import { PdfRefused } from "@rubrica/pdf-reading/refused";
import { Revision } from "@rubrica/pdf-reading/revision";
import { askedFaults, wantedPlaces } from "../asked-places.ts";
import type { AdmittedAndPlaced, AskedPlaces } from "../port.ts";
import { prepareArchive, withSecurityStore } from "../sealing/archive.ts";
import { rehearse } from "../sealing/rehearse.ts";
import { sealsOf } from "../sealing/seals-of-file.ts";
import { type Made, prepareSeal, type SealingResults, type SealingTask } from "../sealing/tasks.ts";
import type { Verification } from "../verification/findings.ts";
import { withSoundAdditions } from "../verification/sound-additions.ts";
import { type Beside, verify } from "../verification/verify.ts";

/** What a worker does; each task is whole in itself and leaves nothing behind. */
export type Task =
  | SealingTask
  | { kind: "inspect"; bytes: Uint8Array }
  | { kind: "admit"; bytes: Uint8Array }
  | { kind: "admitAndPlace"; bytes: Uint8Array; asked: AskedPlaces; renders: boolean }
  | { kind: "stamp"; bytes: Uint8Array; stamps: readonly Stamp[] }
  | { kind: "undrawable"; texts: readonly string[] }
  | { kind: "verify"; bytes: Uint8Array; roots: readonly Uint8Array[]; beside: Beside }
  | { kind: "asSigned"; bytes: Uint8Array; signedBytes: readonly number[] };

/** What comes of each kind of task. */
export interface Results extends SealingResults {
  inspect: Inspection;
  admit: Admission;
  admitAndPlace: AdmittedAndPlaced;
  stamp: Uint8Array;
  /** For each text, the characters that no font has. */
  undrawable: string[][];
  verify: Verification;
  asSigned: SignedPage | null;
}

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
      return prepareSeal(task);
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
 * Takes a document in, finds its signatures' places, and tries them out: all that is done with it before it is accepted,
 * so that it is read once. Throws `PdfRefused`, `Damaged` and `TooComplex`.
 * @param renders whether pages are drawn to find places that are free; if not, no place counts as free
 */
const admitAndPlace = async (bytes: Uint8Array, asked: AskedPlaces, renders: boolean): Promise<AdmittedAndPlaced> => {
  const { document, admission } = await admitted(bytes);
  const { inspection } = admission;
  const known = { pagesBefore: inspection.pageCount };
  const faults = askedFaults(inspection, asked);
  if (faults.length > 0) return { ...known, faults, placements: [], bytes: admission.bytes, inspection };
  const { everyPage, title } = asked;
  const places = { wanted: wantedPlaces(inspection, asked), everyPage, title };
  const placed = await placeOn({ document, inspection }, places, renders);
  const given = placed.bytes ?? admission.bytes ?? bytes;
  rehearse(placed.document, given.length, placed.placements);
  const { placements } = placed;
  const changed = placed.bytes ?? admission.bytes;
  return { ...known, faults, placements, bytes: changed, inspection: placed.inspection };
};

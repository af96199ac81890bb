import { inspected } from "@rubrica/pdf-drawing/inspect";
import { assertDrawsNothingDeleted } from "@rubrica/pdf-reading/deleted";
import { Damaged, unlessDamaged } from "@rubrica/pdf-reading/faults";
import { type OpenDocument, openDocument } from "@rubrica/pdf-reading/open";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { hasFurtherObjects, recovered } from "@rubrica/pdf-reading/recovery";
import { PdfRefused } from "@rubrica/pdf-reading/refused";
import { rewrittenFile } from "@rubrica/pdf-reading/rewritten";
import { PDFDict, PDFName, type PDFObject, PDFRef } from "pdf-lib";
import { ActiveContentFinder } from "./active-content.ts";
import type { ActiveContent, Admission } from "./admission.ts";
import { type Ambiguity, AmbiguityFinder, ambiguities } from "./ambiguity.ts";
import { holdsContent } from "./content/contents.ts";
import { setResources } from "./content/given-fonts.ts";
import { setGroup } from "./content/groups.ts";
import { type ContentLook, lookAtContents } from "./content/look.ts";
import { unturnMask } from "./content/unturned-masks.ts";
import { isDynamicForm } from "./dynamic-form.ts";
import { mendedBoxes, setBox } from "./fonts/cff-box.ts";
import { programsOf, unhintedPrograms } from "./fonts/hinting.ts";
import { drawnPictures } from "./jbig2-pictures.ts";
import { lookAtPictures, type MeasurablePicture, type PictureLook, pictureOf, setSize } from "./picture-data.ts";
import { completeTable } from "./short-tables.ts";

const ENCRYPT = PDFName.of("Encrypt");

/**
 * Takes a document in: what signers are going to see, hash and sign. An unsigned file is written anew if it has
 * active content, if readers disagree on it, if it had to be repaired, or if it has pictures in JBIG2 or hints that
 * move letters: nothing of that is left in its bytes. Else it stays as it is, decrypted where everybody may open it,
 * from its header on. A signed file is never written anew: it is refused if readers disagree on it, or if it shows
 * something else elsewhere. Throws `PdfRefused`, `Damaged` and `TooComplex`.
 */
export const admit = async (bytes: Uint8Array): Promise<Admission> => (await admitted(bytes)).admission;

/** The same, with the document to go on with, opened. */
export const admitted = async (bytes: Uint8Array): Promise<{ document: OpenDocument; admission: Admission }> => {
  const document = await openDocument(bytes);
  if (isDynamicForm(document.file)) throw new PdfRefused("dynamic_form");
  assertDrawsNothingDeleted(document.file, document.pages);
  const isSigned = document.signatures.length > 0;
  const { active, ambiguity, contents, pictures, programs } = lookedThrough(document);
  if (ambiguity !== null && isSigned) {
    throw new PdfRefused("ambiguous", { cause: new Damaged(ambiguities[ambiguity]) });
  }
  if (contents.fault !== null || (isSigned && active.includes("shown_otherwise"))) throw shownOtherwise(contents);
  const { dots, areAllAlike } = await drawnPictures(document.file, pictures.inJbig2);
  const unhinted = await unhintedPrograms(document.file, programs);
  if (isSigned && (!areAllAlike || unhinted.size > 0)) throw shownOtherwise(contents);
  // What was appended to mend a file is not seen by readers that mend it otherwise.
  const wasRepaired = document.file.bytes.length > bytes.length;
  const isDrawnAlike = pictures.inJbig2.length === 0 && unhinted.size === 0;
  if (isSigned || (active.length === 0 && ambiguity === null && !wasRepaired && isDrawnAlike)) {
    const openedAs = isOpenedAsItIs(document, bytes) ? null : document.file.bytes;
    return { document, admission: { bytes: openedAs, inspection: inspected(document), active, disarmed: [] } };
  }
  const changed = await writtenAnew(document, contents, pictures, { dots, unhinted });
  const settled = await openDocument(changed);
  const left = lookedThrough(settled);
  // A layer that only some readers hide, in a file without one that all of them hide, or that content writes itself; a
  // picture in JBIG2 that can't be drawn.
  if (left.active.includes("shown_otherwise") || left.pictures.inJbig2.length > 0) throw shownOtherwise(left.contents);
  if (left.active.length > 0) throw new Error("active content was left in a file");
  if (left.ambiguity !== null) {
    throw new PdfRefused("broken", { cause: new Damaged(ambiguities[left.ambiguity]) });
  }
  const admission = { bytes: changed, inspection: inspected(settled), active: [], disarmed: active };
  return { document: settled, admission };
};

/** Else it was decrypted, or what stood before its header was left out: what is sealed begins with what is signed. */
const isOpenedAsItIs = ({ file }: OpenDocument, bytes: Uint8Array): boolean =>
  file.bytes.buffer === bytes.buffer &&
  file.bytes.byteOffset === bytes.byteOffset &&
  file.bytes.length === bytes.length;

/** A file without what it does by itself, and with what stands in the place of what readers disagree on. */
const writtenAnew = async (
  { file }: OpenDocument,
  contents: ContentLook,
  pictures: PictureLook,
  { dots, unhinted }: Readonly<Record<"dots" | "unhinted", ReadonlyMap<number, Uint8Array>>>,
): Promise<Uint8Array> => {
  const finder = new ActiveContentFinder(file);
  const boxes = mendedBoxes(file);
  return await rewrittenFile(file, {
    change: (object, number, isStream) => {
      finder.disarm(object, isStream);
      setSize(object, pictures.sizes.get(number));
      if (pictures.beyondTables.has(number)) completeTable(object, file);
      setGroup(object, contents.regrouped.get(number));
      setResources(object, contents.refonted.get(number));
      unturnMask(object, contents.moved.get(number));
      setBox(object, boxes);
    },
    complete: (context) => finder.complete(context),
    contents: new Map([...contents.mended, ...boxes.programs, ...unhinted]),
    compressed: dots,
  });
};

/** Nothing can stand there instead; what is wrong with its contents is for the log. */
const shownOtherwise = ({ fault }: ContentLook): PdfRefused =>
  new PdfRefused("shown_otherwise", fault === null ? {} : { cause: new Damaged(`a content of it: ${fault}`) });

/** What going once through all of a document finds. */
export interface LookedThrough {
  /** In alphabetical order. */
  active: ActiveContent[];
  ambiguity: Ambiguity | null;
  contents: ContentLook;
  pictures: PictureLook;
  /** Of fonts, which may be of TrueType. */
  programs: readonly PDFRef[];
}

/** Goes through a document for active content, and for what readers disagree on. */
export const lookedThrough = (document: OpenDocument): LookedThrough => {
  const { file, signatures } = document;
  const doubts = new AmbiguityFinder(file);
  const found = new Set<ActiveContent>();
  const places: [start: number, end: number][] = [];
  const finder = new ActiveContentFinder(file);
  const holders: PDFRef[] = [];
  const drawn: MeasurablePicture[] = [];
  const programs: PDFRef[] = [];
  let hasOthers = false;
  const encryption = numberOfEncryption(file);
  for (const ref of file.references()) {
    const { objectNumber } = ref;
    const uncached = unlessDamaged(() => file.uncached(objectNumber));
    if (uncached && holdsContent(uncached, file)) holders.push(ref);
    const picture = unlessDamaged(() => pictureOf(uncached?.object, objectNumber, file));
    if (picture !== undefined) drawn.push(picture);
    programs.push(...programsOf(uncached?.object));
    if (uncached && objectNumber !== encryption) for (const kind of finder.in(uncached)) found.add(kind);
    if (holdsOthers(file, objectNumber, uncached?.object)) hasOthers = true;
    doubts.look(objectNumber, uncached);
    const location = file.crossReference.locations.get(objectNumber);
    if (uncached !== undefined && location?.kind === "offset") places.push([location.offset, uncached.end]);
  }
  // Readers that find fault with the cross-reference look for objects by themselves, and find those that it leaves out.
  // In a signed file these are its former revisions; nothing could be done about them.
  const rebuilt =
    signatures.length === 0 && (hasOthers || hasFurtherObjects(file.bytes, places))
      ? unlessDamaged(() => recovered(file.bytes))
      : undefined;
  if (rebuilt !== undefined) for (const kind of activeIn(rebuilt)) found.add(kind);
  const contents = lookAtContents(document, holders);
  const needsMending =
    contents.fault !== null || contents.mended.size + contents.regrouped.size + contents.refonted.size > 0;
  const pictures = lookAtPictures(file, drawn);
  if (needsMending || pictures.isOther || pictures.sizes.size + pictures.beyondTables.size > 0)
    found.add("shown_otherwise");
  return { active: [...found].sort(), ambiguity: doubts.verdict(document, places), contents, pictures, programs };
};

/** The object that tells how a file is encrypted: it is judged by itself. */
const numberOfEncryption = ({ encryption, crossReference: { trailer } }: PdfFile): number | undefined => {
  const given = trailer.get(ENCRYPT);
  return encryption !== "none" && given instanceof PDFRef ? given.objectNumber : undefined;
};

/** Active content of every object of a file; the same kind may come more than once. */
function* activeIn(file: PdfFile): Generator<ActiveContent> {
  const finder = new ActiveContentFinder(file);
  for (const { objectNumber } of file.references()) {
    const uncached = unlessDamaged(() => file.uncached(objectNumber));
    if (uncached) yield* finder.in(uncached);
  }
}

/** Whether an object is a stream of objects that the cross-reference does not take from it. */
const holdsOthers = (file: PdfFile, number: number, object: PDFObject | undefined): boolean => {
  if (!(object instanceof PDFDict) || file.nameEntry(object, "Type") !== "ObjStm") return false;
  const held = unlessDamaged(() => file.heldBy(number)) ?? [];
  return held.some((one) => {
    const location = file.crossReference.locations.get(one);
    return location?.kind !== "compressed" || location.stream !== number;
  });
};

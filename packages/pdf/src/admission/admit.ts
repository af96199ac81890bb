import type { PDFObject } from "pdf-lib";
import { inspected } from "../inspect.ts";
import type { ActiveContent, Admission } from "../port.ts";
import { Damaged } from "../reading/faults.ts";
import { type OpenDocument, openDocument } from "../reading/open.ts";
import type { PdfFile } from "../reading/pdf-file.ts";
import { hasFurtherObjects, recovered } from "../reading/recovery.ts";
import { rewritten } from "../reading/rewritten.ts";
import { activeContentIn, disarm } from "./active-content.ts";

/**
 * Takes a document in: what signers are going to see, hash and sign. Where no signature is there yet, active content is
 * taken out by writing the file anew, so that nothing of it is left in its bytes; a file without any stays as it is,
 * and so does one that somebody signed. Throws `PdfRefused`.
 */
export async function admit(bytes: Uint8Array): Promise<Admission> {
  const document = await openDocument(bytes);
  const active = activeContentOf(document);
  if (active.length === 0 || document.signatures.length > 0) {
    return { bytes: null, inspection: inspected(document), active, disarmed: [] };
  }
  const changed = await rewritten(document.file, (object) => disarm(document.file, object));
  const disarmed = await openDocument(changed);
  if (activeContentOf(disarmed).length > 0) throw new Error("active content was left in a file");
  return { bytes: changed, inspection: inspected(disarmed), active: [], disarmed: active };
}

/** The active content of a document, in alphabetical order. */
export function activeContentOf({ file, signatures }: OpenDocument): ActiveContent[] {
  const found = new Set<ActiveContent>();
  const places: [start: number, end: number][] = [];
  for (const { objectNumber } of file.references()) {
    const passing = readable(() => file.passing(objectNumber));
    note(file, passing?.object, found);
    const location = file.crossReference.locations.get(objectNumber);
    if (passing !== undefined && location?.kind === "offset") places.push([location.offset, passing.end]);
  }
  // Readers that find fault with the cross-reference look for objects by themselves, and find those that it leaves out.
  // In a signed file these are its former revisions; nothing could be done about them.
  const rebuilt =
    signatures.length === 0 && hasFurtherObjects(file.bytes, places)
      ? readable(() => recovered(file.bytes))
      : undefined;
  for (const { objectNumber } of rebuilt?.references() ?? []) {
    note(
      file,
      readable(() => rebuilt?.passing(objectNumber)?.object),
      found,
    );
  }
  return [...found].sort();
}

function note(file: PdfFile, object: PDFObject | undefined, found: Set<ActiveContent>): void {
  for (const kind of activeContentIn(file, object)) found.add(kind);
}

function readable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Damaged) return undefined;
    throw error;
  }
}

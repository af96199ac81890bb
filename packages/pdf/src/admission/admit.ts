import { inspected } from "../inspect.ts";
import type { ActiveContent, Admission } from "../port.ts";
import { Damaged } from "../reading/faults.ts";
import { type OpenDocument, openDocument } from "../reading/open.ts";
import type { PdfFile } from "../reading/pdf-file.ts";
import { recovered } from "../reading/recovery.ts";
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
export function activeContentOf({ file }: OpenDocument): ActiveContent[] {
  const found = new Set<ActiveContent>();
  note(file, found, () => true);
  // Readers that find fault with the cross-reference look for objects by themselves, and find those that it leaves out.
  const rebuilt = readable(() => recovered(file.bytes));
  if (rebuilt !== undefined) {
    note(rebuilt, found, (number) => {
      const [theirs, own] = [rebuilt, file].map((one) => one.crossReference.locations.get(number));
      return !(theirs?.kind === "offset" && own?.kind === "offset" && theirs.offset === own.offset);
    });
  }
  return [...found].sort();
}

function note(file: PdfFile, found: Set<ActiveContent>, isOfInterest: (number: number) => boolean): void {
  for (const { objectNumber } of file.references()) {
    if (!isOfInterest(objectNumber)) continue;
    const object = readable(() => file.passingObject(objectNumber));
    for (const kind of activeContentIn(file, object)) found.add(kind);
  }
}

function readable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Damaged) return undefined;
    throw error;
  }
}

import type { Placement } from "@rubrica/events";
import { defaultPlacements } from "../default-placements.ts";
import { inspected } from "../inspect.ts";
import type { Inspection, Placed, PlacesWanted } from "../port.ts";
import { type OpenDocument, openDocument } from "../reading/open.ts";
import { mayShowFields } from "../stamping/stamp.ts";
import { RenderedRoom } from "./room.ts";
import { signaturePagesFor, withSignaturePages } from "./signature-page.ts";

/**
 * Finds places for signatures. Those that were given are as they were; the others go where the document as rendered
 * bears nothing, else on pages that an unsigned document gets for them, else where they cover least.
 * @param renders false: nothing is known of what the pages bear, so that none counts as free
 */
export async function place(bytes: Uint8Array, places: PlacesWanted, renders: boolean): Promise<Placed> {
  const document = await openDocument(bytes);
  const inspection = inspected(document);
  const { wanted, everyPage } = places;
  // Nothing is seen of stamps where a certification keeps them away.
  if (!mayShowFields(document)) {
    const placements = defaultPlacements(inspection, wanted, { everyPage, crowded: true });
    return { placements: whole(placements), bytes: null, inspection };
  }
  const room = renders ? await RenderedRoom.of(document.file.bytes, inspection) : null;
  try {
    const options = { everyPage, room: room ?? UNKNOWN };
    const free = defaultPlacements(inspection, wanted, options);
    if (!free.includes(null)) return { placements: whole(free), bytes: null, inspection };
    const added = everyPage ? null : await onPagesOfTheirOwn(document, inspection, places, free);
    if (added !== null) return added;
    const placements = defaultPlacements(inspection, wanted, { ...options, crowded: true });
    return { placements: whole(placements), bytes: null, inspection };
  } finally {
    room?.close();
  }
}

const UNKNOWN = { marksWithin: () => undefined };

function whole(placements: readonly (Placement | null)[]): Placement[] {
  return placements.map((placement) => {
    if (placement === null) throw new Error("a document has no page to sign on");
    return placement;
  });
}

/** Those who found no place on pages that are added for them; null for a document that takes none. */
async function onPagesOfTheirOwn(
  document: OpenDocument,
  inspection: Inspection,
  { title }: PlacesWanted,
  found: readonly (Placement | null)[],
): Promise<Placed | null> {
  if (document.signatures.length > 0) return null;
  const without = found.flatMap((placement, index) => (placement === null ? [index] : []));
  const pages = signaturePagesFor(inspection, without.length);
  const bytes = await withSignaturePages(document, inspection, pages, title);
  if (bytes === null) return null;
  const slots = pages.flatMap(({ slots }, index) =>
    slots.map((slot) => ({ pages: inspection.pageCount + index + 1, ...slot })),
  );
  const after = inspected(await openDocument(bytes));
  const { pageCount } = after;
  const placements = found.map((placement, index): Placement | null => {
    // What was the last page no longer is.
    if (placement !== null)
      return { ...placement, pages: placement.pages === "last" ? inspection.pageCount : placement.pages };
    const slot = slots[without.indexOf(index)];
    return slot === undefined ? null : { ...slot, pages: slot.pages === pageCount ? "last" : slot.pages };
  });
  return { placements: whole(placements), bytes, inspection: after };
}

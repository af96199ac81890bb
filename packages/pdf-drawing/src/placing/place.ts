import type { Placement } from "@rubrica/events";
import { type OpenDocument, openDocument } from "@rubrica/pdf-reading/open";
import { defaultPlacements, type WantedPlacement } from "../default-placements.ts";
import type { Inspection } from "../inspect.ts";
import { inspected } from "../inspect.ts";
import { isPlacement } from "../reading-order.ts";
import { mayShowFields } from "../stamping/stamp.ts";
import { RenderedFreeSpace } from "./free-space.ts";
import { signaturePagesFor, withSignaturePages } from "./signature-page.ts";

/** A look that ends since others have the processor tells nothing of the pages: where places go is no matter of their load. */
const MOST_LOOKS = 3;

/** A document that was opened, and what is known of it. */
export interface Opened {
  document: OpenDocument;
  inspection: Inspection;
}

/** Where signatures are to go on a document. */
export interface PlacesWanted {
  /** One a signer, in signing order. */
  wanted: readonly WantedPlacement[];
  /** Whether each goes on every page. */
  everyPage: boolean;
  /** What people call the document; stands on a page that is added for signatures. */
  title: string;
}

/** Where signatures go, and the document to go on with. */
export interface PlacedOn extends Opened {
  /** One a signer, in the order asked. */
  placements: readonly Placement[];
  /** The document's file, where pages for signatures were added to it; null where none were. */
  bytes: Uint8Array | null;
}

/**
 * Finds places for signatures. Those that were given are as they were; the others go where the document as rendered
 * has no marks, else on pages that an unsigned document gets for them, else where they cover least.
 * @param renders false: nothing is known of the pages' marks, so that none counts as free
 */
export const placeOn = async (
  { document, inspection }: Opened,
  places: PlacesWanted,
  renders: boolean,
): Promise<PlacedOn> => {
  const { wanted, everyPage } = places;
  const as = (placements: readonly (Placement | null)[]): PlacedOn => ({
    placements: whole(placements),
    bytes: null,
    document,
    inspection,
  });
  if (wanted.every((one) => one !== null && isPlacement(one))) return as(wanted);
  // Nothing is seen of stamps where a certification keeps them away.
  if (!mayShowFields(document)) {
    return as(defaultPlacements(inspection, wanted, { everyPage, crowded: true }));
  }
  const found = await lookedFor(document, inspection, places, renders);
  return Array.isArray(found) ? as(found) : found;
};

/** Places on the document as it is, or on pages that it gets for them. */
const lookedFor = async (
  document: OpenDocument,
  inspection: Inspection,
  places: PlacesWanted,
  renders: boolean,
): Promise<(Placement | null)[] | PlacedOn> => {
  const { wanted, everyPage } = places;
  for (let looksLeft = MOST_LOOKS - 1; ; looksLeft -= 1) {
    const freeSpace = renders ? await RenderedFreeSpace.of(document.file.bytes, inspection) : null;
    try {
      const find = (crowded: boolean): (Placement | null)[] => {
        if (freeSpace === null)
          return defaultPlacements(inspection, wanted, { everyPage, freeSpace: UNKNOWN, crowded });
        return freeSpace.together(() => defaultPlacements(inspection, wanted, { everyPage, freeSpace, crowded }));
      };
      const free = find(false);
      if (!free.includes(null)) return free;
      if (looksLeft > 0 && freeSpace?.wasCutShortByOthers()) continue;
      const added = everyPage ? null : await onPagesOfTheirOwn(document, inspection, places, free);
      return added ?? find(true);
    } finally {
      freeSpace?.close();
    }
  }
};

const UNKNOWN = { isKnown: () => false, marksWithin: () => undefined };

const whole = (placements: readonly (Placement | null)[]): Placement[] =>
  placements.map((placement) => {
    if (placement === null) throw new Error("a document has no page to sign on");
    return placement;
  });

/** Those who found no place on pages that are added for them; null for a document that takes none. */
const onPagesOfTheirOwn = async (
  document: OpenDocument,
  inspection: Inspection,
  { title }: PlacesWanted,
  found: readonly (Placement | null)[],
): Promise<PlacedOn | null> => {
  if (document.signatures.length > 0) return null;
  const without = found.flatMap((placement, index) => (placement === null ? [index] : []));
  const pages = signaturePagesFor(inspection, without.length);
  const bytes = await withSignaturePages(document, inspection, pages, title);
  if (bytes === null) return null;
  const slots = pages.flatMap(({ slots }, index) =>
    slots.map((slot) => ({ pages: inspection.pageCount + index + 1, ...slot })),
  );
  const longer = await openDocument(bytes);
  const after = inspected(longer);
  const { pageCount } = after;
  const placements = found.map((placement, index): Placement | null => {
    // What was the last page no longer is.
    if (placement !== null)
      return { ...placement, pages: placement.pages === "last" ? inspection.pageCount : placement.pages };
    const slot = slots[without.indexOf(index)];
    return slot === undefined ? null : { ...slot, pages: slot.pages === pageCount ? "last" : slot.pages };
  });
  return { placements: whole(placements), bytes, document: longer, inspection: after };
};

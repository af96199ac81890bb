import type { Placement } from "@rubrica/events";
import type { PageSize } from "@rubrica/pdf-reading/pages";
import type { Inspection } from "./inspect.ts";
import { stampScale } from "./placement.ts";
import { type FreeSpace, type Pages, StampPlaces } from "./placing/stamp-places.ts";
import { inSigningOrder, isPlacement } from "./reading-order.ts";

/**
 * What is asked for a signer's stamp: a placement, a page (from 1) to find a place on, or null for a place on the last
 * page that has room.
 */
export type WantedPlacement = Placement | { page: number } | null;

/** What places are found by. */
export interface PlacementOptions {
  /** Each place found is one on all pages, whatever page is named. */
  everyPage?: boolean;
  /** Without it, pages count as empty. */
  freeSpace?: FreeSpace;
  /**
   * Whether those for whom no free place is left get one that covers least: of the page, then of the other signers'.
   */
  crowded?: boolean;
}

/**
 * Finds places for the signers that were given none: side by side from the bottom left of their page, in rows
 * upwards, then wherever the page is free; so that the first signer's stands first as one reads. They meet neither
 * each other nor a placement that was given, nor a signature that the document shows, nor anything else that a page
 * shows. Who names no page goes on the last one, and when that is full on the one before it, and so on; pages too
 * small for a stamp of full size are used when there are no others. Who names a page is never left without a place by
 * those who name none, and stays there where it has marks everywhere, covering least.
 *
 * @param wanted one entry a signer, in signing order
 * @returns in the same order; null where there is no room
 */
export const defaultPlacements = (
  inspection: Inspection,
  wanted: readonly WantedPlacement[],
  { everyPage = false, freeSpace, crowded = false }: PlacementOptions = {},
): (Placement | null)[] => {
  const places = new StampPlaces(inspection, wanted.filter(isPlacement), freeSpace);
  const keptFor = new Map<number, number>();
  for (const one of wanted) if (namesPage(one)) keptFor.set(one.page, (keptFor.get(one.page) ?? 0) + 1);
  const fillable = pagesToFill(inspection);
  const found = wanted.map((one) => {
    if (isPlacement(one)) return one;
    if (everyPage) return places.take("all") ?? places.takeBusy("all");
    if (namesPage(one)) {
      keptFor.set(one.page, (keptFor.get(one.page) ?? 0) - 1);
      return places.take(one.page) ?? places.takeBusy(one.page);
    }
    const page = fillable.find((candidate) => places.hasMoreThan(keptFor.get(candidate) ?? 0, candidate));
    return page === undefined ? null : places.take(page);
  });

  const crowdedPlace = (placement: Placement | null, index: number): Placement | null => {
    if (placement !== null) return placement;
    const one = wanted[index];
    const pages: readonly Pages[] = everyPage ? ["all"] : one && namesPage(one) ? [one.page] : fillable;
    for (const page of pages) {
      const busy = places.takeBusy(page);
      if (busy !== null) return busy;
    }
    return places.takeShared(pages[0] ?? "last");
  };
  return inSigningOrder(inspection, wanted, crowded ? found.map(crowdedPlace) : found);
};

const namesPage = (wanted: WantedPlacement): wanted is { page: number } => wanted !== null && "page" in wanted;

/** The pages (from 1) for those who name none, the last first: those that take a stamp of full size, if there are any. */
const pagesToFill = ({ pages }: Inspection): number[] => {
  const numbers = pages.map((_, index) => pages.length - index);
  const large = numbers.filter((number) => stampScale(pages[number - 1] as PageSize) === 1);
  return large.length > 0 ? large : numbers;
};

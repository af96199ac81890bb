import type { Placement } from "@rubrica/events";
import type { WantedPlacement } from "@rubrica/pdf-drawing/default-placements";
import type { Inspection } from "@rubrica/pdf-drawing/inspect";
import { type PlacementFault, placementFaults } from "@rubrica/pdf-drawing/placement";
import type { AskedPlace, AskedPlaces } from "./port.ts";

/** What is wrong with a place that was asked for. */
export interface AskedFault extends PlacementFault {
  /** Which place it is about, in the order asked. */
  index: number;
}

/** What is wrong with places that were asked for on a document; empty when nothing is. */
export const askedFaults = (inspection: Inspection, { places, everyPage }: Omit<AskedPlaces, "title">): AskedFault[] =>
  places.flatMap((place, index) => faultsOf(inspection, place, everyPage).map((fault) => ({ index, ...fault })));

/** Places without faults, as they are looked for on a document. */
export const wantedPlaces = ({ pageCount }: Inspection, { places, everyPage }: AskedPlaces): WantedPlacement[] =>
  places.map((place) => {
    const { page = pageCount } = place;
    const pages = everyPage ? "all" : page === pageCount ? "last" : page;
    return explicit(place, pages) ?? (place.page === undefined ? null : { page });
  });

/** Asks for placements that are known. All of them, or none, are on every page. */
export const askedFor = (placements: readonly Placement[]): Omit<AskedPlaces, "title"> => ({
  places: placements.map(({ pages, x, y }) => ({ x, y, ...(typeof pages === "number" ? { page: pages } : {}) })),
  everyPage: placements.some(({ pages }) => pages === "all"),
});

const explicit = ({ x, y }: AskedPlace, pages: Placement["pages"]): Placement | null =>
  x === undefined || y === undefined ? null : { pages, x, y };

const faultsOf = (inspection: Inspection, place: AskedPlace, everyPage: boolean): PlacementFault[] => {
  const named = place.page ?? "last";
  const ofPage = placementFaults(inspection, { pages: named, x: 0, y: 0 }).filter(({ field }) => field === "pages");
  const placement = explicit(place, everyPage ? "all" : named);
  return ofPage.length > 0 || placement === null ? ofPage : placementFaults(inspection, placement);
};

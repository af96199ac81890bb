import type { Placement } from "@rubrica/events";
import type { PageSize } from "@rubrica/pdf-reading/pages";
import type { Inspection } from "./inspect.ts";

/** Size of a stamp, in points. Three stand side by side on an A4 or Letter page. */
export const STAMP_BOX = { width: 168, height: 72 } as const;

/** What is wrong with a placement, named by the field that it comes from. */
export interface PlacementFault {
  field: "pages" | "x" | "y";
  message: string;
}

/** The indexes (from 0) of the pages that a placement means. Out of range ones are left out. */
export const pageIndexesOf = (pages: Placement["pages"], pageCount: number): number[] => {
  if (pages === "all") return Array.from({ length: pageCount }, (_, index) => index);
  const index = pages === "last" ? pageCount - 1 : pages - 1;
  return Number.isInteger(index) && index >= 0 && index < pageCount ? [index] : [];
};

/** What is on each of some pages when they lie on each other at their top left corners, in points. */
export const commonArea = (pages: readonly PageSize[]): PageSize => ({
  width: Math.min(...pages.map(({ width }) => width)),
  height: Math.min(...pages.map(({ height }) => height)),
});

/**
 * By what a stamp's size is multiplied on pages of a {@link commonArea}: 1, or less where a stamp of full size
 * would not be wholly on the page.
 */
export const stampScale = ({ width, height }: PageSize): number =>
  Math.min(1, width / STAMP_BOX.width, height / STAMP_BOX.height);

/**
 * Why a stamp can't go where a placement says: no such page, or a box that is not wholly on the page
 * as seen. Where every page is meant, the box must fit every page. Empty when all is well.
 */
export const placementFaults = (inspection: Inspection, placement: Placement): PlacementFault[] => {
  const indexes = pageIndexesOf(placement.pages, inspection.pageCount);
  if (indexes.length === 0) {
    return [{ field: "pages", message: `must be a page of the document, 1 to ${inspection.pageCount}` }];
  }
  const area = commonArea(indexes.map((index) => inspection.pages[index]).filter((size) => size !== undefined));
  const scale = stampScale(area);
  return [
    ...axisFaults("x", placement.x, area.width - STAMP_BOX.width * scale),
    ...axisFaults("y", placement.y, area.height - STAMP_BOX.height * scale),
  ];
};

const axisFaults = (field: "x" | "y", value: number, space: number): PlacementFault[] => {
  // A stamp that was scaled down to the page leaves no space but an error of rounding, below 0 too.
  const max = Math.max(0, Math.floor(space));
  if (Number.isFinite(value) && value >= 0 && value <= max) return [];
  return [{ field, message: `must be from 0 to ${max} for the signature to be on the page` }];
};

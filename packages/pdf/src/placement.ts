import type { Inspection, PageSize, Placement } from "./port.ts";

/** Size of every stamp, in points. Three stand side by side on an A4 or Letter page. */
export const STAMP_BOX = { width: 168, height: 72 } as const;

const MARGIN = 28;
const GAP = 6;

/** What is wrong with a placement, named by the field that it comes from. */
export interface PlacementFault {
  field: "pages" | "x" | "y";
  message: string;
}

/** The indexes (from 0) of the pages that a placement means. Out of range ones are left out. */
export function pageIndexesOf(pages: Placement["pages"], pageCount: number): number[] {
  if (pages === "all") return Array.from({ length: pageCount }, (_, index) => index);
  const index = pages === "last" ? pageCount - 1 : pages - 1;
  return Number.isInteger(index) && index >= 0 && index < pageCount ? [index] : [];
}

/**
 * Why a stamp can't go where a placement says: no such page, or a box that is not wholly on the page
 * as seen. Where every page is meant, the box must fit every page. Empty when all is well.
 */
export function placementFaults(inspection: Inspection, placement: Placement): PlacementFault[] {
  const indexes = pageIndexesOf(placement.pages, inspection.pageCount);
  if (indexes.length === 0) {
    return [{ field: "pages", message: `must be a page of the document, 1 to ${inspection.pageCount}` }];
  }
  const sizes = indexes.map((index) => inspection.pages[index]).filter((size) => size !== undefined);
  const maxX = Math.floor(Math.min(...sizes.map(({ width }) => width)) - STAMP_BOX.width);
  const maxY = Math.floor(Math.min(...sizes.map(({ height }) => height)) - STAMP_BOX.height);
  return [...axisFaults("x", placement.x, maxX), ...axisFaults("y", placement.y, maxY)];
}

function axisFaults(field: "x" | "y", value: number, max: number): PlacementFault[] {
  if (max < 0) return [{ field, message: "the page is too small for a signature" }];
  if (Number.isFinite(value) && value >= 0 && value <= max) return [];
  return [{ field, message: `must be from 0 to ${max} for the signature to be on the page` }];
}

/**
 * Placements for the signers that were given none: on the last page (or on every page), side by side
 * from the bottom left, in the order given, in rows upwards, overlapping neither each other nor the
 * placements that were given. When the page is full, or too small, they go on at the bottom left again.
 *
 * @param requested one entry a signer, in signing order; null asks for a default one
 * @param everyPage place them on all pages instead of the last
 */
export function defaultPlacements(
  inspection: Inspection,
  requested: readonly (Placement | null)[],
  everyPage = false,
): Placement[] {
  const pages: Placement["pages"] = everyPage ? "all" : "last";
  const sizes = pageIndexesOf(pages, inspection.pageCount).map((index) => inspection.pages[index] as PageSize);
  const area = {
    width: Math.min(...sizes.map(({ width }) => width)),
    height: Math.min(...sizes.map(({ height }) => height)),
  };
  const taken = requested.filter((placement) => placement !== null && meet(placement.pages, pages, inspection));
  const free = slots(area).filter((slot) => !taken.some((other) => other !== null && overlap(slot, other)));
  const fallback = slots(area);
  let next = 0;
  return requested.map((placement) => {
    if (placement !== null) return placement;
    const slot = free[next] ?? fallback[(next - free.length) % fallback.length] ?? { x: 0, y: 0 };
    next += 1;
    return { pages, ...slot };
  });
}

/** Top left corners of the places on a page, from the bottom left, rows upwards; y from the page's top. */
function slots(page: PageSize): { x: number; y: number }[] {
  const margin = (length: number, box: number) => Math.max(0, Math.min(MARGIN, Math.floor((length - box) / 2)));
  const left = margin(page.width, STAMP_BOX.width);
  const bottom = margin(page.height, STAMP_BOX.height);
  const count = (length: number, edge: number, box: number) =>
    Math.max(1, Math.floor((length - 2 * edge + GAP) / (box + GAP)));
  const columns = count(page.width, left, STAMP_BOX.width);
  const rows = count(page.height, bottom, STAMP_BOX.height);
  return Array.from({ length: columns * rows }, (_, index) => ({
    x: left + (index % columns) * (STAMP_BOX.width + GAP),
    y: Math.max(
      0,
      Math.floor(page.height - bottom - STAMP_BOX.height - Math.floor(index / columns) * (STAMP_BOX.height + GAP)),
    ),
  }));
}

function overlap(one: { x: number; y: number }, other: { x: number; y: number }): boolean {
  return Math.abs(one.x - other.x) < STAMP_BOX.width && Math.abs(one.y - other.y) < STAMP_BOX.height;
}

function meet(one: Placement["pages"], other: Placement["pages"], { pageCount }: Inspection): boolean {
  const pages = new Set(pageIndexesOf(one, pageCount));
  return pageIndexesOf(other, pageCount).some((index) => pages.has(index));
}

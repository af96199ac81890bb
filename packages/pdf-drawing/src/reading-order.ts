import type { Placement } from "@rubrica/events";
import type { PageSize } from "@rubrica/pdf-reading/pages";
import type { WantedPlacement } from "./default-placements.ts";
import type { Inspection } from "./inspect.ts";
import { commonArea, pageIndexesOf, STAMP_BOX, stampScale } from "./placement.ts";

/** The places that were found, so that they read in signing order: of those who name no page, then of all on each page. */
export const inSigningOrder = (
  inspection: Inspection,
  wanted: readonly WantedPlacement[],
  found: readonly (Placement | null)[],
): (Placement | null)[] => {
  const ordered = [...found];
  const order = (chosen: (wanted: WantedPlacement, placement: Placement) => boolean): void => {
    const indexes = ordered.flatMap((placement, index) => {
      const asked = wanted[index] ?? null;
      return placement !== null && !isPlacement(asked) && chosen(asked, placement) ? [index] : [];
    });
    const places = inReadingOrder(
      inspection,
      indexes.flatMap((index) => ordered[index] ?? []),
    );
    for (const [place, index] of indexes.entries()) ordered[index] = places[place] ?? null;
  };
  order((asked) => asked === null);
  for (const pages of new Set(found.flatMap((placement) => placement?.pages ?? [])))
    order((_asked, placement) => placement.pages === pages);
  return ordered;
};

/** Whether a place was given. */
export const isPlacement = (wanted: WantedPlacement): wanted is Placement => wanted !== null && "pages" in wanted;

/**
 * Some places, changed among those who have them so that the first stands first as one reads: page after page, row after
 * row from the top, each from the left. Places are as large as their page has them, whoever gets them.
 */
const inReadingOrder = (inspection: Inspection, placements: readonly Placement[]): Placement[] => {
  const byPage = Map.groupBy(placements, ({ pages }) => pageIndexesOf(pages, inspection.pageCount)[0] ?? 0);
  return [...byPage.keys()]
    .sort((one, other) => one - other)
    .flatMap((index) => rowsOf(inspection.pages[index] as PageSize, byPage.get(index) ?? []));
};

/** The places of a page, row after row. What stands less than half a stamp lower is in the same row. */
const rowsOf = (page: PageSize, placements: readonly Placement[]): Placement[] => {
  const half = (STAMP_BOX.height * stampScale(commonArea([page]))) / 2;
  const rows: Placement[][] = [];
  for (const placement of placements.toSorted((one, other) => one.y - other.y)) {
    const row = rows.at(-1);
    const top = row?.[0]?.y;
    if (row !== undefined && top !== undefined && placement.y < top + half) row.push(placement);
    else rows.push([placement]);
  }
  return rows.flatMap((row) => row.sort((one, other) => one.x - other.x));
};

import type { Placement } from "@rubrica/events";
import { commonArea, pageIndexesOf, STAMP_BOX, stampScale } from "./placement.ts";
import type { Inspection, PageSize, Rectangle } from "./port.ts";

const MARGIN = 28;
const GAP = 6;
/** More than an A0 page has; a page may be of any size, and is looked through up to here. */
const MAX_SLOTS = 1_000;

type Pages = Placement["pages"];
type Point = Pick<Placement, "x" | "y">;

/**
 * What is asked for a signer's stamp: a placement, a page (from 1) to find a place on, or null for a place on the last
 * page that has room.
 */
export type WantedPlacement = Placement | { page: number } | null;

/**
 * Finds places for the signers that were given none: side by side from the bottom left of their page, in rows upwards,
 * in the order given. They meet neither each other nor a placement that was given, nor a signature that the document
 * shows. Who names no page goes on the last one, and when that is full on the one before it, and so on; pages too
 * small for a stamp of full size are used when there are no others. Who names a page is never left without a place by
 * those who name none.
 *
 * @param wanted one entry a signer, in signing order
 * @param everyPage each place found is one on all pages, whatever page is named
 * @returns in the same order; null where there is no room
 */
export function defaultPlacements(
  inspection: Inspection,
  wanted: readonly WantedPlacement[],
  everyPage = false,
): (Placement | null)[] {
  const { pageCount } = inspection;
  const given = wanted.filter(isPlacement);
  const free = remembered((pages: Pages) => freeSlots(inspection, pages, given));
  const take = (pages: Pages): Placement | null => {
    const slot = free(pages).shift();
    return slot === undefined ? null : { pages: pages === pageCount ? "last" : pages, ...slot };
  };
  const keptFor = new Map<number, number>();
  for (const one of wanted) if (namesPage(one)) keptFor.set(one.page, (keptFor.get(one.page) ?? 0) + 1);
  const fillable = everyPage ? [] : pagesToFill(inspection);
  return wanted.map((one) => {
    if (isPlacement(one)) return one;
    if (everyPage) return take("all");
    if (namesPage(one)) {
      keptFor.set(one.page, (keptFor.get(one.page) ?? 0) - 1);
      return take(one.page);
    }
    const page = fillable.find((candidate) => free(candidate).length > (keptFor.get(candidate) ?? 0));
    return page === undefined ? null : take(page);
  });
}

const isPlacement = (wanted: WantedPlacement): wanted is Placement => wanted !== null && "pages" in wanted;
const namesPage = (wanted: WantedPlacement): wanted is { page: number } => wanted !== null && "page" in wanted;

function remembered<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

/** The pages (from 1) for those who name none, the last first: those that take a stamp of full size, if there are any. */
function pagesToFill({ pages }: Inspection): number[] {
  const numbers = pages.map((_, index) => pages.length - index);
  const large = numbers.filter((number) => stampScale(pages[number - 1] as PageSize) === 1);
  return large.length > 0 ? large : numbers;
}

/** The slots that nothing else is on, from the bottom left, rows upwards. */
function freeSlots(inspection: Inspection, pages: Pages, given: readonly Placement[]): Point[] {
  const indexes = new Set(pageIndexesOf(pages, inspection.pageCount));
  if (indexes.size === 0) return [];
  const slots = slotsOf(sizesOf(inspection, pages));
  const taken = given.filter((other) => pageIndexesOf(other.pages, inspection.pageCount).some((at) => indexes.has(at)));
  const shown = inspection.shownSignatures
    .filter(({ page }) => indexes.has(page - 1))
    // What takes a whole page by itself is a frame, or unseen: it is no reason to leave a signer without a place.
    .filter((signature) => slots.some((slot) => !meet(slot, signature)));
  const obstacles = [...taken.map((placement) => rectangleOf(inspection, placement)), ...shown];
  return slots.filter((slot) => !obstacles.some((obstacle) => meet(slot, obstacle))).map(({ x, y }) => ({ x, y }));
}

const sizesOf = ({ pages: sizes, pageCount }: Inspection, pages: Pages): PageSize[] =>
  pageIndexesOf(pages, pageCount).map((index) => sizes[index] as PageSize);

function rectangleOf(inspection: Inspection, { pages, x, y }: Placement): Rectangle {
  const scale = stampScale(commonArea(sizesOf(inspection, pages)));
  return { x, y, width: STAMP_BOX.width * scale, height: STAMP_BOX.height * scale };
}

/** The places that are on each of some pages, from the bottom left, rows upwards. */
function slotsOf(pages: readonly PageSize[]): Rectangle[] {
  const area = commonArea(pages);
  const scale = stampScale(area);
  const [width, height] = [STAMP_BOX.width * scale, STAMP_BOX.height * scale];
  const margin = (length: number, box: number) => Math.max(0, Math.min(MARGIN, Math.floor((length - box) / 2)));
  const left = margin(area.width, width);
  const bottom = margin(area.height, height);
  const count = (length: number, edge: number, box: number) =>
    Math.max(1, Math.floor((length - 2 * edge + GAP) / (box + GAP)));
  const columns = count(area.width, left, width);
  const rows = count(area.height, bottom, height);
  return Array.from({ length: Math.min(columns * rows, MAX_SLOTS) }, (_, index) => ({
    x: Math.floor(left + (index % columns) * (width + GAP)),
    y: Math.max(0, Math.floor(area.height - bottom - height - Math.floor(index / columns) * (height + GAP))),
    width,
    height,
  }));
}

function meet(one: Rectangle, other: Rectangle): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

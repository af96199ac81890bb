import type { Placement } from "@rubrica/events";
import type { PageSize, Rectangle } from "@rubrica/pdf-reading/pages";
import type { Inspection } from "./inspect.ts";
import { commonArea, pageIndexesOf, STAMP_BOX, stampScale } from "./placement.ts";
import { inSigningOrder, isPlacement } from "./reading-order.ts";

const MARGIN = 28;
const GAP = 6;
/** More than an A0 page has; a page may be of any size, and is looked through up to here. */
const MAX_SLOTS = 1_000;

/** Between places that are looked at apart from those rows, and of the page's edge. */
const [STEP, LEAST_MARGIN] = [5, 14];
/** Places of a page that are looked at, and those that are found. */
const [MAX_PLACES, MAX_FOUND] = [8_000, 60];
/** Pages that are looked at, the last first, where a place is to be free on all. */
const MAX_LOOKED_AT = 20;

type Pages = Placement["pages"];

/**
 * What is asked for a signer's stamp: a placement, a page (from 1) to find a place on, or null for a place on the last
 * page that has room.
 */
export type WantedPlacement = Placement | { page: number } | null;

/** What pages bear already. */
export interface FreeSpace {
  /** Whether anything can be told of a page (from 1). */
  isKnown(page: number): boolean;
  /**
   * How much of a rectangle of a page (from 1) bears something; 0: nothing, undefined: nobody knows. The first question
   * about a page may take long.
   */
  marksWithin(page: number, rectangle: Rectangle): number | undefined;
}

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
 * Finds places for the signers that were given none: side by side from the bottom left of their page, in rows upwards,
 * then wherever the page is free; so that the first signer's stands first as one reads. They meet neither each other nor a placement that was given, nor
 * a signature that the document shows, nor anything else that a page bears. Who names no page goes on the last one, and
 * when that is full on the one before it, and so on; pages too small for a stamp of full size are used when there are no
 * others. Who names a page is never left without a place by those who name none, and stays there where it bears
 * something everywhere, covering least.
 *
 * @param wanted one entry a signer, in signing order
 * @returns in the same order; null where there is no room
 */
export const defaultPlacements = (
  inspection: Inspection,
  wanted: readonly WantedPlacement[],
  { everyPage = false, freeSpace, crowded = false }: PlacementOptions = {},
): (Placement | null)[] => {
  const slots = new Slots(inspection, wanted.filter(isPlacement), freeSpace);
  const keptFor = new Map<number, number>();
  for (const one of wanted) if (namesPage(one)) keptFor.set(one.page, (keptFor.get(one.page) ?? 0) + 1);
  const fillable = pagesToFill(inspection);
  const found = wanted.map((one) => {
    if (isPlacement(one)) return one;
    if (everyPage) return slots.take("all") ?? slots.takeBusy("all");
    if (namesPage(one)) {
      keptFor.set(one.page, (keptFor.get(one.page) ?? 0) - 1);
      return slots.take(one.page) ?? slots.takeBusy(one.page);
    }
    const page = fillable.find((candidate) => slots.hasMoreThan(keptFor.get(candidate) ?? 0, candidate));
    return page === undefined ? null : slots.take(page);
  });

  const crowdedPlace = (placement: Placement | null, index: number): Placement | null => {
    if (placement !== null) return placement;
    const one = wanted[index];
    const pages: readonly Pages[] = everyPage ? ["all"] : one && namesPage(one) ? [one.page] : fillable;
    for (const page of pages) {
      const busy = slots.takeBusy(page);
      if (busy !== null) return busy;
    }
    return slots.takeShared(pages[0] ?? "last");
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

/** The places that stamps may take, and those that are taken. */
class Slots {
  readonly #inspection: Inspection;
  readonly #taken: Placement[];
  readonly #freeSpace: FreeSpace | undefined;
  readonly #free = new Map<Pages, FreePlaces>();
  readonly #lookedAt = new Map<Pages, readonly number[]>();

  constructor(inspection: Inspection, given: readonly Placement[], freeSpace: FreeSpace | undefined) {
    this.#inspection = inspection;
    this.#taken = [...given];
    this.#freeSpace = freeSpace;
  }

  /** Whether pages take more stamps than so many where nothing else is. */
  hasMoreThan(count: number, pages: Pages): boolean {
    return this.#freeOf(pages).hasMoreThan(count);
  }

  /** A place on pages where nothing is; null when there is none. */
  take(pages: Pages): Placement | null {
    const slot = this.#freeOf(pages).take();
    return slot === undefined ? null : this.#placed(pages, slot);
  }

  /** The place on pages that covers least of them, and no other signer's; null when there is none. */
  takeBusy(pages: Pages): Placement | null {
    const obstacles = this.#obstacles(pages);
    const free = this.#candidates(pages).filter((slot) => !obstacles.some((obstacle) => meet(slot, obstacle)));
    const [least] = sorted(free, (slot) => this.#marks(pages, slot) ?? 0);
    return least === undefined ? null : this.#placed(pages, least);
  }

  /** The place on pages that covers least of other signers'. */
  takeShared(pages: Pages): Placement | null {
    const obstacles = this.#obstacles(pages);
    const coverage = (slot: Rectangle) => obstacles.reduce((area, obstacle) => area + commonTo(slot, obstacle), 0);
    const [least] = sorted(this.#candidates(pages), coverage);
    return least === undefined ? null : this.#placed(pages, least);
  }

  #placed(pages: Pages, { x, y }: Rectangle): Placement {
    const placement: Placement = { pages: pages === this.#inspection.pageCount ? "last" : pages, x, y };
    this.#taken.push(placement);
    return placement;
  }

  #freeOf(pages: Pages): FreePlaces {
    const known = this.#free.get(pages) ?? new FreePlaces(this.#findFree(pages));
    this.#free.set(pages, known);
    return known;
  }

  /** The free places of pages, apart from each other, as they are asked for: to look at all of them takes long. */
  *#findFree(pages: Pages): Generator<Rectangle> {
    const sizes = sizesOf(this.#inspection, pages);
    if (sizes.length === 0) return;
    const slots = slotsOf(sizes);
    // What takes a whole page by itself is a frame, or unseen: it is no reason to leave a signer without a place.
    const shown = this.#shownOn(pages).filter((signature) => slots.some((slot) => !meet(slot, signature)));
    const obstacles = [...this.#takenOn(pages), ...shown];
    const isFree = (slot: Rectangle) => !obstacles.some((obstacle) => meet(slot, obstacle));
    if (this.#freeSpace === undefined) return yield* slots.filter(isFree);
    if (!this.#isKnown(pages)) return;
    const found: Rectangle[] = [];
    for (const slot of chain(slots, () => placesOf(sizes))) {
      if (found.length >= MAX_FOUND) return;
      const isClear = isFree(slot) && this.#marks(pages, slot) === 0;
      if (!isClear || found.some((other) => meet(apart(slot), other))) continue;
      found.push(slot);
      yield slot;
    }
  }

  #obstacles(pages: Pages): Rectangle[] {
    return [...this.#takenOn(pages), ...this.#shownOn(pages)];
  }

  /** The places on some of the pages that are given away. */
  #takenOn(pages: Pages): Rectangle[] {
    const { pageCount } = this.#inspection;
    const indexes = new Set(pageIndexesOf(pages, pageCount));
    const taken = this.#taken.filter((other) => pageIndexesOf(other.pages, pageCount).some((at) => indexes.has(at)));
    return taken.map((placement) => rectangleOf(this.#inspection, placement));
  }

  #shownOn(pages: Pages): Rectangle[] {
    const { pageCount, shownSignatures } = this.#inspection;
    const indexes = new Set(pageIndexesOf(pages, pageCount));
    return shownSignatures.filter(({ page }) => indexes.has(page - 1));
  }

  #candidates(pages: Pages): Rectangle[] {
    const sizes = sizesOf(this.#inspection, pages);
    return sizes.length === 0 ? [] : [...slotsOf(sizes), ...(this.#isKnown(pages) ? placesOf(sizes) : [])];
  }

  /** Whether anything is known of what some pages bear. */
  #isKnown(pages: Pages): boolean {
    return this.#lookedAtOf(pages).some((index) => this.#freeSpace?.isKnown(index + 1));
  }

  /** What all pages bear in a rectangle, as far as it is known; undefined where it is of none. */
  #marks(pages: Pages, slot: Rectangle): number | undefined {
    let sum: number | undefined;
    for (const index of this.#lookedAtOf(pages)) {
      const marks = this.#freeSpace?.marksWithin(index + 1, slot);
      if (marks !== undefined) sum = (sum ?? 0) + marks;
    }
    return sum;
  }

  /** The indexes of the pages that are looked at for some pages. */
  #lookedAtOf(pages: Pages): readonly number[] {
    const known = this.#lookedAt.get(pages) ?? lastOf(pageIndexesOf(pages, this.#inspection.pageCount));
    this.#lookedAt.set(pages, known);
    return known;
  }
}

/** Places that are found one after the other. */
class FreePlaces {
  readonly #finding: Iterator<Rectangle>;
  /** Those that were found, and not taken. */
  readonly #found: Rectangle[] = [];

  constructor(finding: Iterator<Rectangle>) {
    this.#finding = finding;
  }

  hasMoreThan(count: number): boolean {
    while (this.#found.length <= count) {
      const next = this.#finding.next();
      if (next.done) return false;
      this.#found.push(next.value);
    }
    return true;
  }

  take(): Rectangle | undefined {
    return this.hasMoreThan(0) ? this.#found.shift() : undefined;
  }
}

/** Some places, then others, which are only made where they are needed. */
function* chain(first: Iterable<Rectangle>, then: () => Iterable<Rectangle>): Generator<Rectangle> {
  yield* first;
  yield* then();
}

const lastOf = (indexes: readonly number[]): readonly number[] => indexes.slice(-MAX_LOOKED_AT).reverse();

/** With the least first; of equals, the earlier one. */
const sorted = (slots: readonly Rectangle[], weight: (slot: Rectangle) => number): Rectangle[] => {
  const weighed = slots.map((slot) => ({ slot, weight: weight(slot) }));
  return weighed.sort((one, other) => one.weight - other.weight).map(({ slot }) => slot);
};

const sizesOf = ({ pages: sizes, pageCount }: Inspection, pages: Pages): PageSize[] =>
  pageIndexesOf(pages, pageCount).map((index) => sizes[index] as PageSize);

const rectangleOf = (inspection: Inspection, { pages, x, y }: Placement): Rectangle => {
  const scale = stampScale(commonArea(sizesOf(inspection, pages)));
  return { x, y, width: STAMP_BOX.width * scale, height: STAMP_BOX.height * scale };
};

/** The places that are on each of some pages, from the bottom left, rows upwards. */
const slotsOf = (pages: readonly PageSize[]): Rectangle[] => {
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
};

/** All places that are on each of some pages, a step apart, from the bottom left, rows upwards. */
const placesOf = (pages: readonly PageSize[]): Rectangle[] => {
  const area = commonArea(pages);
  const scale = stampScale(area);
  const [width, height] = [STAMP_BOX.width * scale, STAMP_BOX.height * scale];
  const edge = Math.max(
    0,
    Math.min(LEAST_MARGIN, Math.floor((area.width - width) / 2), Math.floor((area.height - height) / 2)),
  );
  const [across, up] = [area.width - width - 2 * edge, area.height - height - 2 * edge];
  const step = Math.max(STEP, Math.sqrt((across * up) / MAX_PLACES));
  const places: Rectangle[] = [];
  for (let rise = 0; rise <= up; rise += step) {
    for (let along = 0; along <= across; along += step) {
      const y = Math.max(0, Math.floor(area.height - edge - height - rise));
      places.push({ x: Math.floor(edge + along), y, width, height });
    }
  }
  return places;
};

/** A place with a gap around it. */
const apart = ({ x, y, width, height }: Rectangle): Rectangle => ({
  x: x - GAP + 1,
  y: y - GAP + 1,
  width: width + 2 * GAP - 2,
  height: height + 2 * GAP - 2,
});

const meet = (one: Rectangle, other: Rectangle): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

/** The area that two rectangles have in common. */
const commonTo = (one: Rectangle, other: Rectangle): number => {
  const across = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const down = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  return Math.max(0, across) * Math.max(0, down);
};

import type { Placement } from "@rubrica/events";
import type { PageSize, Rectangle } from "@rubrica/pdf-reading/pages";
import type { Inspection } from "../inspect.ts";
import { commonArea, pageIndexesOf, STAMP_BOX, stampScale } from "../placement.ts";
import { commonTo, meet, placesInRows, placesInSteps, withGap } from "./grid.ts";

/** Places of a page that are found. */
const MAX_FOUND = 60;
/** Pages that are looked at, the last first, where a place is to be free on all. */
const MAX_LOOKED_AT = 20;

/** The pages that a stamp goes on. */
export type Pages = Placement["pages"];

/** The marks that pages have already. */
export interface FreeSpace {
  /** Whether anything can be told of a page (from 1). */
  isKnown(page: number): boolean;
  /**
   * How much of a rectangle of a page (from 1) has marks; 0: none of it, undefined: nobody knows. The first question
   * about a page may take long.
   */
  marksWithin(page: number, rectangle: Rectangle): number | undefined;
}

/** The places that stamps may take, and those that are taken. */
export class StampPlaces {
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
    const place = this.#freeOf(pages).take();
    return place === undefined ? null : this.#placed(pages, place);
  }

  /** The place on pages that covers least of them, and no other signer's; null when there is none. */
  takeBusy(pages: Pages): Placement | null {
    const obstacles = this.#obstacles(pages);
    const free = this.#candidates(pages).filter((place) => !obstacles.some((obstacle) => meet(place, obstacle)));
    const [least] = sorted(free, (place) => this.#marks(pages, place) ?? 0);
    return least === undefined ? null : this.#placed(pages, least);
  }

  /** The place on pages that covers least of other signers'. */
  takeShared(pages: Pages): Placement | null {
    const obstacles = this.#obstacles(pages);
    const coverage = (place: Rectangle) => obstacles.reduce((area, obstacle) => area + commonTo(place, obstacle), 0);
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
    const places = placesInRows(sizes);
    // What takes a whole page by itself is a frame, or unseen: it is no reason to leave a signer without a place.
    const shown = this.#shownOn(pages).filter((signature) => places.some((place) => !meet(place, signature)));
    const obstacles = [...this.#takenOn(pages), ...shown];
    const isFree = (place: Rectangle) => !obstacles.some((obstacle) => meet(place, obstacle));
    if (this.#freeSpace === undefined) return yield* places.filter(isFree);
    if (!this.#isKnown(pages)) return;
    const found: Rectangle[] = [];
    for (const place of chain(places, () => placesInSteps(sizes))) {
      if (found.length >= MAX_FOUND) return;
      const isClear = isFree(place) && this.#marks(pages, place) === 0;
      if (!isClear || found.some((other) => meet(withGap(place), other))) continue;
      found.push(place);
      yield place;
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
    return sizes.length === 0 ? [] : [...placesInRows(sizes), ...(this.#isKnown(pages) ? placesInSteps(sizes) : [])];
  }

  /** Whether anything is known of some pages' marks. */
  #isKnown(pages: Pages): boolean {
    return this.#lookedAtOf(pages).some((index) => this.#freeSpace?.isKnown(index + 1));
  }

  /** How much of a rectangle has marks on any page, as far as it is known; undefined where it is known of no page. */
  #marks(pages: Pages, place: Rectangle): number | undefined {
    let sum: number | undefined;
    for (const index of this.#lookedAtOf(pages)) {
      const marks = this.#freeSpace?.marksWithin(index + 1, place);
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
  /** Places that were found, and not taken yet. */
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
const sorted = (places: readonly Rectangle[], weight: (place: Rectangle) => number): Rectangle[] => {
  const weighed = places.map((place) => ({ place, weight: weight(place) }));
  return weighed.sort((one, other) => one.weight - other.weight).map(({ place }) => place);
};

const sizesOf = ({ pages: sizes, pageCount }: Inspection, pages: Pages): PageSize[] =>
  pageIndexesOf(pages, pageCount).map((index) => sizes[index] as PageSize);

const rectangleOf = (inspection: Inspection, { pages, x, y }: Placement): Rectangle => {
  const scale = stampScale(commonArea(sizesOf(inspection, pages)));
  return { x, y, width: STAMP_BOX.width * scale, height: STAMP_BOX.height * scale };
};

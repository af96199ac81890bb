import type { PageSize, Rectangle } from "@rubrica/pdf-reading/pages";
import { commonArea, STAMP_BOX, stampScale } from "../placement.ts";

// Where stamps can stand on a page, by its size alone. Lengths are in points, from the top left of the page as it is seen.

const MARGIN = 28;
const GAP = 6;
/** More than an A0 page has; a page may be of any size, and is looked through up to here. */
const MAX_IN_ROWS = 1_000;

/** Between places that are looked at apart from rows, and of the page's edge. */
const [STEP, LEAST_MARGIN] = [5, 14];
/** Places of a page that are looked at. */
const MAX_PLACES = 8_000;

/** The places that are on each of some pages, from the bottom left, rows upwards. */
export const placesInRows = (pages: readonly PageSize[]): Rectangle[] => {
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
  return Array.from({ length: Math.min(columns * rows, MAX_IN_ROWS) }, (_, index) => ({
    x: Math.floor(left + (index % columns) * (width + GAP)),
    y: Math.max(0, Math.floor(area.height - bottom - height - Math.floor(index / columns) * (height + GAP))),
    width,
    height,
  }));
};

/** All places that are on each of some pages, a step apart, from the bottom left, rows upwards. */
export const placesInSteps = (pages: readonly PageSize[]): Rectangle[] => {
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
export const withGap = ({ x, y, width, height }: Rectangle): Rectangle => ({
  x: x - GAP + 1,
  y: y - GAP + 1,
  width: width + 2 * GAP - 2,
  height: height + 2 * GAP - 2,
});

export const meet = (one: Rectangle, other: Rectangle): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

/** The area that two rectangles have in common. */
export const commonTo = (one: Rectangle, other: Rectangle): number => {
  const across = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const down = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  return Math.max(0, across) * Math.max(0, down);
};

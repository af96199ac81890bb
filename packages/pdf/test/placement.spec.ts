import { expect, test } from "vitest";
import { defaultPlacements, type Inspection, type Placement, placementFaults, STAMP_BOX } from "../src/index.ts";

const inspection = (...sizes: [number, number][]): Inspection => ({
  pageCount: sizes.length,
  pages: sizes.map(([width, height]) => ({ width, height })),
  signatures: [],
});
const a4 = inspection([595, 842], [595, 842]);

const overlaps = (one: Placement, other: Placement) =>
  Math.abs(one.x - other.x) < STAMP_BOX.width && Math.abs(one.y - other.y) < STAMP_BOX.height;

test("a stamp that is wholly on the page has no faults", () => {
  expect(placementFaults(a4, { pages: 2, x: 0, y: 0 })).toEqual([]);
  expect(placementFaults(a4, { pages: "last", x: 595 - STAMP_BOX.width, y: 842 - STAMP_BOX.height })).toEqual([]);
});

test.each<[string, Placement, string]>([
  ["page 0", { pages: 0, x: 0, y: 0 }, "pages"],
  ["a page past the last", { pages: 3, x: 0, y: 0 }, "pages"],
  ["half a page", { pages: 1.5, x: 0, y: 0 }, "pages"],
  ["left of the page", { pages: 1, x: -1, y: 0 }, "x"],
  ["right of the page", { pages: 1, x: 595 - STAMP_BOX.width + 1, y: 0 }, "x"],
  ["below the page", { pages: 1, x: 0, y: 842 - STAMP_BOX.height + 1 }, "y"],
])("%s is a fault of its field", (_, placement, field) => {
  expect(placementFaults(a4, placement).map((fault) => fault.field)).toEqual([field]);
});

test("on every page the box must fit every page", () => {
  const mixed = inspection([595, 842], [300, 842]);
  expect(placementFaults(mixed, { pages: 1, x: 400, y: 0 })).toEqual([]);
  expect(placementFaults(mixed, { pages: "all", x: 400, y: 0 }).map(({ field }) => field)).toEqual(["x"]);
});

test("defaults stand side by side from the bottom left of the last page, then upwards", () => {
  const [first, second, third, fourth] = defaultPlacements(a4, [null, null, null, null]);
  expect(first?.pages).toBe("last");
  expect(second?.y).toBe(first?.y);
  expect(third?.y).toBe(first?.y);
  expect(second?.x).toBeGreaterThan(first?.x ?? 0);
  expect(fourth?.x).toBe(first?.x);
  expect(fourth?.y).toBeLessThan(first?.y ?? 0);
});

test("defaults overlap neither each other nor what was given, and are on the page", () => {
  const given: Placement = { pages: 2, x: 60, y: 720 };
  const elsewhere: Placement = { pages: 1, x: 400, y: 740 };
  const placements = defaultPlacements(a4, [null, given, null, null, elsewhere, ...Array(15).fill(null)]);
  expect(placements[1]).toBe(given);
  for (const [index, one] of placements.entries()) {
    expect(placementFaults(a4, one)).toEqual([]);
    for (const other of placements.slice(index + 1)) {
      if (one !== elsewhere && other !== elsewhere) expect(overlaps(one, other)).toBe(false);
    }
  }
});

test("a place given on every page is kept clear too", () => {
  const given: Placement = { pages: "all", x: 28, y: 742 };
  const [first] = defaultPlacements(a4, [null, given]);
  expect(first && overlaps(first, given)).toBe(false);
});

test("fifty signers and a page smaller than a stamp still get places", () => {
  expect(defaultPlacements(a4, Array(50).fill(null))).toHaveLength(50);
  expect(defaultPlacements(inspection([100, 50]), [null])).toEqual([{ pages: "last", x: 0, y: 0 }]);
});

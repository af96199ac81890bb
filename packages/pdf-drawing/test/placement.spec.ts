import {
  defaultPlacements,
  type Inspection,
  type Placement,
  placementFaults,
  type ShownSignature,
  STAMP_BOX,
  type WantedPlacement,
} from "@rubrica/pdf";
import { seededRandom } from "@rubrica/runtime/testing";
import { describe, expect, test } from "vitest";

const inspection = (...sizes: [number, number][]): Inspection => ({
  pageCount: sizes.length,
  pages: sizes.map(([width, height]) => ({ width, height })),
  signatures: [],
  shownSignatures: [],
});
const A4: [number, number] = [595, 842];
const a4 = inspection(A4, A4);
const nobody = (count: number): null[] => Array(count).fill(null);

/** What a placement takes on a page (from 1), worked out apart from the code under test; null when it isn't on it. */
const takenOn = (page: number, { pages, pageCount }: Inspection, placement: Placement) => {
  const on = placement.pages === "last" ? pageCount : placement.pages;
  if (on !== "all" && on !== page) return null;
  const of = on === "all" ? pages : [pages[on - 1] ?? { width: 0, height: 0 }];
  const scale = Math.min(1, ...of.map(({ width }) => width / 168), ...of.map(({ height }) => height / 72));
  return { x: placement.x, y: placement.y, width: 168 * scale, height: 72 * scale };
};
type Area = { x: number; y: number; width: number; height: number };
const meet = (one: Area, other: Area) =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

describe("a placement's faults", () => {
  test("a stamp that is wholly on the page has none", () => {
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
    const mixed = inspection(A4, [300, 842]);
    expect(placementFaults(mixed, { pages: 1, x: 400, y: 0 })).toEqual([]);
    expect(placementFaults(mixed, { pages: "all", x: 400, y: 0 }).map(({ field }) => field)).toEqual(["x"]);
  });

  test("on a page smaller than a stamp the scaled stamp must fit", () => {
    const small = inspection([100, 50]);
    expect(placementFaults(small, { pages: 1, x: 0, y: 7 })).toEqual([]);
    expect(placementFaults(small, { pages: 1, x: 1, y: 8 }).map(({ field }) => field)).toEqual(["x", "y"]);
  });
});

describe("default placements", () => {
  test("stand side by side from the bottom left of the last page, then upwards; the first is first as one reads", () => {
    expect(defaultPlacements(a4, nobody(3)).map((placement) => placement?.x)).toEqual([28, 202, 376]);
    expect(defaultPlacements(a4, nobody(4))).toEqual([
      { pages: "last", x: 28, y: 664 },
      { pages: "last", x: 28, y: 742 },
      { pages: "last", x: 202, y: 742 },
      { pages: "last", x: 376, y: 742 },
    ]);
  });

  test("read in signing order over pages too, among those who name their page, and around what was given", () => {
    const reading = (placements: readonly (Placement | null)[]) => {
      const key = (placement: Placement | null | undefined) =>
        placement
          ? (placement.pages === "last" ? 2 : Number(placement.pages)) * 1e6 + placement.y * 1e3 + placement.x
          : 0;
      const keys = placements.map(key);
      return keys.every((one, index) => index === 0 || one > (keys[index - 1] ?? 0));
    };
    const fifty = defaultPlacements(a4, nobody(50));
    expect(reading(fifty)).toBe(true);
    expect(fifty[0]?.pages).toBe(1);
    const given: Placement = { pages: 2, x: 202, y: 664 };
    const some = defaultPlacements(a4, [null, { page: 2 }, given, null, { page: 2 }, null]);
    expect(some[2]).toBe(given);
    expect(reading(some.toSpliced(2, 1))).toBe(true);
  });

  test("count as of one row where they stand little lower", () => {
    // Free on the left a little lower than on the right.
    const isFree = (x: number, y: number) => (x < 40 ? y >= 290 && y <= 300 : x > 210 && y >= 270 && y <= 280);
    const freeSpace = {
      isKnown: () => true,
      marksWithin: (_page: number, { x, y }: { x: number; y: number }) => (isFree(x, y) ? 0 : 1),
    };
    const [first, second] = defaultPlacements(inspection([400, 392]), nobody(2), { freeSpace });
    expect(first?.x).toBeLessThan(second?.x ?? 0);
    expect(first?.y).toBeGreaterThan(second?.y ?? Number.POSITIVE_INFINITY);
  });

  test("keep clear of what was given on their page or on every page, and leave it as it is", () => {
    const given: Placement = { pages: 2, x: 60, y: 720 };
    const elsewhere: Placement = { pages: 1, x: 400, y: 740 };
    expect(defaultPlacements(a4, [null, given, elsewhere])).toEqual([
      { pages: "last", x: 376, y: 742 },
      given,
      elsewhere,
    ]);
    const onAll: Placement = { pages: "all", x: 28, y: 742 };
    expect(defaultPlacements(a4, [null, onAll])).toEqual([{ pages: "last", x: 202, y: 742 }, onAll]);
  });

  test("go on on the page before when one is full, and end where no page has room", () => {
    const placements = defaultPlacements(a4, nobody(61));
    const pages = placements.map((placement) => placement?.pages);
    expect(pages).toEqual([...Array(30).fill(1), ...Array(30).fill("last"), undefined]);
    expect(placements[0]).toEqual({ pages: 1, x: 28, y: 40 });
    expect(placements[60]).toBeNull();
  });

  test("stay on the page that a signer names, and leave it to them", () => {
    const onLast = Array(5).fill({ page: 2 });
    const placements = defaultPlacements(a4, [...nobody(30), ...onLast]);
    expect(placements.slice(0, 30).map((placement) => placement?.pages)).toEqual([
      ...Array(5).fill(1),
      ...Array(25).fill("last"),
    ]);
    expect(placements.slice(30).map((placement) => placement?.pages)).toEqual(Array(5).fill("last"));
    expect(defaultPlacements(a4, Array(31).fill({ page: 1 })).map((placement) => placement?.pages)).toEqual([
      ...Array(30).fill(1),
      undefined,
    ]);
  });

  test("on every page fit all of them, and end when they are full", () => {
    const placements = defaultPlacements(inspection(A4, [400, 300]), nobody(7), { everyPage: true });
    expect(placements.slice(4, 6)).toEqual([
      { pages: "all", x: 28, y: 200 },
      { pages: "all", x: 202, y: 200 },
    ]);
    expect(placements[6]).toBeNull();
  });

  test("pass over pages too small for a stamp, unless all are", () => {
    expect(defaultPlacements(inspection(A4, [100, 50]), [null])).toEqual([{ pages: 1, x: 28, y: 742 }]);
    expect(defaultPlacements(inspection([100, 50]), nobody(2))).toEqual([{ pages: "last", x: 0, y: 4 }, null]);
  });

  test("keep clear of signatures that are shown, unless one of them takes the whole page", () => {
    const shown = (...shownSignatures: ShownSignature[]): Inspection => ({ ...a4, shownSignatures });
    const first: ShownSignature = { page: 2, x: 20, y: 750, width: 200, height: 60 };
    expect(defaultPlacements(shown(first, { ...first, page: 1, x: 380 }), [null])).toEqual([
      { pages: "last", x: 376, y: 742 },
    ]);
    const whole: ShownSignature = { page: 2, x: 0, y: 0, width: 595, height: 842 };
    expect(defaultPlacements(shown(whole), [null])).toEqual([{ pages: "last", x: 28, y: 742 }]);
  });

  test("are found on a page of any size", () => {
    expect(defaultPlacements(inspection([1e12, 1e12]), nobody(2))).toEqual([
      { pages: "last", x: 28, y: 1e12 - 100 },
      { pages: "last", x: 202, y: 1e12 - 100 },
    ]);
  });

  test("meet nothing, and lie on their pages, whatever the pages, the signers and the places given", () => {
    const random = seededRandom(20);
    const upTo = (max: number) => random.bytes(4).readUInt32BE() % (max + 1);
    let [found, without] = [0, 0];
    for (let round = 0; round < 300; round += 1) {
      const pages = Array.from({ length: 1 + upTo(4) }, (): [number, number] => [
        20 + upTo(600) + upTo(9) / 10,
        20 + upTo(850) + upTo(9) / 10,
      ]);
      const page = () => 1 + upTo(pages.length - 1);
      const shownSignatures = Array.from({ length: upTo(3) }, () => ({
        page: page(),
        ...{ x: upTo(500), y: upTo(800), width: 20 + upTo(150), height: 10 + upTo(80) },
      }));
      const document: Inspection = { ...inspection(...pages), shownSignatures };
      const everyPage = upTo(4) === 0;
      const wanted = Array.from({ length: 1 + upTo(49) }, (): WantedPlacement => {
        const kind = upTo(9);
        if (kind === 0) return { pages: everyPage ? "all" : page(), x: upTo(400), y: upTo(700) };
        return kind === 1 ? { page: page() } : null;
      });
      const placements = defaultPlacements(document, wanted, { everyPage });
      for (const [index, placement] of placements.entries()) {
        const asked = wanted[index] as WantedPlacement;
        if (asked !== null && "pages" in asked) {
          expect(placement).toBe(asked);
          continue;
        }
        if (placement === null) {
          without += 1;
          continue;
        }
        found += 1;
        expect(placementFaults(document, placement)).toEqual([]);
        const named = placement.pages === "last" ? pages.length : placement.pages;
        expect(named).toBe(everyPage ? "all" : (asked?.page ?? named));
        for (let number = 1; number <= pages.length; number += 1) {
          const mine = takenOn(number, document, placement);
          if (mine === null) continue;
          for (const [place, other] of placements.entries()) {
            const theirs = place === index || other === null ? null : takenOn(number, document, other);
            if (theirs) expect(meet(mine, theirs), `round ${round}: ${index} meets ${place}`).toBe(false);
          }
        }
      }
    }
    expect(found).toBeGreaterThan(2_000);
    expect(without).toBeGreaterThan(500);
  });
});

import { describe, expect, test } from "vitest";
import { inkBox, inkLength, inkWidth, refitted, type Sample, type Stroke, transformed } from "../../src/page/ink.ts";

const stroke = (...points: [number, number][]): Stroke => points.map(([x, y]) => ({ x, y, width: 2 }));
const sample = (given: Partial<Sample>): Sample => ({
  x: 0,
  y: 0,
  pressure: 0.5,
  pointerType: "touch",
  timeMs: 0,
  ...given,
});

describe("ink", () => {
  test("its length is what the pen travelled on the paper, not between strokes", () => {
    expect(inkLength([stroke([0, 0], [3, 4]), stroke([100, 100], [100, 110])])).toBe(15);
    expect(inkLength([stroke([5, 5])])).toBe(0);
  });

  test("its box reaches to the outer edge of the line", () => {
    expect(inkBox([stroke([10, 20], [30, 5])])).toEqual({ left: 9, top: 4, right: 31, bottom: 21 });
    expect(inkBox([])).toBeNull();
  });

  test("its box leaves out the corners that the curve cuts", () => {
    expect(inkBox([stroke([0, 0], [50, 80], [100, 0])])).toMatchObject({ left: -1, top: -1, right: 101, bottom: 61 });
  });

  test("moving and scaling takes the line's width along", () => {
    expect(transformed([stroke([10, 20])], 10, 10, 3)).toEqual([[{ x: 0, y: 30, width: 6 }]]);
  });

  test("after the phone was turned and turned back, the drawing is where it was", () => {
    const upright = { width: 300, height: 200 };
    const sideways = { width: 700, height: 150 };
    const drawn = [stroke([10, 10], [290, 190])];
    const turned = refitted(drawn, upright, sideways);
    for (const { x, y } of turned.flat()) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThanOrEqual(sideways.width);
      expect(y).toBeLessThanOrEqual(sideways.height);
    }
    // In the middle of the wider pad.
    expect(((turned[0]?.[0]?.x ?? 0) + (turned[0]?.[1]?.x ?? 0)) / 2).toBeCloseTo(350);
  });

  test("a finger that hurries leaves a thinner line, a pen that presses a thicker one", () => {
    const before = { sample: sample({}), width: 2.6 };
    const slow = inkWidth(before, sample({ x: 2, timeMs: 20 }));
    const fast = inkWidth(before, sample({ x: 60, timeMs: 20 }));
    expect(fast).toBeLessThan(slow);
    const light = inkWidth(before, sample({ pointerType: "pen", pressure: 0.1 }));
    const firm = inkWidth(before, sample({ pointerType: "pen", pressure: 0.9 }));
    expect(firm).toBeGreaterThan(light);
  });
});

/** A drawn signature as data: strokes of points with the ink's width, in CSS pixels of the pad. Knows no browser. */

export interface InkPoint {
  x: number;
  y: number;
  /** The line's width here. */
  width: number;
}

export type Stroke = readonly InkPoint[];

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface Size {
  width: number;
  height: number;
}

/** Where the pointer was: CSS pixels from the pad's top left corner, pressure 0 to 1, time in ms. */
export interface Sample {
  x: number;
  y: number;
  pressure: number;
  pointerType: string;
  timeMs: number;
}

export const inkLimits = {
  /** More than anybody draws; what comes after is not drawn. */
  points: 20_000,
  /** Shorter than this, in CSS pixels, is a slip of the finger and no signature. */
  minLengthPx: 60,
} as const;

const thinnest = 1.4;
const thickest = 3.6;

/**
 * The ink's width at a sample: by pressure where a pen reports it, else thinner the faster the pointer moves, as ink
 * flows; smoothed with the width before, so that it swells instead of jumping.
 */
export const inkWidth = (previous: { sample: Sample; width: number } | undefined, sample: Sample): number => {
  if (sample.pointerType === "pen" && sample.pressure > 0) return thinnest + (thickest - thinnest) * sample.pressure;
  if (previous === undefined) return 2.6;
  const distance = Math.hypot(sample.x - previous.sample.x, sample.y - previous.sample.y);
  const speedPxPerMs = distance / Math.max(1, sample.timeMs - previous.sample.timeMs);
  const wanted = Math.max(thinnest, thickest - speedPxPerMs * 1.1);
  return previous.width * 0.7 + wanted * 0.3;
};

/** How far the pen travelled, in CSS pixels. */
export const inkLength = (strokes: readonly Stroke[]): number => {
  let length = 0;
  for (const stroke of strokes)
    for (const [index, point] of stroke.entries()) {
      const before = stroke[index - 1];
      if (before !== undefined) length += Math.hypot(point.x - before.x, point.y - before.y);
    }
  return length;
};

/** The smallest box around all ink as it is drawn, the line's width included; null without ink. */
export const inkBox = (strokes: readonly Stroke[]): Box | null => {
  const points = strokes.flatMap(reached);
  if (points.length === 0) return null;
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { x, y, width } of points) {
    box.left = Math.min(box.left, x - width / 2);
    box.top = Math.min(box.top, y - width / 2);
    box.right = Math.max(box.right, x + width / 2);
    box.bottom = Math.max(box.bottom, y + width / 2);
  }
  return box;
};

/**
 * How far the drawn curve comes at each point: it begins and ends at the outer ones, and only leans towards the inner
 * ones, its middle lying at an eighth, six eighths and an eighth of three neighbours (a quadratic curve).
 */
const reached = (stroke: Stroke): InkPoint[] =>
  stroke.map((point, index) => {
    const before = stroke[index - 1];
    const after = stroke[index + 1];
    if (before === undefined || after === undefined) return point;
    const middle = (a: number, b: number, c: number) => (a + 6 * b + c) / 8;
    return { x: middle(before.x, point.x, after.x), y: middle(before.y, point.y, after.y), width: point.width };
  });

/** The strokes moved by (-left, -top) and then made `scale` times as large, the ink's width too. */
export const transformed = (strokes: readonly Stroke[], left: number, top: number, scale: number): Stroke[] =>
  strokes.map((stroke) =>
    stroke.map(({ x, y, width }) => ({ x: (x - left) * scale, y: (y - top) * scale, width: width * scale })),
  );

/** The strokes as they fit a pad that changed its size (a phone that was turned): as large as fits, in the middle. */
export const refitted = (strokes: readonly Stroke[], from: Size, to: Size): Stroke[] => {
  const scale = Math.min(to.width / from.width, to.height / from.height);
  return transformed(strokes, (from.width - to.width / scale) / 2, (from.height - to.height / scale) / 2, scale);
};

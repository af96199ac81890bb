/**
 * The box that a font says its glyphs are in (`FontBBox`). Browsers draw nothing of text whose box is beyond the page, or what
 * it is clipped to; other readers go by the glyphs.
 */

/** As shares of the text's size: near where letters begin. Some programs say a box that is hardly larger than a dot there. */
const [MOST_LEFT, LEAST_RIGHT, MOST_BOTTOM, LEAST_TOP] = [0.5, 0, 0.25, 0];

/**
 * Whether a box is near where letters begin, so that it is on the page where these are; of one without an area no reader takes
 * anything.
 */
export const isUsualBox = (box: readonly number[], scale: number): boolean => {
  if (box.every((side) => side === 0)) return true;
  const [left = 0, bottom = 0, right = 0, top = 0] = box.map((side) => side * scale);
  const [lower, upper] = [Math.min(bottom, top), Math.max(bottom, top)];
  return (
    Math.min(left, right) <= MOST_LEFT &&
    Math.max(left, right) >= LEAST_RIGHT &&
    lower <= MOST_BOTTOM &&
    upper >= LEAST_TOP
  );
};

/** Honest outlines reach beyond their box by a 500th of the text's size at most. */
const MOST_BEYOND = 0.05;

/** Whether an outline, if there is one, is within a box that has an area. */
export const isWithinBox = (outline: readonly number[] | undefined, box: readonly number[], scale: number): boolean => {
  if (outline === undefined || box.every((side) => side === 0)) return true;
  const [left = 0, bottom = 0, right = 0, top = 0] = box;
  const most = MOST_BEYOND / scale;
  const [outlineLeft = 0, outlineBottom = 0, outlineRight = 0, outlineTop = 0] = outline;
  return (
    outlineLeft >= Math.min(left, right) - most &&
    outlineBottom >= Math.min(bottom, top) - most &&
    outlineRight <= Math.max(left, right) + most &&
    outlineTop <= Math.max(bottom, top) + most
  );
};

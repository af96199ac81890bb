import { STAMP_BOX } from "../src/index.ts";
import { picture } from "./check.ts";

const DOTS_PER_INCH = 72;
/** How far a dot's grey is off what most of the area has before it counts as drawn, and how many may be. */
const TOLERATED_DIFFERENCE = 40;
const TOLERATED_DOTS = 4;

/** Where a stamp goes on a page of the original. */
export interface StampArea {
  /** From 1. */
  page: number;
  /** Of the page as seen, in points. */
  pageWidth: number;
  /** Top left corner in points on the page as seen. */
  x: number;
  y: number;
}

/** Whether another renderer sees marks where a stamp goes: dots of another grey than most; null where it draws nothing. */
export const isOverMarks = async (original: string, { page, pageWidth, x, y }: StampArea): Promise<boolean | null> => {
  const drawn = await picture(original, page, DOTS_PER_INCH);
  if (drawn === null) return null;
  const scale = drawn.width / pageWidth;
  const [left, right] = [x, x + STAMP_BOX.width].map((edge) => Math.round(edge * scale));
  const [top, bottom] = [y, y + STAMP_BOX.height].map((edge) => Math.round(edge * scale));
  const greys: number[] = [];
  for (let row = Math.max(0, top ?? 0); row < Math.min(drawn.height, bottom ?? 0); row += 1) {
    const start = row * drawn.width;
    greys.push(...drawn.grey.subarray(start + Math.max(0, left ?? 0), start + Math.min(drawn.width, right ?? 0)));
  }
  const ground = mostCommon(greys);
  return greys.filter((grey) => Math.abs(grey - ground) > TOLERATED_DIFFERENCE).length > TOLERATED_DOTS;
};

const mostCommon = (values: readonly number[]): number => {
  const counts = new Uint32Array(256);
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts.indexOf(Math.max(...counts));
};

import type { Image, Tone } from "./blocks.ts";
import { LEADING, type Line } from "./lines.ts";

/** What stands in a cell, one under the other. Sizes in points. */
export type Item =
  | { kind: "lines"; lines: readonly Line[]; align: "left" | "center" | "right" }
  | { kind: "picture"; image: Image; width: number; height: number }
  | { kind: "frame"; width: number; height: number; line: Line }
  | { kind: "qr"; url: string; size: number }
  | { kind: "gap"; height: number };

/** A part of a row. `x` from the left margin. */
export interface Cell {
  x: number;
  width: number;
  items: readonly Item[];
}

/** What is never parted between two pages. */
export interface Row {
  cells: readonly Cell[];
  /** Space above, which is dropped at the top of a page; and below. */
  before: number;
  after: number;
  /** Padding within, above and below the cells. */
  padding: number;
  /** A line under it. */
  rule: "none" | "hair" | "strong";
  fill: "none" | "pale" | Tone;
  /** Stays on the page of the row that follows. */
  keepWithNext: boolean;
  /** What is repeated above it when it is the first of a page. */
  header: Row | null;
}

/** A row with everything that it does not say. */
export const row = (cells: readonly Cell[], options: Partial<Omit<Row, "cells">> = {}): Row => ({
  before: 0,
  after: 0,
  padding: 0,
  rule: "none",
  fill: "none",
  keepWithNext: false,
  header: null,
  ...options,
  cells,
});

const itemHeight = (item: Item): number => {
  switch (item.kind) {
    case "lines":
      return item.lines.reduce((sum, { size }) => sum + size * LEADING, 0);
    case "picture":
    case "frame":
    case "gap":
      return item.height;
    case "qr":
      return item.size;
    default:
      return item satisfies never;
  }
};

/** Each item with its distance from the cell's top. */
export const stacked = ({ items }: Cell): { item: Item; top: number }[] => {
  let top = 0;
  return items.map((item) => {
    const placed = { item, top };
    top += itemHeight(item);
    return placed;
  });
};

/** A row's height, without the space around it. */
export const rowHeight = ({ cells, padding }: Row): number =>
  2 * padding + Math.max(0, ...cells.map(({ items }) => items.reduce((sum, item) => sum + itemHeight(item), 0)));

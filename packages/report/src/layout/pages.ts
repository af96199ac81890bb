import { type Row, rowHeight } from "./rows.ts";

/** A4, in points. */
export const PAGE = { width: 595.28, height: 841.89, left: 54, right: 54, top: 54, bottom: 62 } as const;
export const BODY_WIDTH = PAGE.width - PAGE.left - PAGE.right;
const BODY_HEIGHT = PAGE.height - PAGE.top - PAGE.bottom;

/** A row where it stands: `top` from the body's top, in points. */
export interface PlacedRow {
  row: Row;
  top: number;
  height: number;
}

export type Page = readonly PlacedRow[];

/** Rows that stay together, as far as one page can hold them. */
const chains = (rows: readonly Row[]): Row[][] => {
  const found: Row[][] = [];
  let current: Row[] = [];
  for (const row of rows) {
    current.push(row);
    if (row.keepWithNext) continue;
    found.push(current);
    current = [];
  }
  return current.length > 0 ? [...found, current] : found;
};

/** Puts rows on pages, in order. A row is never parted: none may be higher than a page. */
export const paginate = (rows: readonly Row[]): Page[] => {
  const pages: PlacedRow[][] = [[]];
  let y = 0;
  const place = (row: Row): void => {
    const page = pages.at(-1);
    const height = rowHeight(row);
    y += page && page.length > 0 ? row.before : 0;
    page?.push({ row, top: y, height });
    y += height + row.after;
  };
  const startPage = (first: Row | undefined): void => {
    if (y === 0) return;
    pages.push([]);
    y = 0;
    if (first?.header && first.header !== first) place(first.header);
  };
  for (const chain of chains(rows)) {
    const heights = chain.map((row) => row.before + rowHeight(row) + row.after);
    const whole = heights.reduce((sum, height) => sum + height, 0);
    if (y + whole - (chain.at(-1)?.after ?? 0) > BODY_HEIGHT && whole <= BODY_HEIGHT) startPage(chain[0]);
    chain.forEach((row, index) => {
      if (y + (heights[index] ?? 0) - row.after > BODY_HEIGHT) startPage(row);
      place(row);
    });
  }
  return pages;
};

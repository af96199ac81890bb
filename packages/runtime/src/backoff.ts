/** How what failed is tried again: milliseconds. */
export interface Backoff {
  firstMs: number;
  longestMs: number;
}

/** How long to wait after so many failures in a row, from 1: the first wait, doubled with each further one, up to the longest. */
export const backoffMs = (failures: number, { firstMs, longestMs }: Backoff): number =>
  Math.min(firstMs * 2 ** (failures - 1), longestMs);

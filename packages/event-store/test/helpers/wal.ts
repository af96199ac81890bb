import { readFileSync } from "node:fs";

const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * How many transactions the write-ahead log of the database at `path` holds: frames of the current salt that carry
 * a database size are commits (https://www.sqlite.org/fileformat2.html#walformat).
 */
export const countCommits = (path: string): number => {
  const wal = readFileSync(`${path}-wal`);
  const frameBytes = FRAME_HEADER_BYTES + wal.readUInt32BE(8);
  const salt = wal.subarray(16, 24);
  let commits = 0;
  for (let at = WAL_HEADER_BYTES; at + frameBytes <= wal.length; at += frameBytes) {
    if (!wal.subarray(at + 8, at + 16).equals(salt)) break;
    if (wal.readUInt32BE(at + 4) !== 0) commits += 1;
  }
  return commits;
};

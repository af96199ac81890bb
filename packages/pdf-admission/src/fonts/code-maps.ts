/** Maps of codes to characters that a file brings along (CMaps, ISO 32000-2, 9.7.5.4): programs, of which readers run little. */

/** Operators that only some readers take, or in their own way. */
const DOUBTFUL = /\b(?:usecmap|beginbf(?:char|range)|beginnotdef(?:char|range))\b/;
const COMMENT = /%[^\r\n]*/g;
const HEX = "<((?:[\\da-fA-F]{2}){1,4})>";
const PARTS = [
  { name: "codespacerange", row: new RegExp(`${HEX}\\s*${HEX}\\s*`, "y") },
  { name: "cidrange", row: new RegExp(`${HEX}\\s*${HEX}\\s*\\d+\\s*`, "y") },
  { name: "cidchar", row: new RegExp(`${HEX}\\s*\\d+\\s*`, "y") },
] as const;

/** Codes are of one to four bytes, each length of a few ranges. */
const MAX_SPACES = 100;

/** Codes from one to another, as they are written. */
type Range = readonly [first: string, last: string];

/** Whether every reader finds the same characters by a map: by plain rows alone, each within what it says its codes are. */
export const isPlainCodeMap = (data: Uint8Array): boolean => {
  const text = Buffer.from(data).toString("latin1").replace(COMMENT, " ");
  if (DOUBTFUL.test(text)) return false;
  const [spaces, ...rows] = PARTS.map(({ name, row }) => rangesIn(text, name, row));
  if (!spaces || spaces.length === 0 || spaces.length > MAX_SPACES || rows.includes(undefined)) return false;
  const ranges = rows.flatMap((some) => some ?? []);
  return ranges.length > 0 && ranges.every((range) => spaces.some((space) => isWithin(range, space)));
};

/** Whether some codes may be of an odd number of bytes, by what a map says of them. */
export const hasOddCodes = (data: Uint8Array): boolean => {
  const { name, row } = PARTS[0];
  const text = Buffer.from(data).toString("latin1").replace(COMMENT, " ");
  return rangesIn(text, name, row)?.some(([first]) => first.length % 4 !== 0) ?? true;
};

/** Undefined where a part is written otherwise than in plain rows. */
const rangesIn = (text: string, name: string, row: RegExp): Range[] | undefined => {
  const ranges: Range[] = [];
  const begin = new RegExp(`\\bbegin${name}\\s+`, "g");
  for (const { 0: found, index } of text.matchAll(begin)) {
    row.lastIndex = index + found.length;
    let end = row.lastIndex;
    for (let match = row.exec(text); match !== null; match = row.exec(text)) {
      const [, first = "", last = first] = match;
      ranges.push([first.toLowerCase(), (/^[\da-fA-F]+$/.test(last) ? last : first).toLowerCase()]);
      end = row.lastIndex;
    }
    if (!text.startsWith(`end${name}`, end)) return undefined;
  }
  return ranges;
};

const isWithin = ([first, last]: Range, [start, end]: Range): boolean =>
  first.length === start.length && last.length === end.length && first >= start && last <= end && first <= last;

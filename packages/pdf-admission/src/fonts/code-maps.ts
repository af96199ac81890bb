/** Maps of codes to characters that a file brings along (CMaps, ISO 32000-2, 9.7.5.4): programs, of which readers run little. */

/** What maps are made of: names, strings, numbers, brackets, and words of which readers take each something else if they are others. */
const BLANK = String.raw`[ \t\r\n\f]`;
/** What ends a word: other controls, and what is beyond ASCII, are blanks to no reader. */
const WORD_END = String.raw`(?![^ \t\r\n\f()<>[\]/])`;
const PARTS_OF_MAPS = [
  String.raw`[ \t\r\n\f[\]]+|<<|>>`,
  String.raw`/(?:(?![()<>[\]{}/%#])[!-~\u0080-\u00ff])+`,
  String.raw`\([\w .:+-]*\)`,
  String.raw`<[\da-fA-F \t\r\n\f]*>`,
  String.raw`[-+\d.]+${WORD_END}`,
  "(?:begin|end|def|dict|dup|pop|currentdict|findresource|defineresource|CMapName|" +
    `(?:begin|end)(?:cmap|codespacerange|cidrange|cidchar))${WORD_END}`,
];
const PART = new RegExp(PARTS_OF_MAPS.join("|"), "y");
const COMMENT = /%[^\r\n]*/g;
const HEX = `<((?:[\\da-fA-F]{2}){1,4})>${BLANK}*`;
const CHARACTER = String.raw`(?<character>\d+)${BLANK}*`;
const PARTS = [
  { name: "codespacerange", row: new RegExp(`${HEX}${HEX}`, "y") },
  { name: "cidrange", row: new RegExp(`${HEX}${HEX}${CHARACTER}`, "y") },
  { name: "cidchar", row: new RegExp(`${HEX}${CHARACTER}`, "y") },
] as const;

/** Each length of codes is of a few ranges. */
const MAX_SPACES = 100;
/** PDFium takes longer ones for several; two digits a byte. */
const MOST_DIGITS = 4;
/** Some readers go on where others take a larger number for none, or for the rest of it. */
const LAST_CHARACTER = 0xffff;
const DIRECTION = /\/WMode[ \t\r\n\f]+([01])[ \t\r\n\f]+def\b/g;
/** Of a map that is called so pdf.js takes its own one, where it is the same but for its direction. */
const OWN_OF_READERS = ["/Identity-H", "/Identity-V"];
/** Of what stands behind the end of a map only some readers take anything. */
const END = /\bendcmap\b/;
const FURTHER = /\bbegin(?:cid|codespace)|\/WMode/;

/** Codes from one to another, as they are written, and the character of the first one. */
type Range = readonly [first: string, last: string, character: number];

/**
 * Whether every reader finds the same characters by a map: by plain rows alone, each within what it says its codes are.
 * @param direction what its dictionary says of it: 1 for text that is written downwards
 */
export const isPlainCodeMap = (data: Uint8Array, direction?: number): boolean => {
  const text = Buffer.from(data).toString("latin1").replace(COMMENT, " ");
  if (!isOfPlainParts(text) || !isOfOneDirection(text, direction)) return false;
  const end = END.exec(text);
  if (end !== null && FURTHER.test(text.slice(end.index))) return false;
  const [spaces, ...rows] = PARTS.map(({ name, row }) => rangesIn(text, name, row));
  if (!spaces || spaces.length === 0 || spaces.length > MAX_SPACES || rows.includes(undefined)) return false;
  if (spaces.some(([first]) => first.length > MOST_DIGITS) || isAmbiguous(spaces) || !areWhole(spaces)) return false;
  const ranges = rows.flatMap((some) => some ?? []);
  if (ranges.some((range) => lastCharacter(range) > LAST_CHARACTER)) return false;
  return ranges.length > 0 && ranges.every((range) => spaces.some((space) => isWithin(range, space)));
};

const isOfPlainParts = (text: string): boolean => {
  PART.lastIndex = 0;
  let end = 0;
  while (PART.test(text)) end = PART.lastIndex;
  return end === text.length;
};

/** Whether codes of one byte are the beginning of others: some readers take the one, others the other. */
const isAmbiguous = (spaces: readonly Range[]): boolean => {
  const bytes = spaces.map(([first, last]) => ({
    digits: first.length,
    from: first.slice(0, 2),
    to: last.slice(0, 2),
  }));
  return bytes.some((one) =>
    bytes.some((other) => one.digits < other.digits && one.from <= other.to && other.from <= one.to),
  );
};

/** Whether codes of two bytes have any second one where others have one byte: by others' first byte readers take one or two. */
const areWhole = (spaces: readonly Range[]): boolean =>
  spaces.every(([first, last]) => first.length === 2 || (first.endsWith("00") && last.endsWith("ff"))) ||
  spaces.every(([first]) => first.length > 2);

/** MuPDF goes by the dictionary where it says something, others by the map. */
const isOfOneDirection = (text: string, said: number | undefined): boolean => {
  const directions = [...text.matchAll(DIRECTION)].map(([, direction]) => Number(direction));
  const [own = 0] = directions;
  if (text.split("/WMode").length - 1 !== directions.length || directions.length > 1) return false;
  return !text.includes(OWN_OF_READERS[1 - own] as string) && (said === undefined || said === own);
};

const lastCharacter = ([first, last, character]: Range): number =>
  character + Number.parseInt(last, 16) - Number.parseInt(first, 16);

/** The codes of a map that are of so many bytes: readers show each something else for others. */
export interface MappedCodes {
  bytes: number;
  /** The bytes that they begin with, from one to another. */
  starts: readonly (readonly [first: number, last: number])[];
  /** From one to another, in order. */
  ranges: readonly (readonly [first: number, last: number])[];
}

/** By their lengths. */
export const mappedCodes = (data: Uint8Array): MappedCodes[] => {
  const text = Buffer.from(data).toString("latin1").replace(COMMENT, " ");
  const [spaces = [], ...rows] = PARTS.map(({ name, row }) => rangesIn(text, name, row));
  const all = rows.flatMap((some) => some ?? []);
  return [...new Set(spaces.map(([first]) => first.length))].sort().map((digits) => {
    const rangesOf = (some: readonly Range[], end?: number) =>
      some
        .filter(([first]) => first.length === digits)
        .map(([first, last]): [number, number] => [
          Number.parseInt(first.slice(0, end), 16),
          Number.parseInt(last.slice(0, end), 16),
        ])
        .sort(([one], [other]) => one - other);
    return { bytes: digits / 2, starts: rangesOf(spaces, 2), ranges: joined(rangesOf(all)) };
  });
};

/** Without those that lie within others. */
const joined = (ranges: readonly [number, number][]): [number, number][] => {
  const all: [number, number][] = [];
  for (const [first, last] of ranges) {
    const before = all.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else all.push([first, last]);
  }
  return all;
};

export const isMapped = (code: number, { ranges }: MappedCodes): boolean => {
  let [from, until] = [0, ranges.length];
  while (from < until) {
    const middle = (from + until) >> 1;
    const [first, last] = ranges[middle] as readonly [number, number];
    if (code >= first && code <= last) return true;
    if (code < first) until = middle;
    else from = middle + 1;
  }
  return false;
};

/** Undefined where a part is written otherwise than in plain rows. */
const rangesIn = (text: string, name: string, row: RegExp): Range[] | undefined => {
  const ranges: Range[] = [];
  const begin = new RegExp(`\\bbegin${name}${BLANK}+`, "g");
  for (const { 0: found, index } of text.matchAll(begin)) {
    row.lastIndex = index + found.length;
    let end = row.lastIndex;
    for (let match = row.exec(text); match !== null; match = row.exec(text)) {
      const [, first = "", second] = match;
      const last = name === "cidchar" || second === undefined ? first : second;
      ranges.push([first.toLowerCase(), last.toLowerCase(), Number(match.groups?.character ?? 0)]);
      end = row.lastIndex;
    }
    if (!text.startsWith(`end${name}`, end)) return undefined;
  }
  return ranges;
};

const isWithin = ([first, last]: Range, [start, end]: Range): boolean =>
  first.length === start.length && last.length === end.length && first >= start && last <= end && first <= last;

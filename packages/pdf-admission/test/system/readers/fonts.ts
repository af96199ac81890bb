import { seededRandom } from "@rubrica/runtime/testing";
import {
  type CharacterMap,
  cff,
  type FontUse,
  glyphNames,
  pdfWithFont,
  sfnt,
  sfntOf,
  type1,
} from "@rubrica/test-kit/pdf/font-programs";

/** Files with a font program that was made up, or broken, by chance: readers that take none of it take another font. */

type Pick = <Item>(items: readonly Item[]) => Item;
type Make = (pick: Pick) => Buffer;

const numbers = (glyphs: Readonly<Record<number, number>>[]): CharacterMap[] =>
  [
    [0, 3],
    [1, 0],
    [3, 0],
    [3, 1],
    [3, 10],
  ].flatMap(([platform = 0, encoding = 0]) => glyphs.map((map) => [platform, encoding, map] as const));
const maps = numbers([{ 49: 1 }, { 49: 2 }, { 61489: 1 }, { 61489: 2 }, { 49: 1, 61489: 1 }, { 49: 1, 61489: 2 }]);
const tables = ["cmap", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "post"];
const start = "0 1 255 {1 index exch /.notdef put} for\n";
const encodings = [
  ...["/one", "/nine"].map((name) => `/Encoding 256 array ${start}dup 49 ${name} put\nreadonly def`),
  "/Encoding StandardEncoding def",
  `/Encoding 256 array ${start}dup 49 /nine put\nreadonly def\n/Encoding StandardEncoding def`,
  `% /Encoding StandardEncoding def\n/Encoding 256 array ${start}dup 49 /nine put\nreadonly def`,
  `/Encoding 256 array ${start}dup 8#61 /nine put\nreadonly def`,
  `/Encoding 256 array ${start}dup 49 /nine put\n%dup 49 /one put\nreadonly def`,
];

const trueType: Make = (pick) => {
  const chosen = Array.from({ length: pick([1, 1, 2, 3]) }, () => pick(maps));
  const table = pick(tables);
  const change = pick<(all: Map<string, Buffer>) => void>([
    () => {},
    () => {},
    (all) => all.delete(table),
    (all) => all.set(table, all.get(table)?.subarray(0, pick([0, 4, 20, 40])) ?? Buffer.alloc(0)),
    (all) => all.set(`${table}x`, all.get(table) ?? Buffer.alloc(0)),
  ]);
  return sfnt({ maps: chosen, change });
};
const programs: readonly Make[] = [
  trueType,
  trueType,
  () => cff(),
  (pick) =>
    sfntOf(new Map([["CFF ", cff()], ...pick([[], [["glyf", Buffer.alloc(4)] as const]])]), Buffer.from("OTTO")),
  (pick) => type1({ encoding: pick(encodings) }),
  (pick) => type1({ change: (hidden) => pick([hidden, hidden.replace("/nine", "/one"), `${hidden}${hidden}`]) }),
];
const faults: readonly ((program: Buffer, at: number) => Buffer)[] = [
  (program) => program,
  (program) => program,
  (program, at) => program.subarray(0, at),
  (program, at) => Buffer.concat([program.subarray(0, at), Buffer.alloc(program.length - at, 0xa5)]),
];
const uses: readonly FontUse[] = [
  ...["FontFile", "FontFile2", "FontFile3"].flatMap((entry) => [
    { subtype: "TrueType", entry },
    { subtype: "Type1", entry },
  ]),
  { subtype: "CIDFontType2", entry: "FontFile2" },
  { subtype: "CIDFontType0", entry: "FontFile3" },
];
const said = [
  "",
  "/Encoding/WinAnsiEncoding",
  "/Encoding/MacRomanEncoding",
  `/Encoding<</Differences[49/${glyphNames[1]}]>>`,
];

/** One file, by its seed. */
export const fontOf = (seed: number): Uint8Array => {
  const random = seededRandom(seed);
  const pick: Pick = (items) => items[Math.floor(random.fraction() * items.length)] as (typeof items)[number];
  const program = pick(programs)(pick);
  const broken = pick(faults)(program, Math.floor(random.fraction() * program.length));
  const use = pick(uses);
  const entries = use.subtype.startsWith("CID") ? "" : pick(said);
  return pdfWithFont(broken, { ...use, flags: pick([4, 32]), entries });
};

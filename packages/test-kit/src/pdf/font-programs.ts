import { pdf } from "./fixtures.ts";
import { streamOf } from "./update.ts";

/** Small programs of fonts written by hand, whose glyphs are boxes at different places: who takes another one is seen. */

/** Bounds of a box, in thousandths. */
type Box = readonly [left: number, bottom: number, right: number, top: number];
/** Glyph 0 is what readers show where they find none. */
const boxes: readonly Box[] = [
  [0, 0, 100, 100],
  [0, 0, 400, 800],
  [500, 0, 900, 800],
  [0, 500, 900, 800],
];
export const glyphNames = [".notdef", "one", "nine", "seven"] as const;

/** Glyphs by codes, for readers of a platform and an encoding of it. */
export type CharacterMap = readonly [platform: number, encoding: number, glyphs: Readonly<Record<number, number>>];

export interface SfntOptions {
  maps?: readonly CharacterMap[];
  /** What is done to tables, by their names. */
  change?: (tables: Map<string, Buffer>) => void;
}

const u16 = (...values: number[]): Buffer =>
  Buffer.from(values.flatMap((value) => [(value >> 8) & 0xff, value & 0xff]));
const u32 = (...values: number[]): Buffer => Buffer.concat(values.map((value) => u16(value >>> 16, value & 0xffff)));

const outlineOf = ([left, bottom, right, top]: Box): Buffer =>
  Buffer.concat([
    u16(1, left, bottom, right, top, 3, 0),
    Buffer.from([1, 1, 1, 1]),
    u16(left, 0, right - left, 0, bottom, top - bottom, 0, bottom - top),
  ]);

const mapOf = ([, , glyphs]: CharacterMap): Buffer => {
  const codes = [
    ...Object.keys(glyphs)
      .map(Number)
      .sort((one, other) => one - other),
    0xffff,
  ];
  const deltas = codes.map((code) => ((glyphs[code] ?? 0) - code) & 0xffff);
  const count = codes.length;
  return Buffer.concat([
    u16(4, 16 + count * 8, 0, count * 2, 0, 0, 0, ...codes, 0, ...codes, ...deltas),
    u16(...codes.map(() => 0)),
  ]);
};

const mapsOf = (maps: readonly CharacterMap[]): Buffer => {
  const bodies = maps.map(mapOf);
  let at = 4 + maps.length * 8;
  const heads = maps.map(([platform, encoding], index) => {
    const head = Buffer.concat([u16(platform, encoding), u32(at)]);
    at += bodies[index]?.length ?? 0;
    return head;
  });
  return Buffer.concat([u16(0, maps.length), ...heads, ...bodies]);
};

/** A TrueType program. */
export const sfnt = ({ maps = [[3, 1, { 49: 1 }]], change = () => {} }: SfntOptions = {}): Buffer => {
  const outlines = boxes.map(outlineOf);
  const places = outlines.map((_, index) => Buffer.concat(outlines.slice(0, index)).length);
  const glyf = Buffer.concat(outlines);
  const tables = new Map([
    ["cmap", mapsOf(maps)],
    ["glyf", glyf],
    [
      "head",
      Buffer.concat([
        u32(0x10000, 0x10000, 0, 0x5f0f3cf5),
        u16(3, 1000),
        u32(0, 0, 0, 0),
        u16(0, 0, 900, 800, 0, 8, 2, 1, 0),
      ]),
    ],
    ["hhea", Buffer.concat([u32(0x10000), u16(800, 0, 0, 1000, 0, 0, 900, 1, 0, 0, 0, 0, 0, 0, 0, boxes.length)])],
    ["hmtx", u16(...boxes.flatMap(([left]) => [1000, left]))],
    ["loca", u32(...places, glyf.length)],
    ["maxp", Buffer.concat([u32(0x10000), u16(boxes.length, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)])],
    ["post", Buffer.concat([u32(0x30000, 0, 0, 0, 0, 0, 0, 0)])],
  ]);
  change(tables);
  return sfntOf(tables);
};

/** Tables in a directory. */
export const sfntOf = (tables: ReadonlyMap<string, Buffer>, start = u32(0x10000)): Buffer => {
  let at = 12 + tables.size * 16;
  const [entries, bodies]: [Buffer[], Buffer[]] = [[], []];
  for (const [name, table] of tables) {
    entries.push(Buffer.from(name.slice(0, 4), "latin1"), u32(0, at, table.length));
    const padded = Buffer.concat([table, Buffer.alloc((4 - (table.length % 4)) % 4)]);
    bodies.push(padded);
    at += padded.length;
  }
  return Buffer.concat([start, u16(tables.size, 0, 0, 0), ...entries, ...bodies]);
};

const number = (value: number): Buffer => Buffer.concat([Buffer.from([29]), u32(value)]);
const indexOf = (parts: readonly Buffer[]): Buffer => {
  if (parts.length === 0) return u16(0);
  let end = 1;
  const places = [1, ...parts.map(({ length }) => (end += length))].map((place) => u32(place));
  return Buffer.concat([u16(parts.length), Buffer.from([4]), ...places, ...parts]);
};
const short = (value: number): Buffer => Buffer.concat([Buffer.from([28]), u16(value)]);
const shortsOf = (...values: number[]): Buffer => Buffer.concat(values.map(short));
const compactOutlineOf = ([left, bottom, right, top]: Box): Buffer =>
  Buffer.concat([
    ...[shortsOf(left, bottom), Buffer.from([21]), shortsOf(right - left, 0, 0, top - bottom, left - right, 0)],
    Buffer.from([5, 14]),
  ]);

export interface CffOptions {
  /** Whether nothing is seen of the first glyph. */
  hasBlankSign?: boolean;
  /** What draws the second glyph, in the place of its box, and the routines that it may call. */
  glyph?: Buffer;
  routines?: readonly Buffer[];
  /** Glyphs beside its own, before these, and the names that the standard list lacks. */
  further?: readonly Buffer[];
  strings?: readonly string[];
  /** Of the fonts in it. */
  fonts?: readonly string[];
  /** What its list says beside, operands before their operator. */
  entries?: Buffer;
}

/** A program in the Compact Font Format; `names` are the glyphs', by their numbers in the standard list. */
export const cff = (names: readonly number[] = [18, 26, 24], options: CffOptions = {}): Buffer => {
  const { hasBlankSign = false, glyph, routines, fonts = ["Own"], entries = Buffer.alloc(0) } = options;
  const name = indexOf(fonts.map((font) => Buffer.from(font)));
  const strings = Buffer.concat([indexOf((options.strings ?? []).map((string) => Buffer.from(string))), indexOf([])]);
  const blank = Buffer.concat([short(1000), Buffer.from([14])]);
  const outlines = boxes.map((box, index) => (index === 0 && hasBlankSign ? blank : compactOutlineOf(box)));
  if (glyph) outlines[1] = glyph;
  outlines.splice(1, 0, ...(options.further ?? []));
  const glyphs = indexOf(outlines);
  const own = routines ? Buffer.from([139, 20, 143, 19]) : Buffer.from([139, 20]);
  const topOf = (charset: number, charStrings: number, privates: number) =>
    indexOf([
      Buffer.concat([
        ...[entries, number(charset), Buffer.from([15]), number(charStrings), Buffer.from([17])],
        ...[number(own.length), number(privates), Buffer.from([18])],
      ]),
    ]);
  const head = 4 + name.length + topOf(0, 0, 0).length + strings.length;
  const charset = Buffer.concat([Buffer.from([0]), u16(...names)]);
  const [glyphsAt, privateAt] = [head + charset.length, head + charset.length + glyphs.length];
  const body = [name, topOf(head, glyphsAt, privateAt), strings, charset, glyphs, own, indexOf(routines ?? [])];
  return Buffer.concat([Buffer.from([1, 0, 4, 2]), ...(routines ? body : body.slice(0, -1))]);
};

const encrypted = (plain: Buffer, key: number): Buffer => {
  const cipher = Buffer.alloc(plain.length);
  let state = key;
  for (const [index, byte] of plain.entries()) {
    cipher[index] = byte ^ (state >> 8);
    state = (((cipher[index] ?? 0) + state) * 52_845 + 22_719) & 0xffff;
  }
  return cipher;
};
/** As Type 1 has it: long numbers, of which none has to be short. */
const typed = (value: number): Buffer => Buffer.concat([Buffer.from([255]), u32(value)]);
const numbersOf = (...values: number[]): Buffer => Buffer.concat(values.map(typed));
const drawnOf = ([left, bottom, right, top]: Box): Buffer =>
  Buffer.concat([
    ...[numbersOf(0, 1000), Buffer.from([13]), numbersOf(left, bottom), Buffer.from([21])],
    ...[numbersOf(right - left), Buffer.from([6]), numbersOf(top - bottom), Buffer.from([7])],
    ...[numbersOf(left - right), Buffer.from([6, 9, 14])],
  ]);

export interface Type1Options {
  /** Of the glyphs, in their order. */
  names?: readonly string[];
  encoding?: string;
  /** Whether nothing is seen of the first glyph. */
  hasBlankSign?: boolean;
  /** What draws the second glyph, in the place of its box, and the routines that it may call, by their numbers. */
  glyph?: Buffer;
  routines?: readonly (readonly [number: number, routine: Buffer])[];
  /** What is done to the part that is encrypted, while it is not. */
  change?: (hidden: string) => string;
}

/** A glyph or a routine with its length, as a program has it. */
const hiddenCode = (code: Buffer): string => {
  const hidden = encrypted(Buffer.concat([Buffer.alloc(4), code]), 4330);
  return `${hidden.length} RD ${hidden.toString("latin1")}`;
};

/** A Type 1 program. */
export const type1 = (options: Type1Options = {}): Buffer => {
  const { names = glyphNames, encoding, hasBlankSign = false, change = (hidden: string) => hidden } = options;
  const { glyph, routines } = options;
  const said = encoding ?? "/Encoding 256 array 0 1 255 {1 index exch /.notdef put} for\ndup 49 /one put\nreadonly def";
  const clear = [
    "%!PS-AdobeFont-1.0: Own 001.000\n11 dict begin\n/FontInfo 1 dict dup begin end readonly def\n/FontName /Own def",
    `/PaintType 0 def\n/FontType 1 def\n/FontMatrix [0.001 0 0 0.001 0 0] readonly def\n${said}`,
    "/FontBBox {0 0 1000 800} readonly def\ncurrentdict end\ncurrentfile eexec\n",
  ].join("\n");
  const glyphs = names.map((name, index) => {
    const isBlank = index === 0 && hasBlankSign;
    const outline = isBlank ? Buffer.concat([numbersOf(0, 1000), Buffer.from([13, 14])]) : drawnOf(boxes[index] as Box);
    return `/${name} ${hiddenCode(index === 1 && glyph ? glyph : outline)} ND\n`;
  });
  const last = Math.max(-1, ...(routines ?? []).map(([number]) => number));
  const listed = (routines ?? []).map(([number, routine]) => `dup ${number} ${hiddenCode(routine)} NP\n`);
  const hidden = [
    "dup /Private 8 dict dup begin\n/RD {string currentfile exch readstring pop} executeonly def",
    "/ND {noaccess def} executeonly def\n/NP {noaccess put} executeonly def\n/BlueValues [] def\n/password 5839 def",
    ...(routines ? [`/Subrs ${last + 1} array\n${listed.join("")}ND`] : []),
    `2 index /CharStrings ${names.length} dict dup begin\n${glyphs.join("")}end\nend`,
    "readonly put\nnoaccess put\ndup/FontName get exch definefont pop\nmark currentfile closefile\n",
  ].join("\n");
  const cipher = encrypted(Buffer.from(`\0\0\0\0${change(hidden)}`, "latin1"), 55_665);
  return Buffer.concat([Buffer.from(clear, "latin1"), cipher, Buffer.from(`${"0".repeat(64)}\ncleartomark\n`)]);
};

/** How a file has a program: in which font, by which entry of its descriptor. */
export interface FontUse {
  subtype: string;
  entry: string;
  flags?: number;
  /** Of the font. */
  entries?: string;
  /** Of the descriptor. */
  descriptor?: string;
  /** What is shown, as it stands in the content; the first glyph without it. */
  text?: string;
}

const [PROGRAM, DESCRIPTOR, DESCENDANT, FONT] = [6, 7, 8, 9];

/** A file whose only page shows a glyph of a program, 150 points high. */
export const pdfWithFont = (program: Buffer, use: FontUse): Uint8Array => {
  const { subtype, entry, flags = 32, entries = "", descriptor = "", text } = use;
  const isOfMany = subtype.startsWith("CID");
  const data = program.toString("latin1");
  const hiddenAt = Math.max(data.indexOf("eexec\n"), -6) + 6;
  const lengths = `/Length1 ${hiddenAt || data.length}/Length2 ${data.length - hiddenAt}/Length3 0`;
  const system = "/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>";
  const simple = `/FirstChar 49/LastChar 49/Widths[1000]${entries}/FontDescriptor ${DESCRIPTOR} 0 R`;
  return pdf({
    pages: [
      {
        entries: "/MediaBox[0 0 200 200]",
        fonts: `/F2 ${FONT} 0 R`,
        content: `BT /F2 150 Tf 20 20 Td ${text ?? (isOfMany ? "<0001>" : "(1)")} Tj ET`,
      },
    ],
    objects: [
      streamOf(data, entry === "FontFile3" ? `/Subtype/${isOfMany ? "CIDFontType0C" : "Type1C"}` : lengths),
      `<</Type/FontDescriptor/FontName/Own/Flags ${flags}/FontBBox[0 0 1000 800]/Ascent 800/Descent 0/ItalicAngle 0/CapHeight 800/StemV 80/${entry} ${PROGRAM} 0 R${descriptor}>>`,
      isOfMany
        ? `<</Type/Font/Subtype/${subtype}/BaseFont/Own${system}/DW 1000/FontDescriptor ${DESCRIPTOR} 0 R${entries}>>`
        : "null",
      isOfMany
        ? `<</Type/Font/Subtype/Type0/BaseFont/Own/Encoding/Identity-H/DescendantFonts[${DESCENDANT} 0 R]>>`
        : `<</Type/Font/Subtype/${subtype}/BaseFont/Own${simple}>>`,
    ],
  });
};

export interface MappedUse {
  /** CFF in the place of TrueType. */
  program?: Buffer | undefined;
  /** What maps codes to characters, as it stands in the font, or in a program for it. */
  encoding?: string;
  map?: string;
  /** Of the program's dictionary. */
  entries?: string | undefined;
  /** What maps characters to glyphs. */
  glyphs?: string;
  /** What is shown, as it stands in the content; one character where it is left out. */
  text?: string;
}

/** A file whose only page shows a character of a font of many characters, which it maps by itself. */
export const pdfWithMappedFont = (use: MappedUse): Uint8Array => {
  const { program, encoding = "/Identity-H", map, entries = "", glyphs } = use;
  const { text = map === undefined ? "<0001>" : "<0031>" } = use;
  const system = "/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>";
  const [kind, entry] = program ? ["CIDFontType0", "FontFile3"] : ["CIDFontType2", "FontFile2"];
  const ofGlyphs = glyphs === undefined ? "" : "/CIDToGIDMap 11 0 R";
  const code = `/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n${map}\nendcmap\nend\nend`;
  return pdf({
    pages: [{ fonts: "/F2 6 0 R", content: `BT /F2 150 Tf 20 20 Td ${text} Tj ET` }],
    objects: [
      `<</Type/Font/Subtype/Type0/BaseFont/Own/Encoding ${map === undefined ? encoding : "10 0 R"}/DescendantFonts[7 0 R]>>`,
      `<</Type/Font/Subtype/${kind}/BaseFont/Own${system}/DW 1000/FontDescriptor 8 0 R${ofGlyphs}>>`,
      `<</Type/FontDescriptor/FontName/Own/Flags 4/FontBBox[0 0 1000 800]/${entry} 9 0 R>>`,
      streamOf((program ?? sfnt()).toString("latin1")),
      streamOf(code, `/Type/CMap/CMapName/Own${system}${entries}`),
      streamOf(glyphs ?? ""),
    ],
  });
};

import { pdfWithFont, sfnt } from "@rubrica/test-kit/pdf/font-programs";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

type Change = (tables: Map<string, Buffer>) => void;

const u16 = (...values: number[]) => Buffer.from(values.flatMap((value) => [(value >> 8) & 0xff, value & 0xff]));
const of = (tables: Map<string, Buffer>, name: string) => tables.get(name) as Buffer;

/** Sets a number in a table. */
const set =
  (table: string, at: number, value: number): Change =>
  (tables) =>
    of(tables, table).writeUInt16BE(value & 0xffff, at);

/** A glyph made of parts: their flags, numbers and places. */
const made = (parts: readonly (readonly number[])[], outlines = -1) =>
  Buffer.concat([u16(outlines, 0, 0, 900, 800), ...parts.map((part) => u16(...part))]);

/** A glyph that is a box, and one that it says it is within. */
const outline = (box: readonly number[], said = box) => {
  const [left = 0, bottom = 0, right = 0, top = 0] = box;
  const points = Buffer.concat([u16(left, right - left, 0, left - right), u16(bottom, 0, top - bottom, 0)]);
  return Buffer.concat([u16(1, ...said, 3, 0), Buffer.from([1, 1, 1, 1]), points]);
};

/** A box whose last points are said so many times more than once. */
const withAgain = (times: number) => {
  const box = outline([0, 0, 400, 800]);
  return Buffer.concat([box.subarray(0, 14), Buffer.from([1, 1, 9, times]), box.subarray(18)]);
};

/** Puts another glyph in the place of the one that is shown. */
const shown =
  (glyph: Buffer): Change =>
  (tables) => {
    const [glyf, loca] = [of(tables, "glyf"), of(tables, "loca")];
    const places = Array.from({ length: loca.length / 4 }, (_, index) => loca.readUInt32BE(index * 4));
    const [start = 0, end = 0] = places.slice(1);
    tables.set("glyf", Buffer.concat([glyf.subarray(0, start), glyph, glyf.subarray(end)]));
    for (const [index, place] of places.entries())
      if (index > 1) loca.writeUInt32BE(place + glyph.length - (end - start), index * 4);
  };

/** A box of so many points, of which all but three stand where one of them does. */
const ofPoints = (count: number) =>
  Buffer.concat([
    u16(1, 0, 0, 400, 800, count - 1, 0),
    Buffer.from([1, 1, 1, ...Array.from({ length: count - 3 }, () => 0x31)]),
    u16(0, 400, 0, 0, 0, 800),
  ]);
/** The glyph that is shown is made of that one, so many times. */
const madeOfLarge =
  (count: number, times: number): Change =>
  (tables) => {
    const [last, large] = [outline([0, 500, 900, 800]), ofPoints(count)];
    const part = (index: number) => [PLACED | (index < times - 1 ? MORE : 0), NINE, 0, 0];
    const whole = made(Array.from({ length: times }, (_, index) => part(index)));
    const glyphs = [outline([0, 0, 100, 100]), whole, large, last].map((glyph) =>
      Buffer.concat([glyph, Buffer.alloc(-glyph.length & 3)]),
    );
    const places = glyphs.map((_, index) => Buffer.concat(glyphs.slice(0, index)).length);
    const glyf = Buffer.concat(glyphs);
    tables.set("glyf", glyf);
    for (const [index, place] of [...places, glyf.length].entries()) of(tables, "loca").writeUInt32BE(place, index * 4);
    for (const glyph of [1, 2]) set("hmtx", glyph * 4 + 2, 0)(tables);
  };

/** Of the parts' flags: words, a place in numbers, a scale, another one follows, a place in that scale. */
const [PLACED, SCALED, MORE, IN_SCALE] = [3, 8, 0x20, 0x800];
const HALF = 0x2000;
const [BOX, NINE, SEVEN] = [1, 2, 3];

/** Lines that are a tenth as high as letters, which are as wide. */
const low: Change = (tables) => {
  set("hhea", 4, 90)(tables);
  set("hhea", 10, 90)(tables);
};
const noHeight: Change = (tables) => {
  set("hhea", 4, 0)(tables);
  set("hhea", 10, 90)(tables);
};

const fileOf = (change: Change, kind: string) =>
  pdfWithFont(sfnt({ change }), {
    ...{ subtype: kind, entry: "FontFile2" },
    entries: kind === "TrueType" ? "/Encoding/WinAnsiEncoding" : "",
  });

test.each<[string, Change]>([
  ["in units that are too large", set("head", 18, 15)],
  ["in units that are too small", set("head", 18, 16_385)],
  ["higher than lines and wider than letters are said to be", low],
  [
    "higher than that by the numbers of another table",
    (tables) => tables.set("OS/2", Buffer.alloc(78, 1)) && noHeight(tables),
  ],
  ["without widths of their own", set("hhea", 34, 0)],
  ["beside where the list of widths says", set("hmtx", 6, 500)],
  ["in a box whose sides are exchanged", shown(Buffer.concat([u16(-1, 900, 0, 0, 800), u16(PLACED, NINE, 0, 0)]))],
  [
    "by themselves and another one",
    shown(
      made([
        [PLACED | MORE, BOX, 0, 0],
        [PLACED, NINE, 0, 0],
      ]),
    ),
  ],
  [
    "by one that there is not",
    shown(
      made([
        [PLACED | MORE, NINE, 0, 0],
        [PLACED, 99, 0, 0],
      ]),
    ),
  ],
  ["from data that end within their points", shown(outline([0, 0, 400, 800]).subarray(0, -1))],
  ["by a point that is said again once too often", shown(withAgain(2))],
  ["by parts that end too early", shown(made([[PLACED | MORE, NINE, 0, 0]]))],
  [
    "by the numbers of points",
    shown(
      made([
        [PLACED | MORE, SEVEN, 0, 0],
        [1, NINE, 0, 0],
      ]),
    ),
  ],
  ["in the scale of a part", shown(made([[PLACED | SCALED | IN_SCALE, NINE, 800, 0, HALF]]))],
  ["by as many outlines as there can't be", shown(made([[PLACED, NINE, 0, 0]], -2))],
  [
    "by more parts than fonts have",
    shown(made(Array.from({ length: 300 }, (_, index) => [index < 299 ? PLACED | MORE : PLACED, NINE, 0, 0]))),
  ],
  ["by two others of many points together", madeOfLarge(20_000, 2)],
])(
  "glyphs of TrueType that are drawn %s are refused: readers draw another one, elsewhere or none",
  async (_, change) => {
    for (const kind of ["TrueType", "CIDFontType2"])
      await expect(admit(fileOf(change, kind))).rejects.toMatchObject({ reason: "shown_otherwise" });
  },
);

test.each<[string, Change]>([
  [
    "by two others",
    shown(
      made([
        [PLACED | MORE, NINE, 0, 0],
        [PLACED, SEVEN, 0, -100],
      ]),
    ),
  ],
  ["by another one in half its size", shown(made([[PLACED | SCALED, NINE, 0, 0, HALF]]))],
  ["a little beside where the list of widths says", set("hmtx", 6, 50)],
  ["in other units", set("head", 18, 2048)],
  ["in lines of which nothing says how high they are", noHeight],
  ["by points of which one is said again", shown(withAgain(1))],
  ["by another one of many points", madeOfLarge(20_000, 1)],
])("glyphs of TrueType stay that are drawn %s", async (_, change) => {
  for (const kind of ["TrueType", "CIDFontType2"]) expect((await admit(fileOf(change, kind))).bytes).toBeNull();
});

/** Beyond the program's box of 900 by 800, which browsers show nothing of at the edge of a page. */
test.each<[string, Change]>([
  ["above its font's box", shown(outline([0, 300, 400, 900]))],
  ["below it", shown(outline([0, -100, 400, 800]))],
  ["to its right, which says otherwise", shown(outline([0, 0, 1000, 800], [0, 0, 900, 800]))],
  ["to its left, which says otherwise", shown(outline([-100, 0, 400, 800], [0, 0, 400, 800]))],
  ["of more points than it has bytes", shown(Buffer.concat([u16(1, 0, 0, 9, 9, 999, 0), Buffer.alloc(8, 0x39)]))],
  ["beyond it by a part that is moved", shown(made([[PLACED, NINE, 100, 0]]))],
  ["beyond it by a part in twice its size", shown(made([[PLACED | SCALED, SEVEN, -500, -900, 0x7fff]]))],
])("a font of TrueType that has a glyph %s is refused", async (_, change) => {
  for (const kind of ["TrueType", "CIDFontType2"])
    await expect(admit(fileOf(change, kind))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test("a glyph of as many outlines as there can't be stays where nothing shows it", async () => {
  const glyph = made([[PLACED, NINE, 0, 0]], -70);
  const use = { subtype: "CIDFontType2", entry: "FontFile2" };
  const lacking = pdfWithFont(sfnt({ change: shown(glyph) }), { ...use, text: "<0000>" });
  expect((await admit(lacking)).bytes).toBeNull();
});

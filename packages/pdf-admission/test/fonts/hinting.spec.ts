import { HintedDrawing } from "@rubrica/pdf-drawing/placing/hinted-glyphs";
import { openDocument } from "@rubrica/pdf-reading/open";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { pdfWithFont, sfnt } from "@rubrica/test-kit/pdf/font-programs";
import { PDFContext, PDFRef } from "pdf-lib";
import { expect, test, vi } from "vitest";
import { admit } from "../../src/admit.ts";
import { programsOf } from "../../src/fonts/hinting.ts";
import { dataOf } from "../../src/fonts/programs.ts";
import { allTables } from "../../src/fonts/sfnt.ts";

const { engine, identity } = await openedEngine();
const u16 = (...values: number[]) => Buffer.from(values.flatMap((value) => [(value >> 8) & 0xff, value & 0xff]));
/** Said before all others: that hints are made for dots of three colors, or that no glyph's own are run. */
const [FOR_COLORS, RUNS_NONE] = ["b104038e", "b101018e"].map((code) => Buffer.from(code, "hex")) as [Buffer, Buffer];
/** Moves the four points of a box along the line, by so many 64ths of a dot. */
const movedBy = (amount: number) =>
  Buffer.concat([Buffer.from("01b00417b300010203b8", "hex"), u16(amount & 0xffff), Buffer.from([0x38])]);

/** A program in which each glyph has hints. */
const hinted = (code: Buffer, before = FOR_COLORS, also: (tables: Map<string, Buffer>) => void = () => undefined) =>
  sfnt({
    change: (tables) => {
      const [glyf, loca] = [tables.get("glyf") as Buffer, tables.get("loca") as Buffer];
      const places = Array.from({ length: loca.length / 4 }, (_, index) => loca.readUInt32BE(index * 4));
      const glyphs = places.slice(0, -1).map((place, index) => {
        const glyph = glyf.subarray(place, places[index + 1]);
        return Buffer.concat([glyph.subarray(0, 12), u16(code.length), code, glyph.subarray(14)]);
      });
      for (const index of places.keys()) loca.writeUInt32BE(Buffer.concat(glyphs.slice(0, index)).length, index * 4);
      tables.set("glyf", Buffer.concat(glyphs)).set("prep", before);
      also(tables);
    },
  });

/** A program of a sign for none, and glyphs that begin at the left. */
const programOf = (glyphs: readonly Buffer[]) =>
  sfnt({
    change: (tables) => {
      const all = [(tables.get("glyf") as Buffer).subarray(0, 34), ...glyphs];
      const places = [...all.keys(), all.length].map((index) => Buffer.concat(all.slice(0, index)).length);
      const maxp = tables.get("maxp") as Buffer;
      // Glyphs, points and outlines of one, and at the end how deep parts lie in each other.
      for (const [index, value] of [all.length, 8, 2].entries()) maxp.writeUInt16BE(value, 4 + index * 2);
      tables.set("maxp", Buffer.concat([maxp, u16(all.length)]));
      (tables.get("hhea") as Buffer).writeUInt16BE(all.length, 34);
      tables
        .set("hmtx", u16(...all.flatMap(() => [1000, 0])))
        .set("glyf", Buffer.concat(all))
        .set("prep", FOR_COLORS);
      tables.set("loca", Buffer.concat(places.map((place) => Buffer.concat([u16(place >> 16), u16(place & 0xffff)]))));
    },
  });
type Box = readonly [left: number, bottom: number, right: number, top: number];
/** The points of a box, each as what it is away from the one before. */
const stepsOf = ([left, bottom, right, top]: Box, x: number, y: number) => ({
  across: [left - x, 0, right - left, 0],
  up: [bottom - y, top - bottom, 0, bottom - top],
});
/** A glyph of a box, and of a line to its right within its height. */
const boxAndLine = (box: Box, line: Box, code: Buffer) => {
  const [first, second] = [stepsOf(box, 0, 0), stepsOf(line, box[2], box[1])];
  const head = u16(2, box[0], box[1], line[2], box[3], 3, 7, code.length);
  const places = u16(...first.across, ...second.across, ...first.up, ...second.up);
  const glyph = Buffer.concat([head, code, Buffer.alloc(8, 1), places]);
  return Buffer.concat([glyph, Buffer.alloc(glyph.length % 2)]);
};
const fileOf = (program: Buffer, kind: string, entry = "FontFile2") =>
  pdfWithFont(program, {
    ...{ subtype: kind, entry },
    entries: kind === "TrueType" ? "/Encoding/WinAnsiEncoding" : "",
  });
const kinds = ["TrueType", "CIDFontType2"];

test.each([
  ["TrueType", "FontFile2"],
  ["CIDFontType2", "FontFile2"],
  ["TrueType", "FontFile3"],
  ["TrueType", "FontFile"],
])("hints that move a glyph are taken out of a program (%s, %s)", async (kind, entry) => {
  const { bytes } = await admit(fileOf(hinted(movedBy(640)), kind, entry));
  const { file } = await openDocument(bytes ?? new Uint8Array());
  const programs = [...file.references()].flatMap((ref) => programsOf(file.uncached(ref.objectNumber)?.object));
  const [changed] = programs.map((ref) => dataOf(ref, file));
  expect(allTables(changed ?? new Uint8Array()).get("prep")).toEqual(RUNS_NONE);
  expect((await admit(bytes ?? new Uint8Array())).bytes).toBeNull();
});

test.each(kinds)("hints that fit glyphs to dots stay, and so do programs without any (%s)", async (kind) => {
  for (const program of [hinted(movedBy(32)), hinted(movedBy(640), RUNS_NONE), sfnt()])
    expect((await admit(fileOf(program, kind))).bytes).toBeNull();
});

test("of a signed file, a program whose hints move a glyph is refused, and others stay", async () => {
  const signed = async (amount: number) =>
    (await engine.seal(fileOf(hinted(movedBy(amount)), "TrueType"), { identity, sealedAt: 0 })).bytes;
  await expect(admit(await signed(640))).rejects.toMatchObject({ reason: "shown_otherwise" });
  expect((await admit(await signed(32))).bytes).toBeNull();
});

test("glyphs that were looked at in one file are not drawn for the next, others are", async () => {
  const drawing = vi.spyOn(HintedDrawing.prototype, "differ");
  for (const amount of [31, 31, 30]) await admit(fileOf(hinted(movedBy(amount)), "TrueType"));
  expect(drawing).toHaveBeenCalledTimes(2);
});

test("a glyph that was looked at is drawn again with another width, by which its hints may move it", async () => {
  const drawing = vi.spyOn(HintedDrawing.prototype, "differ");
  const program = hinted(movedBy(29));
  const wider = Buffer.from(program);
  const at = wider.indexOf(u16(1000, 0, 1000, 0));
  wider.writeUInt16BE(1001, at + 4);
  for (const one of [program, wider]) await admit(fileOf(one, "CIDFontType2"));
  expect(drawing).toHaveBeenCalledTimes(2);
});

test("a line of a glyph that hints move elsewhere is seen, be it thin beside the rest", async () => {
  const upBy = (amount: number) =>
    Buffer.concat([Buffer.from("00b00417b304050607b8", "hex"), u16(amount & 0xffff), Buffer.from([0x38])]);
  const program = (amount: number) => programOf([boxAndLine([0, 0, 400, 800], [600, 400, 900, 425], upBy(amount))]);
  expect((await admit(fileOf(program(640), "TrueType"))).bytes).not.toBeNull();
  expect((await admit(fileOf(program(20), "TrueType"))).bytes).toBeNull();
});

test("parts of parts that are each put on whole dots are not moved any more, and single parts stay", async () => {
  const [bottom, step] = [300, 8];
  const bounds = (level: number) => [0, bottom + level * step, 400, bottom + level * step + 30];
  const line = Buffer.concat([
    u16(1, ...bounds(0), 3, 0),
    Buffer.alloc(4, 1),
    u16(0, 0, 400, 0, bottom, 30, 0, 0xffe2),
  ]);
  /** Made of another glyph: by words, put on whole dots. */
  const madeOf = (glyph: number, level: number) => u16(0xffff, ...bounds(level), 7, glyph, 0, step);
  const program = (levels: number) =>
    programOf([
      madeOf(levels + 1, levels),
      line,
      ...Array.from({ length: levels - 1 }, (_, at) => madeOf(at + 2, at + 1)),
    ]);
  const { bytes } = await admit(fileOf(program(8), "TrueType"));
  expect(bytes).not.toBeNull();
  expect((await admit(bytes ?? new Uint8Array())).bytes).toBeNull();
  expect((await admit(fileOf(program(1), "TrueType"))).bytes).toBeNull();
});

test.each<[string, (tables: Map<string, Buffer>) => void]>([
  ["a family", (tables) => tables.set("name", Buffer.from("PMingLiU", "utf16le").swap16())],
  ["lengths of tables", (tables) => tables.set("fpgm", Buffer.alloc(229)).set("prep", Buffer.alloc(3946))],
])(
  "hints that FreeType runs for all readers, by %s, are taken out, though PDFium's fit glyphs to dots",
  async (_, also) => {
    const file = fileOf(hinted(movedBy(27), FOR_COLORS, also), "TrueType");
    const { bytes } = await admit(file);
    expect(bytes).not.toBeNull();
    expect((await admit(bytes ?? new Uint8Array())).bytes).toBeNull();
  },
);

test("a glyph that was looked at is drawn again where tables differ that its hints may go by", async () => {
  const drawing = vi.spyOn(HintedDrawing.prototype, "differ");
  const withCaret = (offset: number) =>
    hinted(movedBy(26), FOR_COLORS, (tables) => void (tables.get("hhea") as Buffer).writeUInt16BE(offset, 22));
  for (const offset of [0, 1]) await admit(fileOf(withCaret(offset), "TrueType"));
  expect(drawing).toHaveBeenCalledTimes(2);
});

test("programs are found in a descriptor that is no object of its own", () => {
  const { context, ref } = { context: PDFContext.create(), ref: PDFRef.of(7) };
  const font = context.obj({ Type: "Font", DescendantFonts: [{ FontDescriptor: { FontFile2: ref } }] });
  expect(programsOf(font)).toEqual([ref]);
});

import { HintedDrawing } from "@rubrica/pdf-drawing/placing/hinted-glyphs";
import { openDocument } from "@rubrica/pdf-reading/open";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { pdfWithFont, sfnt } from "@rubrica/test-kit/pdf/font-programs";
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
const hinted = (code: Buffer, before = FOR_COLORS) =>
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
    },
  });
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

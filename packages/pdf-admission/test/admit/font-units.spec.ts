import { cff, type FontUse, pdfWithFont, sfnt, sfntOf, type1 } from "@rubrica/test-kit/pdf/font-programs";
import { describe, expect, test } from "vitest";
import { admit } from "../../src/admit.ts";
import { cidCff } from "../fonts/cid-cff.ts";
import { compactMatrix, type1Code, type2Code } from "../fonts/glyph-code.ts";

const windows = "/Encoding/WinAnsiEncoding";
const compact: FontUse = { subtype: "Type1", entry: "FontFile3", entries: windows };
const ofMany: FontUse = { subtype: "CIDFontType0", entry: "FontFile3" };
const shownOtherwise = { reason: "shown_otherwise" };

/** As large as a letter of 1,600 units, of which there are 2,000 to the size of text. */
const large = type2Code("0 0 rmoveto 800 0 0 1600 -800 0 rlineto endchar");
const half = compactMatrix("0.0005 0 0 0.0005 0 0");
const boxOf = (...sides: readonly number[]) =>
  Buffer.from([...sides.flatMap((side) => [28, (side >> 8) & 0xff, side & 0xff]), 5]);
/** A file whose font's dictionary says another box, and how high its letters are, in as many bytes. */
const said = (file: Uint8Array, box: string, ascent: number) => {
  const given = "/FontBBox[0 0 1000 800]/Ascent 800";
  const other = `/FontBBox[${box}]/Ascent ${ascent}`.padEnd(given.length);
  return Buffer.from(Buffer.from(file).toString("latin1").replace(given, other), "latin1");
};

describe("a program of 2,000 units: pdf.js takes what the font's dictionary says for such units", () => {
  const file = pdfWithFont(cff(undefined, { glyph: large, entries: half }), compact);

  test("without a box, with letters beyond what the dictionary says, is refused", async () => {
    await expect(admit(file)).rejects.toMatchObject(shownOtherwise);
  });

  test("without a box, with letters within what the dictionary says, stays", async () => {
    expect((await admit(said(file, "0 0 9 1600", 1600))).bytes).toBeNull();
  });

  test("with a box that is too small is written anew with one in its units", async () => {
    const small = cff(undefined, { glyph: large, entries: Buffer.concat([half, boxOf(0, 0, 900, 90)]) });
    const { bytes } = await admit(pdfWithFont(small, compact));
    expect(Buffer.from(bytes ?? []).toString("latin1")).toContain("/FontBBox [ 0 0 900 1600 ]");
  });

  test("with a box that holds its letters stays", async () => {
    const entries = Buffer.concat([half, boxOf(0, 0, 900, 1600)]);
    expect((await admit(pdfWithFont(cff(undefined, { glyph: large, entries }), compact))).bytes).toBeNull();
  });
});

test("a program of Type 1 with letters to the right of where pdf.js has all boxes end is refused", async () => {
  const glyph = type1Code("0 1000 hsbw 0 0 rmoveto 9000 hlineto 7800 vlineto -9000 hlineto closepath endchar");
  const wide = type1({ glyph })
    .toString("latin1")
    .replace("[0.001 0 0 0.001 0 0]", "[0.0001 0 0 0.0001 0 0]")
    .replace("{0 0 1000 800}", "{0 0 9000 7800}");
  const file = pdfWithFont(Buffer.from(wide, "latin1"), { ...compact, entry: "FontFile" });
  await expect(admit(file)).rejects.toMatchObject(shownOtherwise);
});

test("a program of parts whose own scale draws letters beyond what is said is refused", async () => {
  const inParts = (part: string, entries?: Buffer) =>
    pdfWithFont(cidCff({ part: compactMatrix(part), ...(entries && { entries }) }), ofMany);
  for (const entries of [undefined, boxOf(0, 0, 900, 800)]) {
    const file = inParts("0.002 0 0 0.002 0 0", entries);
    if (entries === undefined) await expect(admit(file)).rejects.toMatchObject(shownOtherwise);
    else
      expect(Buffer.from((await admit(file)).bytes ?? []).toString("latin1")).toContain("/FontBBox [ 0 0 1800 1600 ]");
    expect((await admit(inParts("0.001 0 0 0.001 0 0", entries))).bytes).toBeNull();
  }
});

describe("a program of OpenType with outlines in CFF", () => {
  const openType = (...box: readonly number[]) => {
    const tables = new Map<string, Buffer>();
    sfnt({
      change: (all) => {
        for (const [name, table] of all) tables.set(name, table);
      },
    });
    for (const outlines of ["glyf", "loca"]) tables.delete(outlines);
    for (const [at, side] of box.entries()) tables.get("head")?.writeInt16BE(side, 36 + at * 2);
    return pdfWithFont(sfntOf(tables.set("CFF ", cff()), Buffer.from("OTTO")), compact);
  };

  test.each([
    [0, 0, 900, 10],
    [0, 0, 10, 800],
    [-500, 0, 0, 800],
    [0, -300, 900, 0],
  ])("whose tables say a box of %i %i %i %i is refused: browsers go by it", async (...box) => {
    await expect(admit(openType(...box))).rejects.toMatchObject(shownOtherwise);
  });

  test.each([
    [0, 0, 900, 800],
    [0, 0, 0, 0],
  ])("whose tables say one of %i %i %i %i stays", async (...box) => {
    expect((await admit(openType(...box))).bytes).toBeNull();
  });
});

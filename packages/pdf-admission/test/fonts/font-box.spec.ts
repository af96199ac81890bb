import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { cff, type FontUse, pdfWithFont, sfnt, type1 } from "@rubrica/test-kit/pdf/font-programs";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";
import { type1Code, type2Code } from "./glyph-code.ts";

type Box = readonly number[];

const windows = "/Encoding/WinAnsiEncoding";
const compact: FontUse = { subtype: "Type1", entry: "FontFile3", entries: windows };
const sides = (box: Box) => box.map((side) => Buffer.from([28, (side >> 8) & 0xff, side & 0xff]));

/** Files of a font that says a box, by the kinds of its program. */
const filesOf = (box: Box): Record<string, Uint8Array> => {
  const tables = sfnt({
    change: (all) => {
      for (const [at, side] of box.entries()) all.get("head")?.writeInt16BE(side, 36 + at * 2);
    },
  });
  const text = type1()
    .toString("latin1")
    .replace("{0 0 1000 800}", `{${box.join(" ")}}`);
  const own = pdfWithFont(cff(undefined, { entries: Buffer.concat([...sides(box), Buffer.from([5])]) }), compact);
  return {
    TrueType: pdfWithFont(tables, { subtype: "TrueType", entry: "FontFile2", entries: windows }),
    characters: pdfWithFont(tables, { subtype: "CIDFontType2", entry: "FontFile2" }),
    "Type 1": pdfWithFont(Buffer.from(text, "latin1"), { ...compact, entry: "FontFile" }),
    CFF: own,
  };
};

/** The same where the font's dictionary alone says it. */
const described = (box: Box) => {
  const given = "/FontBBox[0 0 1000 800]/Ascent 800/Descent 0";
  const said = `/FontBBox[${box.join(" ")}]/Ascent 800`.padEnd(given.length);
  return Buffer.from(Buffer.from(pdfWithFont(cff(), compact)).toString("latin1").replace(given, said), "latin1");
};

test.each<[string, Box]>([
  ["far above", [5000, 5000, 6000, 6000]],
  ["below", [0, -300, 900, -200]],
  ["above", [0, 900, 900, 1000]],
  ["to the right", [900, 0, 1900, 800]],
  ["to the left", [-900, 0, -100, 800]],
])(
  "a font whose box is %s its letters is refused: browsers show nothing of them at the edge of a page",
  async (_, box) => {
    for (const file of [...Object.values(filesOf(box)), described(box)])
      await expect(admit(file)).rejects.toMatchObject({ reason: "shown_otherwise" });
  },
);

test.each<[string, Box]>([
  ["around its letters", [-100, -200, 1100, 900]],
  ["empty", [0, 0, 0, 0]],
])("one whose box is %s stays", async (_, box) => {
  for (const file of [...Object.values(filesOf(box)), described(box)]) expect((await admit(file)).bytes).toBeNull();
});

const small: [string, Box][] = [
  ["around a bar", [50, -330, 140, 330]],
  ["a dot", [-30, -50, 90, 20]],
];

test.each(small)("one whose box is %s is refused where its letters are larger", async (_, box) => {
  const { TrueType, characters, "Type 1": type1 } = filesOf(box);
  for (const file of [TrueType, characters, type1])
    await expect(admit(file ?? Buffer.of())).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each(small)(
  "one in CFF whose box is %s is written anew without it where its letters are larger",
  async (_, box) => {
    const { CFF = Buffer.of() } = filesOf(box);
    const { bytes } = await admit(CFF);
    expect(Buffer.from(bytes ?? []).toString("latin1")).toContain("/FontBBox [ 0 0 900 800 ]");
    expect((await admit(bytes ?? Buffer.of())).bytes).toBeNull();
    const { engine, identity } = await openedEngine();
    const { bytes: signed } = await engine.seal(CFF, { identity, sealedAt: 0 });
    await expect(admit(signed)).rejects.toMatchObject({ reason: "shown_otherwise" });
  },
);

test.each([
  ["above", "0 1500 rmoveto"],
  ["below", "0 -1500 rmoveto"],
  ["to the left", "-1500 0 rmoveto"],
])("a glyph of CFF %s what its font's dictionary says is refused where its program says no box", async (_, place) => {
  const glyph = type2Code(`${place} 400 0 0 800 -400 0 rlineto endchar`);
  for (const entries of [Buffer.of(), Buffer.of(139, 139, 139, 139, 5)]) {
    const file = Buffer.from(pdfWithFont(cff(undefined, { glyph, entries }), compact)).toString("latin1");
    for (const said of ["/FontBBox[0 0 1000 800]", "/FontBBox[0 0 0 0]     "])
      await expect(admit(Buffer.from(file.replace("/FontBBox[0 0 1000 800]", said), "latin1"))).rejects.toMatchObject({
        reason: "shown_otherwise",
      });
  }
});

test("a glyph of Type 1 above what its font's dictionary says is refused where its program says no box", async () => {
  const glyph = type1Code("0 1000 hsbw 0 1500 rmoveto 400 hlineto 800 vlineto -400 hlineto closepath endchar");
  const without = type1({ glyph }).toString("latin1").replace("/FontBBox {0 0 1000 800} readonly def", " ");
  const file = pdfWithFont(Buffer.from(without, "latin1"), { ...compact, entry: "FontFile" });
  await expect(admit(file)).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test("a glyph of Type 1 to the left of what its font's dictionary says is refused", async () => {
  const glyph = type1Code("0 1000 hsbw -900 0 rmoveto 400 hlineto 800 vlineto -400 hlineto closepath endchar");
  const wide = type1({ glyph }).toString("latin1").replace("{0 0 1000 800}", "{-900 0 900 800}");
  const file = pdfWithFont(Buffer.from(wide, "latin1"), { ...compact, entry: "FontFile" });
  await expect(admit(file)).rejects.toMatchObject({ reason: "shown_otherwise" });
});

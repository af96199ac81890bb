import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createPdfEngine,
  defaultPlacements,
  loadOrCreateSigningIdentity,
  type PdfEngine,
  type Placement,
  type SigningIdentity,
} from "@rubrica/pdf";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { firstFurtherObject, pdf, stampOf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf, updated } from "@rubrica/test-kit/pdf/update";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

describe("signatures that a document shows", () => {
  let engine: PdfEngine;
  let identity: SigningIdentity;
  const folder = mkdtempSync(join(tmpdir(), "rubrica-shown-"));
  beforeAll(async () => {
    engine = createPdfEngine({ clock: systemClock, processes: 1 });
    identity = await loadOrCreateSigningIdentity(folder, "http://localhost:3000", systemClock, systemRandom);
  });
  afterAll(async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  });

  const sealed = async (bytes: Uint8Array, ...placements: Placement[]) => {
    const stamps = placements.map((placement) => stampOf({ placement }));
    return (await engine.stampAndSeal(bytes, stamps, { identity, sealedAt: systemClock.now() })).bytes;
  };
  const shownBy = async (bytes: Uint8Array) =>
    (await engine.inspect(bytes)).shownSignatures.map(({ page, ...rectangle }) => [
      page,
      ...Object.values(rectangle).map((value) => Math.round(value * 100) / 100),
    ]);

  test("an unsigned document shows none", async () => {
    expect(await shownBy(await engine.stamp(pdf(), [stampOf()]))).toEqual([]);
  });

  test("a former seal's stamps are found on a page whose own content is encoded in a rare way", async () => {
    const bytes = updated(pdf(), { 5: streamOf("71 20 51>", "/Filter/ASCIIHexDecode") });
    expect(await shownBy(await sealed(bytes, { pages: 1, x: 30, y: 40 }))).toEqual([[1, 30, 40, 168, 72]]);
  });

  test.each([
    ["upright", "/MediaBox[0 0 595 842]"],
    ["turned by 90", "/MediaBox[0 0 595 842]/Rotate 90"],
    ["turned by 180", "/MediaBox[0 0 595 842]/Rotate 180"],
    ["turned by 270", "/MediaBox[0 0 595 842]/Rotate 270"],
    ["cropped, turned by 90", "/MediaBox[0 0 800 900]/CropBox[100 50 700 850]/Rotate 90"],
    ["of larger units", "/MediaBox[0 0 300 400]/UserUnit 2"],
  ])("a former seal's stamps are found on a page that is %s, drawn into it or as fields", async (_, entries) => {
    const bytes = pdf({ pages: [{}, { entries }] });
    const drawn = await sealed(bytes, { pages: 2, x: 30, y: 40 }, { pages: "last", x: 210, y: 41 });
    const both = [
      [2, 30, 40, 168, 72],
      [2, 210, 41, 168, 72],
    ];
    expect(await shownBy(drawn)).toEqual(both);
    const asFields = await sealed(drawn, { pages: "all", x: 35, y: 320 });
    expect(await shownBy(asFields)).toEqual([...both, [2, 35, 320, 168, 72], [1, 35, 320, 168, 72]]);
  });

  test("so are those that are annotations, where a page's content is dubious", async () => {
    const bytes = pdf({ pages: [{ content: "nonsense" }] });
    expect(await shownBy(await sealed(bytes, { pages: 1, x: 30, y: 40 }))).toEqual([[1, 30, 40, 168, 72]]);
  });

  test("hidden and empty fields, those that nobody signed, and broken ones are not", async () => {
    const field = firstFurtherObject(1);
    const widget = (name: string, entries: string) =>
      `<</Type/Annot/Subtype/Widget/FT/Sig/T(${name})/V ${field} 0 R${entries}>>`;
    const widgets = [
      widget("hidden", "/Rect[10 10 100 100]/F 2"),
      widget("empty", "/Rect[10 10 10 10]"),
      widget("unsigned", "/Rect[10 10 100 100]").replace(/\/V \d+ 0 R/, ""),
      widget("without", ""),
      widget("words", "/Rect[/a/b/c/d]"),
      widget("seen", "/Rect[100 142 10 242]"),
    ];
    const refs = widgets.map((_, index) => `${field + 1 + index} 0 R`).join(" ");
    const bytes = pdf({
      pages: [{ entries: `/MediaBox[0 0 595 842]/Annots[${refs} 999 0 R null]` }],
      objects: ["<</Type/Sig/Filter/Adobe.PPKLite>>", ...widgets],
      catalog: `/AcroForm<</Fields[${refs}]/SigFlags 3>>`,
    });
    expect(await shownBy(bytes)).toEqual([[1, 10, 600, 90, 100]]);
  });

  test("a document that is signed twice gets its second stamps beside the first", async () => {
    const first = pdf();
    const [mine] = defaultPlacements(await engine.inspect(first), [null]) as [Placement];
    const second = await sealed(first, mine);
    const [theirs] = defaultPlacements(await engine.inspect(second), [null]) as [Placement];
    const third = await sealed(second, theirs);
    expect([mine, theirs, ...defaultPlacements(await engine.inspect(third), [null])]).toEqual([
      { pages: "last", x: 28, y: 742 },
      { pages: "last", x: 202, y: 742 },
      { pages: "last", x: 376, y: 742 },
    ]);
  });
});

import { createPdfEngine, type PdfEngine, PdfRefused, STAMP_BOX } from "@rubrica/pdf";
import { systemClock } from "@rubrica/runtime";
import { firstFurtherObject, jpegDrawing, pdf, pngDrawing, stampOf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { difference, has, output, rendered, temporaryFile } from "@rubrica/test-kit/pdf/tools";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let engine: PdfEngine;
beforeAll(() => {
  engine = createPdfEngine({ clock: systemClock, processes: 1 });
});
afterAll(() => engine.close());

const textOf = (bytes: Uint8Array) => output("pdftotext", "-raw", temporaryFile(bytes), "-");
const poppler = has("pdftotext") && has("pdftoppm");

describe.skipIf(!poppler)("where a stamp goes", () => {
  const content = `q 0.5 g 0 0 50 50 re f Q ${textAt(200, 400, "Contract")}`;
  test.each([
    ["an upright page", "/MediaBox[0 0 595 842]"],
    ["a page turned by 90", "/MediaBox[0 0 595 842]/Rotate 90"],
    ["a page turned by 180", "/MediaBox[0 0 595 842]/Rotate 180"],
    ["a page turned by 270", "/MediaBox[0 0 595 842]/Rotate 270"],
    ["a cropped page", "/MediaBox[0 0 800 900]/CropBox[100 50 700 850]"],
    ["a cropped page turned by 90", "/MediaBox[0 0 800 900]/CropBox[100 50 700 850]/Rotate 90"],
    ["a page with its origin elsewhere", "/MediaBox[-200 -300 395 542]"],
  ])("on %s it is at its place as seen, and nothing else changes", async (_, entries) => {
    const bytes = pdf({ pages: [{ entries, content }] });
    const stamped = await engine.stamp(bytes, [stampOf({ placement: { pages: 1, x: 90, y: 120 } })]);
    const changed = difference(await rendered(bytes, 1), await rendered(stamped, 1));
    // The bar on the left edge reaches from the box's top to its bottom.
    expect(changed?.left).toBe(90);
    expect(changed?.top).toBe(120);
    expect(changed?.bottom).toBe(120 + STAMP_BOX.height - 1);
    expect(changed?.right).toBeGreaterThan(90 + STAMP_BOX.width / 2);
    expect(changed?.right).toBeLessThan(90 + STAMP_BOX.width);
  });

  describe("where an annotation lies over its place", () => {
    const [appearance, placement] = [firstFurtherObject(1), { pages: 1, x: 90, y: 120 } as const];
    const under = (annotation: string, page = "/MediaBox[0 0 595 842]") => {
      const dict = `<</Type/Annot/Subtype/Square/Rect[0 100 595 842]${annotation}/AP<</N ${appearance} 0 R>>>>`;
      const form = "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length 21>>\nstream\n0.9 g 0 0 9 9 re f    \nendstream";
      return pdf({ pages: [{ entries: `${page}/Annots[${dict}]`, content }], objects: [form] });
    };
    const isAnnotation = (stamped: Uint8Array) => Buffer.from(stamped).includes("/Subtype /Stamp");

    test.each([0, 90, 180, 270])("it is above it, on a page turned by %d", async (turn) => {
      const bytes = under("", `/MediaBox[0 0 595 842]/Rotate ${turn}`);
      const stamped = await engine.stamp(bytes, [stampOf({ placement })]);
      const changed = difference(await rendered(bytes, 1), await rendered(stamped, 1));
      expect(changed).toMatchObject({ left: 90, top: 120, bottom: 120 + STAMP_BOX.height - 1 });
      expect(isAnnotation(stamped)).toBe(true);
    });

    test("it is above it on all pages, and stays in the content where there is none", async () => {
      const bytes = under("/F 4");
      const beside = { pages: "all", x: 20, y: 760 } as const;
      expect(isAnnotation(await engine.stamp(bytes, [stampOf({ placement: beside })]))).toBe(false);
      const both = await engine.stamp(bytes, [stampOf({ placement: beside }), stampOf({ placement })]);
      expect(textOf(both).match(/Ana Pérez/g)).toHaveLength(2);
      expect(isAnnotation(both)).toBe(true);
    });

    test.each(["/F 2", "/F 32", "/Rect[0 0 0 0]", "/Subtype/Popup", "/Subtype/Link"])(
      "it stays in the content where that is not seen: %s",
      async (entry) => {
        // Of two entries of one name the later one counts.
        expect(isAnnotation(await engine.stamp(under(entry), [stampOf({ placement })]))).toBe(false);
      },
    );
  });

  test("it stands upright on every page that it is for", async () => {
    const bytes = pdf({ pages: [{}, { entries: "/MediaBox[0 0 595 842]/Rotate 90" }, {}] });
    const stamped = await engine.stamp(bytes, [stampOf({ placement: { pages: "all", x: 10, y: 10 } })]);
    const pages = textOf(stamped).split("\f");
    expect(pages.slice(0, 3).map((page) => page.includes("Ana Pérez"))).toEqual([true, true, true]);
    const last = await engine.stamp(bytes, [stampOf({ placement: { pages: "last", x: 10, y: 10 } })]);
    expect(
      textOf(last)
        .split("\f")
        .slice(0, 3)
        .map((page) => page.includes("Ana")),
    ).toEqual([false, false, true]);
  });

  test.each([
    ["leaves its graphics state changed", "0.5 0 0 0.5 100 100 cm 1 0 0 rg"],
    ["saves more than it restores", "q q 0.5 0 0 0.5 100 100 cm Q"],
    ["restores more than it saves", "Q Q 0.5 0 0 0.5 100 100 cm"],
    ["ends within a text object", "BT /F1 12 Tf 50 50 Td (open) Tj"],
    ["lacks operands", "0.5 0 0 0.5 0 0 cm 0 cm"],
    ["ends within a dictionary", "0.5 0 0 0.5 0 0 cm /Span <</Lang (es)"],
    ["ends within a string", "0.5 0 0 0.5 0 0 cm (q"],
    ["ends within a picture", "0.5 0 0 0.5 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID q"],
    ["closes what it did not open", "0.5 0 0 0.5 0 0 cm ] >>"],
    ["has words that are no operators", "0.5 0 0 0.5 0 0 cm /F1 1e2 Tf nonsense"],
    ["has operators within strings and pictures", "(q q \\( q) Tj BI /W 1 /H 1 /BPC 8 /CS /G ID q q EI 2 0 0 2 0 0 cm"],
  ])("content that %s does not move it", async (_, odd) => {
    for (const entries of ["/MediaBox[0 0 595 842]", "/MediaBox[0 0 842 595]/Rotate 90"]) {
      const bytes = pdf({ pages: [{ entries, content: odd }] });
      const stamped = await engine.stamp(bytes, [stampOf()]);
      const changed = difference(await rendered(bytes, 1), await rendered(stamped, 1));
      expect(changed).toMatchObject({ left: 100, top: 100, bottom: 171 });
    }
  });

  test("content that begins a layer that is off, and does not end it, does not hide it", async () => {
    const bytes = pdf({
      catalog: "/OCProperties<</OCGs[6 0 R]/D<</OFF[6 0 R]>>>>",
      pages: [{ content: "q /OC /P BDC BT", resources: "/Properties<</P 6 0 R>>" }],
      objects: ["<</Type/OCG/Name(off)>>"],
    });
    const stamped = await engine.stamp(bytes, [stampOf()]);
    expect(difference(await rendered(bytes, 1), await rendered(stamped, 1))).toMatchObject({ left: 100, top: 100 });
  });

  test.each([
    ["too narrow for it", "/MediaBox[0 0 100 400]", 4, 43],
    ["too low for it", "/MediaBox[0 0 400 50]", 0, 50],
    ["too small for it, turned", "/MediaBox[0 0 50 100]/Rotate 90", 4, 43],
  ])("on a page that is %s it is scaled down, and seen whole", async (_, entries, y, height) => {
    const bytes = pdf({ pages: [{ entries }] });
    const stamped = await engine.stamp(bytes, [stampOf({ placement: { pages: 1, x: 0, y } })]);
    const changed = difference(await rendered(bytes, 1, 288), await rendered(stamped, 1, 288));
    expect(changed?.left).toBe(0);
    expect((changed?.top ?? 0) / 4).toBeCloseTo(y, 0);
    expect(((changed?.bottom ?? 0) + 1) / 4).toBeCloseTo(y + height, 0);
    const width = (height / STAMP_BOX.height) * STAMP_BOX.width;
    expect((changed?.right ?? 0) / 4).toBeGreaterThan(width / 2);
    expect((changed?.right ?? 0) / 4).toBeLessThan(width);
  });

  test("on every page it is as large as on the smallest", async () => {
    const bytes = pdf({ pages: [{}, { entries: "/MediaBox[0 0 100 50]" }] });
    const stamped = await engine.stamp(bytes, [stampOf({ placement: { pages: "all", x: 0, y: 0 } })]);
    for (const page of [1, 2]) {
      const changed = difference(await rendered(bytes, page), await rendered(stamped, page));
      expect(changed).toMatchObject({ left: 0, top: 0, bottom: 42 });
    }
  });

  test("content too large to be looked into does not move it", async () => {
    const odd = `0.5 0 0 0.5 100 100 cm${" ".repeat(1024 * 1024)}`;
    const parts = "5 0 R ".repeat(17);
    const file = Buffer.from(pdf({ pages: [{ content: odd }] })).toString("latin1");
    const bytes = Buffer.from(file.replace("/Contents 5 0 R", `/Contents[${parts}]`), "latin1");
    const stamped = await engine.stamp(bytes, [stampOf()]);
    const changed = difference(await rendered(bytes, 1), await rendered(stamped, 1));
    expect(changed).toMatchObject({ left: 100, top: 100, bottom: 171 });
  });

  test("resources that pages share are not changed for the others", async () => {
    const bytes = pdf({ pages: [{ content }, { content }] });
    const stamped = await engine.stamp(bytes, [stampOf()]);
    expect(difference(await rendered(bytes, 2), await rendered(stamped, 2))).toBeNull();
    expect(difference(await rendered(bytes, 1), await rendered(stamped, 1))).not.toBeNull();
  });
});

describe.skipIf(!poppler)("what a stamp says", () => {
  test("name, ID number, local time with its zone, and the document's short id", async () => {
    const text = textOf(await engine.stamp(pdf(), [stampOf()]));
    expect(text).toContain("Ana Pérez");
    expect(text).toContain("20123456");
    expect(text).toContain("2026-11-21 09:13:22 GMT-3");
    expect(text).toContain("0197a3c2…c07fabcd");
  });

  test.each([null, "Nowhere/Town"])("the time is UTC where the zone is %s", async (timeZone) => {
    expect(textOf(await engine.stamp(pdf(), [stampOf({ timeZone })]))).toContain("2026-11-21 12:13:22 UTC");
  });

  test.each([
    "Łukasz Żółć",
    "Ελένη Παπαδοπούλου",
    "Єлизавета Жуковська",
    "李小龍",
    "佐藤さくら",
    "김철수",
    "Nguyễn Thị Ánh",
  ])("names as %s are written and drawn", async (name) => {
    const stamped = await engine.stamp(pdf(), [stampOf({ name })]);
    expect(textOf(stamped)).toContain(name);
    const other = await engine.stamp(pdf(), [stampOf({ name: "" })]);
    expect(difference(await rendered(stamped, 1), await rendered(other, 1))).not.toBeNull();
  });

  test("an emoji is drawn, and marks that turn text round are left out", async () => {
    const text = textOf(await engine.stamp(pdf(), [stampOf({ name: "Ana 👩‍👩‍👧 Ruiz \u202Etxet" })]));
    expect(text).toContain("Ana 👩‍👩‍👧 Ruiz txet");
  });

  test.skipIf(!has("qpdf"))("has its details in print of 7 points, long ones on two lines", async () => {
    const long = { idNumber: "AB-1234567890-1234567890-1234567890", timeZone: "Asia/Kathmandu" };
    const stamped = await engine.stamp(pdf({ pages: [{ content: "" }] }), [stampOf(long)]);
    const plain = output("qpdf", "--qdf", "--object-streams=disable", temporaryFile(stamped), "-");
    const sizes = [...plain.matchAll(/([\d.]+) Tf/g)].map(([, size]) => Number(size));
    expect(sizes).toHaveLength(5);
    expect(Math.min(...sizes)).toBe(7);
    for (const said of ["Identificación:", long.idNumber]) expect(textOf(stamped)).toContain(said);
  });

  test("a name of fifty wide letters stays within its box", async () => {
    const bytes = pdf();
    const stamped = await engine.stamp(bytes, [stampOf({ name: "李".repeat(50), idNumber: "X".repeat(200) })]);
    const changed = difference(await rendered(bytes, 1), await rendered(stamped, 1));
    expect(changed?.right).toBeLessThan(100 + STAMP_BOX.width);
    expect(changed?.top).toBe(100);
    expect(changed?.bottom).toBe(100 + STAMP_BOX.height - 1);
  });
});

describe("drawings", () => {
  test.skipIf(!poppler)("a PNG's transparency and a JPEG's white let the page through", async () => {
    const bytes = pdf({ pages: [{ content: "0.7 g 0 0 595 842 re f" }] });
    for (const drawing of [pngDrawing, jpegDrawing]) {
      const picture = await rendered(await engine.stamp(bytes, [stampOf({ drawing })]), 1);
      const above = picture.grey[(100 + 1) * picture.width + 200] ?? 0;
      const drawn = picture.grey[(100 + 12) * picture.width + 200] ?? 255;
      expect(above).toBeGreaterThan(150);
      expect(drawn).toBeLessThan(60);
    }
  });

  test("what is no PNG or JPEG is refused", async () => {
    const attempts = [Buffer.from("<svg/>"), pngDrawing.subarray(0, 60), new Uint8Array()];
    for (const drawing of attempts) {
      await expect(engine.stamp(pdf(), [stampOf({ drawing })])).rejects.toMatchObject({
        name: "PdfRefused",
        reason: "drawing_unreadable",
      });
    }
    expect(PdfRefused).toBeDefined();
  });
});

test.skipIf(!has("qpdf"))("a stamped file is sound, whichever form its cross-reference has", async () => {
  for (const crossReference of ["table", "stream"] as const) {
    const bytes = pdf({ crossReference });
    const stamped = await engine.stamp(bytes, [stampOf(), stampOf({ placement: { pages: 1, x: 300, y: 300 } })]);
    expect(output("qpdf", "--check", temporaryFile(stamped))).toContain("No syntax or stream encoding errors");
    expect(Buffer.from(stamped.subarray(0, bytes.length)).equals(bytes)).toBe(true);
  }
});

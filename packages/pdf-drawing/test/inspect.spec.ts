import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { createPdfEngine, type PdfEngine, PdfRefused } from "@rubrica/pdf";
import { systemClock } from "@rubrica/runtime";
import { seededRandom } from "@rubrica/runtime/testing";
import { firstFurtherObject, pdf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { has, output, temporaryFile, temporaryFolder } from "@rubrica/test-kit/pdf/tools";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const random = seededRandom(1);
let engine: PdfEngine;
beforeAll(() => {
  engine = createPdfEngine({ clock: systemClock, processes: 1 });
});
afterAll(() => engine.close());

const refusal = (bytes: Uint8Array) =>
  engine.inspect(bytes).then(
    () => "accepted",
    (error) => (error instanceof PdfRefused ? error.reason : error),
  );

describe("a sound PDF", () => {
  test.each(["table", "stream"] as const)("with a cross-reference %s tells its pages", async (crossReference) => {
    const bytes = pdf({ crossReference, pages: [{}, { entries: "/MediaBox[0 0 612 792]" }] });
    expect(await engine.inspect(bytes)).toEqual({
      pageCount: 2,
      pages: [
        { width: 595, height: 842 },
        { width: 612, height: 792 },
      ],
      signatures: [],
      shownSignatures: [],
    });
  });

  test.each([
    ["rotated", "/MediaBox[0 0 595 842]/Rotate 90", { width: 842, height: 595 }],
    ["rotated backwards", "/MediaBox[0 0 595 842]/Rotate -90", { width: 842, height: 595 }],
    ["upside down", "/MediaBox[0 0 595 842]/Rotate 540", { width: 595, height: 842 }],
    ["cropped", "/MediaBox[0 0 595 842]/CropBox[100 100 400 500]", { width: 300, height: 400 }],
    ["cropped past its media", "/MediaBox[0 0 595 842]/CropBox[-50 -50 300 900]", { width: 300, height: 842 }],
    ["given by any two corners", "/MediaBox[595 842 0 0]", { width: 595, height: 842 }],
    ["of larger units", "/MediaBox[0 0 100 200]/UserUnit 3", { width: 300, height: 600 }],
    ["turned by no quarter", "/MediaBox[0 0 595 842]/Rotate 45", { width: 595, height: 842 }],
    ["turned without end", `/MediaBox[0 0 595 842]/Rotate ${"9".repeat(400)}`, { width: 595, height: 842 }],
    ["without end", `/MediaBox[0 0 595 ${"9".repeat(400)}]`, { width: 612, height: 792 }],
    ["given by references", `/MediaBox[0 0 ${firstFurtherObject(1)} 0 R 842]`, { width: 321.5, height: 842 }],
    ["of no size", "/MediaBox[0 0 0 0]", { width: 612, height: 792 }],
  ])("with a page that is %s tells its size as seen", async (_, entries, size) => {
    const { pages } = await engine.inspect(pdf({ pages: [{ entries }], objects: ["321.5"] }));
    expect(pages).toEqual([size]);
  });

  test("is read without changing or taking away the caller's bytes", async () => {
    const bytes = Buffer.from(pdf());
    const before = Buffer.from(bytes);
    await engine.inspect(bytes);
    expect(bytes.equals(before)).toBe(true);
  });
});

describe("what is no PDF that can be signed", () => {
  test("nothing, text and noise are not PDFs", async () => {
    expect(await refusal(new Uint8Array())).toBe("not_a_pdf");
    expect(await refusal(Buffer.from("Dear Sirs,"))).toBe("not_a_pdf");
    expect(await refusal(random.bytes(5_000))).toBe("not_a_pdf");
  });

  test("a PDF cut off at any place is broken", async () => {
    const whole = pdf({ pages: [{ content: textAt(50, 50, "one") }, { content: textAt(50, 50, "two") }] });
    for (const share of [0.2, 0.5, 0.8, 0.95]) {
      expect(await refusal(whole.subarray(0, Math.floor(whole.length * share)))).toBe("broken");
    }
  });

  test("a PDF with noise in its place is broken", async () => {
    const whole = Buffer.from(pdf());
    random.bytes(whole.length - 20).copy(whole, 10);
    expect(await refusal(whole)).toBe("broken");
  });

  test("a PDF without pages is broken", async () => {
    expect(await refusal(pdf({ pages: [] }))).toBe("broken");
  });

  test("a certification that permits no changes forbids them", async () => {
    const field = firstFurtherObject(1);
    const objects = [
      `<</FT/Sig/T(Certified)/V ${field + 1} 0 R>>`,
      "<</Type/Sig/Filter/Adobe.PPKLite/Reference[<</TransformMethod/DocMDP/TransformParams<</P 1>>>>]>>",
    ];
    const catalog = `/AcroForm<</Fields[${field} 0 R]/SigFlags 3>>`;
    expect(await refusal(pdf({ objects, catalog }))).toBe("changes_forbidden");
  });

  test.skipIf(!has("qpdf"))("a PDF with a password is encrypted, one that only restricts is taken", async () => {
    const plain = temporaryFile(pdf());
    const encrypted = join(temporaryFolder(), "encrypted.pdf");
    output("qpdf", "--encrypt", "user", "owner", "256", "--", plain, encrypted);
    expect(await refusal(readFileSync(encrypted))).toBe("encrypted");
    output("qpdf", "--encrypt", "", "owner", "256", "--", plain, encrypted);
    expect((await engine.inspect(readFileSync(encrypted))).pageCount).toBe(1);
  });
});

describe("what would take too much", () => {
  test("a cross-reference that inflates without end is too complex", async () => {
    const bomb = deflateSync(Buffer.alloc(200 * 1024 * 1024)).toString("latin1");
    const head = "%PDF-1.7\n";
    const file = `${head}1 0 obj\n<</Type/XRef/W[1 4 1]/Size 9/Root 2 0 R/Filter/FlateDecode/Length ${bomb.length}>>\nstream\n${bomb}\nendstream\nendobj\nstartxref\n${head.length}\n%%EOF\n`;
    expect(await refusal(Buffer.from(file, "latin1"))).toBe("too_complex");
  });

  test("arrays within arrays without end are too complex", async () => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    expect(await refusal(pdf({ catalog: `/Deep ${deep}` }))).toBe("too_complex");
  });

  test("page trees in a circle have no pages", async () => {
    const objects = [`<</Type/Pages/Kids[${firstFurtherObject(0)} 0 R]/Count 1>>`];
    const circle = Buffer.from(
      Buffer.from(pdf({ pages: [], objects }))
        .toString("latin1")
        .replace("/Pages 2 0 R", "/Pages 4 0 R"),
      "latin1",
    );
    expect(await refusal(circle)).toBe("broken");
  });

  test.each(["7", "[]/Kids 7", "(4 0 R)", "5 0 R"])("a page tree whose pages are %s has none", async (kids) => {
    const file = pdf({ pages: [{}, {}], objects: ["<<>>"] });
    const text = Buffer.from(file).toString("latin1");
    const list = /\/Kids ?\[[^\]]*\]/.exec(text)?.[0] ?? "";
    const changed = text.replace(list, `/Kids ${kids}`.padEnd(list.length));
    expect(await refusal(Buffer.from(changed, "latin1"))).toBe("broken");
  });

  test("the event loop stays free meanwhile", async () => {
    const deep = `<</Kids[${"[".repeat(190)}${"<<".repeat(1)}`.repeat(20_000);
    let turns = 0;
    let done = false;
    const turn = () => {
      turns += 1;
      if (!done) setImmediate(turn);
    };
    setImmediate(turn);
    const document = pdf({ catalog: `/Deep ${deep}` });
    // Several, since a thread may now and then answer within one turn of a busy machine.
    for (let time = 0; time < 5; time += 1) await refusal(document);
    done = true;
    expect(turns).toBeGreaterThan(3);
  });
});

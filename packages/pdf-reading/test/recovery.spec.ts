import { deflateSync } from "node:zlib";
import { systemClock } from "@rubrica/runtime";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { firstFurtherObject, pdf, stampOf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { difference, has, output, rendered, temporaryFile } from "@rubrica/test-kit/pdf/tools";
import { describe, expect, test } from "vitest";

const { engine, identity } = await openedEngine();
const poppler = has("pdftoppm") && has("pdftotext");
const qpdf = has("qpdf");

const content = textAt(50, 700, "Contract");
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");
const bytesOf = (file: string) => Buffer.from(file, "latin1");
/** The same file with something put in another's place, and nothing told of it to the cross-reference. */
const altered = (bytes: Uint8Array, was: string | RegExp, is: string) => bytesOf(text(bytes).replace(was, is));
const startsWith = (bytes: Uint8Array, start: Uint8Array) =>
  Buffer.from(bytes.subarray(0, start.length)).equals(Buffer.from(start));
const refusal = (bytes: Uint8Array) =>
  engine.inspect(bytes).then(
    () => "accepted",
    (error) => error.reason ?? error,
  );

/** A file whose pages stand in an object stream, at an offset that its cross-reference does not know. */
const compressed = (): Uint8Array => {
  const page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>/Contents 6 0 R>>";
  const held = ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[4 0 R]/Count 1>>", page];
  const heads = [1, 2, 4].map((number, index) => `${number} ${held.slice(0, index).join(" ").length + (index && 1)}`);
  const head = `${heads.join(" ")} `;
  const data = deflateSync(bytesOf(head + held.join(" "))).toString("latin1");
  const objects = [
    `3 0 obj\n<</Type/ObjStm/N 3/First ${head.length}/Filter/FlateDecode/Length ${data.length}>>\nstream\n${data}\nendstream\nendobj`,
    "5 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>\nendobj",
    `6 0 obj\n<</Length ${content.length}>>\nstream\n${content}\nendstream\nendobj`,
    "7 0 obj\n<</Type/XRef/Size 8/W[1 2 1]/Root 1 0 R/Length 0>>\nstream\n\nendstream\nendobj",
  ];
  return bytesOf(`%PDF-1.7\n${objects.join("\n")}\nstartxref\n5\n%%EOF\n`);
};

describe("a cross-reference that is wrong", () => {
  const whole = pdf({ pages: [{ content }] });
  test.each([
    ["is not where startxref says", altered(whole, /startxref\n\d+/, "startxref\n17")],
    ["says nothing of where it is", altered(whole, /startxref\n\d+/, "startxref\nnowhere")],
    ["has offsets that are a few bytes off", altered(whole, "%PDF-1.7\n", "%PDF-1.7\n% grown\n")],
    ["has rows that are none", altered(whole, /\d{10} 00000 n \n/, "no row             \n")],
    ["is missing, but for the trailer", altered(whole, /xref\n0[\s\S]*trailer/, "trailer")],
    ["has a trailer without a catalog", altered(whole, "/Root 1 0 R", "")],
    ["names another object the catalog", altered(whole, "/Root 1 0 R", "/Root 3 0 R")],
    ["is a stream, as the objects' places are", compressed()],
  ])("that %s is mended by what is appended", async (_, broken) => {
    expect((await engine.inspect(broken)).pages).toEqual([{ width: 595, height: 842 }]);
    const stamped = await engine.stamp(broken, [stampOf()]);
    expect(startsWith(stamped, broken)).toBe(true);
    if (qpdf) {
      expect(output("qpdf", "--check", temporaryFile(stamped))).toContain("No syntax or stream encoding errors");
    }
    if (poppler) {
      const words = output("pdftotext", temporaryFile(stamped), "-");
      expect(words).toContain("Contract");
      expect(words).toContain("Ana Pérez");
    }
  });

  test("of two objects with one number, the later one counts", async () => {
    const wider = "4 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 900 842]>>\nendobj\nxref\n0";
    const broken = altered(altered(whole, "xref\n0", wider), /startxref\n\d+/, "startxref\n17");
    expect((await engine.inspect(broken)).pages).toEqual([{ width: 900, height: 842 }]);
  });

  test("what stands in a stream is no object", async () => {
    const inner = "1 0 obj\n<</Type/Catalog/Pages 99 0 R>>\nendobj\ntrailer\n<</Root 1 0 R>>";
    const objects = [`<</Length ${inner.length}>>\nstream\n${inner}\nendstream`];
    const broken = altered(pdf({ objects }), /startxref\n\d+/, "startxref\n17");
    expect((await engine.inspect(broken)).pageCount).toBe(1);
  });

  test("a page that is not there is not made up for", async () => {
    const missing = altered(altered(whole, "/Kids[4 0 R]", "/Kids[4 0 R 77 0 R]"), /startxref\n\d+/, "startxref\n17");
    expect(await refusal(missing)).toBe("broken");
  });

  test.skipIf(!has("pdfsig"))("keeps the signatures of the file", async () => {
    const signed = (await engine.seal(whole, { identity, sealedAt: systemClock.now() })).bytes;
    const last = text(signed).lastIndexOf("startxref");
    // The bytes past the signed ones are the file's own here: a lost cross-reference of a later, empty update.
    const broken = bytesOf(`${text(signed)}\nstartxref\n${last}\n%%EOF\n`);
    const sealed = (await engine.stampAndSeal(broken, [stampOf()], { identity, sealedAt: systemClock.now() })).bytes;
    expect(startsWith(sealed, broken)).toBe(true);
    expect(output("pdfsig", temporaryFile(sealed)).match(/Signature is Valid/g)).toHaveLength(2);
  });
});

describe("an object that is broken", () => {
  test.each([
    ["a dictionary with a name that has no value", "/Odd"],
    ["a dictionary with a value that has no name", "/Odd 1 2"],
    ["a word that is no object", "/Odd [undefined]"],
  ])("%s is read as other readers do", async (_, odd) => {
    const [page] = (await engine.inspect(pdf({ pages: [{ entries: `/MediaBox[0 0 300 400]${odd}` }] }))).pages;
    expect(page).toEqual({ width: 300, height: 400 });
  });

  test.each([
    ["content that does not end", /endstream\nendobj\nxref/, "xref"],
    ["a page that does not end", "/MediaBox", "/Odd [/MediaBox"],
    ["content that is another object", "5 0 obj", "6 0 obj"],
  ])("%s is told of at once, not when the document is sealed", async (_, was, is) => {
    const broken = altered(pdf({ pages: [{ content }] }), was, is);
    const inspected = await refusal(broken);
    const sealing = { identity, sealedAt: systemClock.now() };
    const sealed = await engine.stampAndSeal(broken, [stampOf()], sealing).then(
      () => "accepted",
      (error) => error.reason ?? error,
    );
    expect(["accepted", "broken"]).toContain(inspected);
    expect(sealed).toBe(inspected);
  });
});

test.skipIf(!poppler)(
  "what an object stream does not hold is null, though it stands elsewhere in the file",
  async () => {
    const objectStream = firstFurtherObject(1);
    const whole = text(
      pdf({ pages: [{ content }], objects: ["<</Type/ObjStm/N 1/First 5/Length 9>>\nstream\n77 0 null\nendstream"] }),
    );
    const previous = /startxref\n(\d+)/.exec(whole)?.[1];
    const entry = `\x02\0\0\0${String.fromCharCode(objectStream)}\0`;
    const own = `<</Type/XRef/W[1 4 1]/Index[5 1]/Size ${objectStream + 2}/Root 1 0 R/Prev ${previous}/Length ${entry.length}>>`;
    const update = `${objectStream + 1} 0 obj\n${own}\nstream\n${entry}\nendstream\nendobj\n`;
    const bytes = bytesOf(`${whole}${update}startxref\n${whole.length}\n%%EOF\n`);
    const stamped = await engine.stamp(bytes, [stampOf()]);
    expect(startsWith(stamped, bytes)).toBe(true);
    expect(output("pdftotext", temporaryFile(bytes), "-").trim()).toBe("");
    expect(output("pdftotext", temporaryFile(stamped), "-")).not.toContain("Contract");
    expect(difference(await rendered(bytes, 1), await rendered(stamped, 1))).toMatchObject({ left: 100, top: 100 });
  },
);

describe("a form whose fields stand in several places", () => {
  const next = firstFurtherObject(1);
  /** Fields one in another, each so many times among its parent's kids. */
  const nested = (levels: number, times: number) =>
    pdf({
      catalog: `/AcroForm<</Fields[${next} 0 R]>>`,
      objects: Array.from({ length: levels }, (_, level) =>
        level === levels - 1 ? "<</FT/Tx/T(leaf)>>" : `<</Kids[${`${next + level + 1} 0 R `.repeat(times)}]>>`,
      ),
    });

  test("is refused when others take hours to walk through it", async () => {
    expect(await refusal(nested(25, 2))).toBe("too_complex");
    expect(await refusal(nested(4, 100))).toBe("too_complex");
  });

  test("is taken when that takes them no time", async () => {
    expect(await refusal(nested(25, 1))).toBe("accepted");
    expect(await refusal(nested(8, 2))).toBe("accepted");
  });
});

describe("a page tree in which pages can't be told apart", () => {
  const part = firstFurtherObject(1);
  const withKids = (kids: string) =>
    altered(
      pdf({ pages: [{ content }], objects: ["<</Type/Pages/Parent 2 0 R/Kids[4 0 R]/Count 1>>"] }),
      "/Kids[4 0 R]/Count 1",
      `/Kids${kids}/Count 2`,
    );

  test.skipIf(!poppler).each([
    ["a page", "[4 0 R 4 0 R]"],
    ["a part of it", `[${part} 0 R ${part} 0 R]`],
  ])("%s that stands in it twice is parted: one is stamped alone", async (_, kids) => {
    const bytes = withKids(kids);
    expect((await engine.inspect(bytes)).pageCount).toBe(2);
    const stamped = await engine.stamp(bytes, [stampOf()]);
    expect(difference(await rendered(bytes, 1), await rendered(stamped, 1))).not.toBeNull();
    expect(difference(await rendered(bytes, 2), await rendered(stamped, 2))).toBeNull();
  });

  test("what is no page is not taken for one", async () => {
    expect(await refusal(withKids("[4 0 R 5 0 R]"))).toBe("broken");
  });

  test("a page that is no object of its own is refused: readers differ on what it shows", async () => {
    expect(await refusal(withKids("[4 0 R<</Type/Page/MediaBox[0 0 300 400]>>]"))).toBe("broken");
  });
});

test.skipIf(!poppler)("what stands before the header is left out, and what follows the end is kept", async () => {
  const whole = pdf({ pages: [{ content }] });
  for (const before of ["\ufeff\n", "HTTP/1.1 200 OK\nContent-Type: application/pdf\n\n"]) {
    const bytes = Buffer.concat([Buffer.from(before), whole, Buffer.from("\n<!-- tracked -->\n")]);
    const stamped = await engine.stamp(bytes, [stampOf()]);
    expect(text(stamped).startsWith(text(whole))).toBe(true);
    expect(output("pdftotext", temporaryFile(stamped), "-")).toMatch(/Contract\s+Ana Pérez/);
  }
});

test.skipIf(!poppler).each([
  ["has a part that is nothing", "/Contents 5 0 R", "/Contents[5 0 R null 88 0 R]"],
  ["is shorter than it says", `<</Length ${content.length}>>`, "<</Length 999999>>"],
  ["does not say how long it is", `<</Length ${content.length}>>`, "<<>>"],
])("content that %s gets a stamp all the same", async (_, was, is) => {
  const bytes = altered(pdf({ pages: [{ content }] }), was, is);
  const stamped = await engine.stamp(bytes, [stampOf()]);
  expect(difference(await rendered(bytes, 1), await rendered(stamped, 1))).toMatchObject({ left: 100, top: 100 });
});

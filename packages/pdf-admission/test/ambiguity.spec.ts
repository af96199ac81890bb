import { openDocument } from "@rubrica/pdf-reading/open";
import { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PdfRefused } from "@rubrica/pdf-reading/refused";
import { rewrittenFile } from "@rubrica/pdf-reading/rewritten";
import { systemClock } from "@rubrica/runtime";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { type FixtureOptions, pdf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { has, output, temporaryFile } from "@rubrica/test-kit/pdf/tools";
import { bodyOf, streamOf, updated } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit, lookedThrough } from "../src/admit.ts";
import type { Ambiguity } from "../src/ambiguity.ts";

const { engine, identity } = await openedEngine();
const [content, font, page] = [5, 3, 4];
const said = textAt(50, 700, "SaidHere");
const other = textAt(50, 700, "SaidElsewhere");
const fixture = (options: FixtureOptions = {}) => pdf({ pages: [{ content: said }], ...options });
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

/** A fixture with something else in one place. What is longer than before has to stand behind all objects. */
const changed = (from: string, to: string, options?: FixtureOptions): Buffer => {
  const before = text(fixture(options));
  expect(before).toContain(from);
  return Buffer.from(before.replace(from, to), "latin1");
};

/** A fixture with further bytes before its cross-reference. */
const inserted = (bytes: string): Buffer => {
  const before = text(fixture());
  const start = before.lastIndexOf("\nxref\n") + 1;
  const after = before.slice(start).replace(/startxref\n\d+/, `startxref\n${start + bytes.length}`);
  return Buffer.from(before.slice(0, start) + bytes + after, "latin1");
};

/** A hybrid file whose table has an object elsewhere than the stream that it hides. */
const hybrid = (): Buffer => {
  const hidden = text(updated(fixture(), { [content]: streamOf(other) }, { crossReference: "hidden" }));
  const offset = text(fixture()).indexOf(`\n${content} 0 obj`) + 1;
  const table = `xref\n${content} 1\n${String(offset).padStart(10, "0")} 00000 n \n`;
  return Buffer.from(hidden.replace("xref\n0 0\n", table), "latin1");
};

/** An update of a file whose first section has what was updated in a later generation than the update has. */
const ofFormerGeneration = (): Buffer => {
  const first = fixture({ pages: [{ content: other }] });
  const row = `${String(text(first).indexOf(`\n${content} 0 obj`) + 1).padStart(10, "0")} 0000`;
  const whole = text(updated(first, { [content]: streamOf(said) }));
  return Buffer.from(whole.replace(`${row}0 n`, `${row}7 n`), "latin1");
};

/** An update of a file whose first section names another catalog. */
const ofAnotherCatalog = (): Buffer => {
  const first = text(fixture({ objects: ["<</Type/Catalog/Pages 2 0 R>>"] })).replace("/Root 1 0 R", "/Root 6 0 R");
  return updated(Buffer.from(first, "latin1"), {});
};

/** A file with its font and another object in an object stream, where the cross-reference has them at some indexes. */
const compressed = (
  fontIndex: number,
  otherIndex: number,
  {
    count = "2",
    size = "9",
    form = "/W[1 2 1]",
    type = 0,
    kind = "ObjStm",
    point = "",
    isTurned = false,
    isSame = false,
  } = {},
): Buffer => {
  const held = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";
  const places = isTurned ? [7, 0] : [0, isSame ? 0 : held.length];
  const head = `${font} ${places[0]} 6 ${places[1]} `;
  const objects = isTurned ? `(other)${held}` : `${held}${isSame ? "" : "(other)"}`;
  const first = text(fixture()).slice(0, text(fixture()).lastIndexOf("\nxref\n") + 1);
  const stream = `7 0 obj\n${streamOf(`${head}${objects}`, `/Type/${kind}/N ${count}/First ${head.length}${point}`)}\nendobj\n`;
  const start = first.length + stream.length;
  const rows: [type: number, second: number, third: number][] = [
    [type, 0, 0],
    ...[1, 2, 3, 4, 5].map((number) => [1, first.indexOf(`\n${number} 0 obj`) + 1, 0] as [number, number, number]),
    [2, 7, otherIndex],
    [1, first.length, 0],
    [1, start, 0],
  ];
  rows[font] = [2, 7, fontIndex];
  const data = Buffer.concat(
    rows.map(([type, second, third]) => Buffer.from([type, second >> 8, second & 255, third])),
  );
  const entries = `/Type/XRef${form}${size === "" ? "" : `/Size ${size}`}/Root 1 0 R`;
  const section = `8 0 obj\n${streamOf(data.toString("latin1"), entries)}\nendobj\nstartxref\n${start}\n%%EOF\n`;
  // The font stands in the stream alone.
  const without = first.replace(/3 0 obj[\s\S]*?endobj/, (object) => " ".repeat(object.length));
  return Buffer.from(without + stream + section, "latin1");
};

const ambiguous: [string, Ambiguity, () => Uint8Array][] = [
  ["a head with another generation", "head", () => changed("\n5 0 obj", "\n5 1 obj")],
  ["a head with a NUL", "head", () => changed("\n5 0 obj", "\n5\u00000 obj")],
  ["an object that is not where it should be", "head", () => updated(fixture(), {}, { offsets: { 99: 20 } })],
  ["an object that is another one of its stream", "head", () => compressed(1, 0)],
  ["a stream of more objects than it says", "stray", () => compressed(0, 1, { count: "1" })],
  ["a stream of objects whose first one is at a place with a point", "number", () => compressed(0, 1, { point: ".0" })],
  ["a stream of objects that are listed in another order", "stray", () => compressed(0, 1, { isTurned: true })],
  ["a stream of two objects at one place", "stray", () => compressed(0, 1, { isSame: true })],
  ["a stream of objects whose count has a point", "stray", () => compressed(0, 1, { count: "2.0" })],
  ["a cross-reference stream that lacks rows", "cross_reference", () => compressed(0, 1, { size: "12" })],
  ["a cross-reference stream with a row of an unknown type", "cross_reference", () => compressed(0, 1, { type: 3 })],
  [
    "a cross-reference stream of more columns than three",
    "cross_reference",
    () => compressed(0, 1, { form: "/W[1 2 1 3]" }),
  ],
  [
    "a cross-reference stream of an object before the first one",
    "cross_reference",
    () => compressed(0, 1, { form: "/W[1 2 1]/Index[-1 0 0 9]" }),
  ],
  [
    "a cross-reference stream with an empty section beside another",
    "cross_reference",
    () => compressed(0, 1, { form: "/W[1 2 1]/Index[0 0 0 9]" }),
  ],
  [
    "a cross-reference stream that does not say how many objects there are",
    "cross_reference",
    () => compressed(0, 1, { size: "", form: "/W[1 2 1]/Index[0 9]" }),
  ],
  ["a stream of objects that does not say that it is one", "head", () => compressed(0, 1, { kind: "Other" })],
  ...["-5", "2000000000", "7 0 R"].flatMap((size): typeof ambiguous => [
    [
      `a cross-reference stream of ${size} objects`,
      "cross_reference",
      () => compressed(0, 1, { size, form: "/W[1 2 1]/Index[0 9]" }),
    ],
    [`a trailer of ${size} objects`, "cross_reference", () => changed("/Size 6", `/Size ${size}`)],
  ]),
  ["another catalog in an older section", "cross_reference", ofAnotherCatalog],
  ["a reference with another generation", "reference", () => changed("/Contents 5 0 R", "/Contents 5 7 R")],
  ["an object that no cross-reference has", "unlisted", () => inserted(`5 0 obj\n${streamOf(other)}\nendobj\n`)],
  ["one that is spelled so that some readers miss it", "unlisted", () => inserted("5 000000 obj\n<<>>\nendobj\n")],
  [
    "a table that has an object twice",
    "cross_reference",
    () => changed("trailer\n", "5 1\n0000000015 00000 n \ntrailer\n"),
  ],
  ["a table that disagrees with the stream that it hides", "cross_reference", hybrid],
  ...["9 0 R", "null"].map((place): [string, Ambiguity, () => Uint8Array] => [
    `an older section at ${place}`,
    "cross_reference",
    () => changed("/Size 6", `/Size 6/Prev ${place}`),
  ]),
  [
    "an object that only a hidden stream has",
    "cross_reference",
    () => updated(fixture(), { [content]: streamOf(said), [content + 1]: "<<>>" }, { crossReference: "hidden" }),
  ],
  ["an update of what an older section has in a later generation", "cross_reference", ofFormerGeneration],
  ["a key twice", "key", () => fixture({ objects: ["<</Lang(es)/Lang(en)>>"] })],
  [
    "a page with kids",
    "page_node",
    () => fixture({ pages: [{ entries: "/MediaBox[0 0 595 842]/Kids[]", content: said }] }),
  ],
  ["a page without a type", "page_node", () => changed("/Type/Page/Parent", "/Tipe/Page/Parent")],
  ["a node of pages without a type", "page_node", () => changed("/Type/Pages/Kids", "/Tipe/Pages/Kids")],
  ["a page of another node than the one that has it", "page_node", () => changed("/Parent 2 0 R", "/Parent 3 0 R")],
  ["a page without a size", "page_node", () => changed("/MediaBox", "/MediaBoks")],
  ["a page of a size that is none", "page_node", () => changed("/MediaBox[0 0 595 842]", "/MediaBox/None        ")],
  ["a node of more pages than it has", "page_node", () => changed("/Count 1", "/Count 2")],
  ["a page that is none", "page_node", () => updated(pdf({ pages: [{ content: said }, {}] }), {}, { freed: [6] })],
  [
    "no turn of its own",
    "page_node",
    () => fixture({ pages: [{ entries: "/Rotate null/MediaBox[0 0 595 842]", content: said }] }),
  ],
  [
    "a stream that is longer than it says",
    "length",
    () => changed(`/Length ${said.length}`, `/Length ${said.length - 2}`),
  ],
  ...(
    [
      ["an exponent", "<</A 8.42e2>>"],
      ["a sign within a number", "<</A 0-90>>"],
      ["two points in a number", "[.5.5]"],
      ["a number of more than 31 bits", "4294967296"],
      ["a number of many digits", `[.${"0".repeat(60)}1]`],
      ["an integer with a point", "<</FirstChar 0.0>>"],
      ["an integer with a point in a list", "<</Differences[49.0/nine]>>"],
      ["a table's end with a point", "[/Indexed/DeviceGray 1.0<00ff>]"],
    ] as const
  ).map(([name, object]): [string, Ambiguity, () => Uint8Array] => [
    name,
    "number",
    () => fixture({ catalog: "/Odd 6 0 R", objects: [object] }),
  ]),
  ...(
    [
      ["a value without a key", "<</A 1 (b)>>"],
      ["a key without a value", "<</A<</B>>>>"],
      ["a word that is no object", "[one]"],
      ["a reference that goes on", "<</A 3 0 Rx>>"],
      ["a reference whose word sticks to its number", "<</A 3 0R>>"],
      ["a reference that begins with zeros", `[${"0".repeat(30)}3 0 R]`],
      ["an object that is a reference", "3 0 R"],
      ["an object that something follows", "<<>> 5"],
      ["a key with an escape that is none", "<</#K3 1>>"],
      ["an object that is a name with half an escape", "/A#4"],
    ] as const
  ).map(([name, object]): [string, Ambiguity, () => Uint8Array] => [
    name,
    "stray",
    () => fixture({ catalog: "/Odd 6 0 R", objects: [object] }),
  ]),
  ["a value without a key in its trailer", "stray", () => fixture({ trailer: "/A 5 5" })],
  ["a stuck reference in its trailer", "stray", () => changed("/Root 1 0 R", "/Root 1 0R ")],
  [
    "a stream in which a stream ends",
    "length",
    () => fixture({ pages: [{ content: `${said}\nendstream\nendobj\n${other}` }] }),
  ],
];

describe("a file that readers disagree on", () => {
  test.each(ambiguous)("with %s is written anew, so that they find what was read", async (_name, kind, make) => {
    const bytes = make();
    const before = await openDocument(bytes);
    expect(lookedThrough(before).ambiguity).toBe(kind);
    const { bytes: settled, inspection } = await admit(bytes);
    expect(settled).not.toBeNull();
    const file = PdfFile.open(settled ?? bytes);
    expect(inspection.pageCount).toBe(1);
    // The same again, of what was sent and of what came of it.
    expect(Buffer.compare((await admit(make())).bytes ?? bytes, settled ?? bytes)).toBe(0);
    expect(Buffer.compare(await rewrittenFile(file), settled ?? bytes)).toBe(0);
    expect((await admit(settled ?? bytes)).bytes).toBeNull();
    expect(settled && text(settled)).toMatch(/^%PDF-1\.7\n/);
    expect(file.crossReference.kind).toBe(before.file.crossReference.kind);
    if (has("pdftotext")) expect(output("pdftotext", temporaryFile(settled ?? bytes), "-")).toContain("SaidHere");
    if (has("qpdf")) expect(output("qpdf", "--check", temporaryFile(settled ?? bytes))).toContain("No syntax");
  });

  test.each(ambiguous)("with %s is refused where somebody signed it", async (_name, _kind, make) => {
    const { bytes } = await engine.seal(make(), { identity, sealedAt: systemClock.now() });
    await expect(admit(bytes)).rejects.toMatchObject({ reason: "ambiguous" });
  });

  test("whose cross-reference is wrong is written anew, too", async () => {
    const broken = changed("\nstartxref\n", "\nstartxref\n1");
    const { bytes } = await admit(broken);
    expect(bytes && text(bytes)).toContain("SaidHere");
    expect((await admit(bytes ?? broken)).bytes).toBeNull();
  });

  test("keeps what it has: version, identifiers, tags, attachments", async () => {
    const catalog = "/Lang(es)/Lang(en)/MarkInfo<</Marked true>>/Names<</EmbeddedFiles<</Names[(a)6 0 R]>>>>";
    const objects = ["<</Type/Filespec/F(a.txt)/EF<</F 7 0 R>>>>", streamOf("attached", "/Type/EmbeddedFile")];
    const given = fixture({ catalog, objects, trailer: "/ID[<0102><0304>]", crossReference: "stream" });
    const { bytes } = await admit(given);
    const file = PdfFile.open(bytes ?? given);
    expect(file.crossReference.kind).toBe("stream");
    expect(String(file.crossReference.trailer)).toContain("<0102>");
    expect(file.dictEntry(file.catalog, "MarkInfo")).toBeDefined();
    expect(Buffer.from(file.streamData(7)?.data ?? []).toString()).toBe("attached");
  });
});

describe("a file that readers agree on", () => {
  test.each<[string, () => Uint8Array]>([
    ["with a table", () => fixture()],
    [
      "with boxes that have points",
      () => fixture({ pages: [{ entries: "/MediaBox[0.0 -.5 595. +842.25]", content: said }] }),
    ],
    ["with objects in a stream", () => compressed(0, 1)],
    ["with a cross-reference stream", () => fixture({ crossReference: "stream" })],
    ["that was updated", () => updated(fixture(), { [content]: streamOf(other), [page]: bodyOf(fixture(), page) })],
    [
      "that was updated twice",
      () => updated(updated(fixture(), { [content]: streamOf(other) }), { [content]: streamOf(said) }),
    ],
    ["of which an object was deleted", () => updated(fixture({ objects: ["(unused)"] }), {}, { freed: [6] })],
    [
      "with a hybrid's hidden part",
      () => updated(fixture(), { [content]: streamOf(other) }, { crossReference: "hidden" }),
    ],
    ["with objects that nothing refers to", () => fixture({ objects: [bodyOf(fixture(), font)] })],
    ["that holds another file as it is", () => fixture({ objects: [streamOf("5 0 obj (a part of a text)")] })],
    [
      "with white space before an object",
      () => updated(fixture(), {}, { offsets: { [font]: text(fixture()).indexOf("\n3 0 obj") } }),
    ],
  ])("%s stays as it is", async (_name, make) => {
    expect(lookedThrough(await openDocument(make())).ambiguity).toBeNull();
    expect((await admit(make())).bytes).toBeNull();
    const { bytes } = await engine.seal(make(), { identity, sealedAt: systemClock.now() });
    expect((await admit(bytes)).inspection.signatures).toHaveLength(1);
  });
});

const updatedOnce = () => updated(fixture({ pages: [{ content: other }] }), { [content]: streamOf(said) });
/** The same with something else behind the former section. */
const updatedSo = (change: (section: string) => string) => () => {
  const whole = text(updatedOnce());
  const at = whole.lastIndexOf("\nxref\n") + 1;
  return Buffer.from(whole.slice(0, at) + change(whole.slice(at)), "latin1");
};
/** A file whose former content stands behind its newer one. */
const backwards = (): Buffer => {
  const before = text(fixture({ pages: [{ content: said }], objects: [streamOf(other)] }));
  const [newer, former] = [5, 6].map((number) => before.indexOf(`\n${number} 0 obj`) + 1) as [number, number];
  const first = before
    .replace("\n6 0 obj", "\n5 0 obj")
    .replace(/\n\d{10} 00000 n \n(?=\d{10} 00000 n \ntrailer)/, () => {
      return `\n${String(former).padStart(10, "0")} 00000 n \n`;
    });
  const rows = first.replace(/\n\d{10} 00000 n \ntrailer/, "\n0000000000 65535 f \ntrailer");
  return updated(Buffer.from(rows, "latin1"), {}, { offsets: { [content]: newer } });
};

test.each<[string, () => Uint8Array]>([
  ["whose last start has a form feed", updatedSo((section) => section.replace("startxref\n", "startxref\f"))],
  ["whose last start is a part of a word", updatedSo((section) => section.replace("startxref", "xstartxref"))],
  ["whose last start sticks to what stands before it", updatedSo((section) => section.replace(">>\nstart", ">>start"))],
  ["whose last start is far from its end", updatedSo((section) => section + "\n".repeat(1_024))],
  ["without the mark of its end", updatedSo((section) => section.replace("%%EOF\n", ""))],
  ["of shorter rows", updatedSo((section) => section.replace(/0*(\d+) 00000 n /, "$1 0 n"))],
  ["with a comment in its table", updatedSo((section) => section.replace("5 1\n", "5 1\n%\n"))],
  ["whose former content stands behind the newer one", backwards],
])("an updated file %s is written anew, as it was read: some readers find what it was before", async (_name, make) => {
  expect(lookedThrough(await openDocument(make())).ambiguity).toBe("cross_reference");
  const { bytes } = await admit(make());
  expect(text(bytes ?? make())).toContain("SaidHere");
  expect(text(bytes ?? make())).not.toContain("SaidElsewhere");
  expect((await admit(bytes ?? make())).bytes).toBeNull();
  expect((await admit(updatedOnce())).bytes).toBeNull();
});

test("what was never updated may end as it likes: by whatever way, readers find the same", async () => {
  const given = Buffer.from(text(fixture()).replace(/%%EOF\n$/, "\n".repeat(2_000)), "latin1");
  expect((await admit(given)).bytes).toBeNull();
});

test("a cross-reference stream that is no object of its file is judged as others are", async () => {
  const whole = text(fixture({ crossReference: "stream", trailer: "/Root#00 3 0 R" }));
  const given = Buffer.from(whole.replace(/\/Size 7/, "/Size 6"), "latin1");
  expect(lookedThrough(await openDocument(given)).ambiguity).toBe("stray");
});

test("content that calls itself a part of the structure stays in a file that is written anew", async () => {
  const given = text(fixture({ trailer: "/A 5 5" })).replace("<</Length", "<</Type/XRef/Length");
  const start = given.indexOf("\nxref\n") + 1;
  const moved = Buffer.from(given.replace(/startxref\n\d+/, `startxref\n${start}`), "latin1");
  expect(text((await admit(moved)).bytes ?? moved)).toContain("SaidHere");
});

test("a trailer's names are judged as others are: written anew, a file does not have them any more", async () => {
  const given = fixture({ trailer: "/Root#00 6 0 R", objects: ["<</Type/Catalog/Pages 2 0 R>>"] });
  expect(lookedThrough(await openDocument(given)).ambiguity).toBe("stray");
  expect(text((await admit(given)).bytes ?? given)).not.toContain("#00");
});

test.each([
  ["a key with a NUL", "<</A#00 1/A 2>>"],
  ["a name with a NUL", "/A#00"],
  ["a key that is empty", "<</ 1>>"],
])("a file with %s is refused: readers take it for another one, or for none", async (_name, object) => {
  await expect(admit(fixture({ catalog: "/Odd 6 0 R", objects: [object] }))).rejects.toBeInstanceOf(PdfRefused);
});

test.each(["\x80", "\xff"])(
  "a name with a byte that PDFium takes for white space (%j) is written with an escape",
  async (byte) => {
    const given = fixture({ catalog: "/Odd 6 0 R", objects: [`<</A${byte} 1/A 2>>`] });
    expect(text((await admit(given)).bytes ?? given)).toMatch(/\/A#(?:80|FF) 1/);
    expect(lookedThrough(await openDocument(given)).ambiguity).toBe("stray");
  },
);

test("a name that is too long for some as it is written is written without escapes", async () => {
  const given = fixture({ catalog: `/Odd /${"#4e".repeat(100)}` });
  expect(text((await admit(given)).bytes ?? given)).toContain(`/${"N".repeat(100)}`);
});

test("dictionaries that lie too deep are refused: PDFium loses what follows them", async () => {
  const nested = (depth: number) => fixture({ catalog: `/Odd ${"<</A".repeat(depth)} 1${">>".repeat(depth)}` });
  expect((await admit(nested(59))).active).toEqual([]);
  await expect(admit(nested(61))).rejects.toMatchObject({ reason: "too_complex" });
});

test("an escape that an escaped sign begins is none, as for other readers", async () => {
  const glyphs = "<</A 6 0 R>>/Encoding<</Differences[65/A]>>/FirstChar 65/LastChar 65";
  const font = `<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/CharProcs${glyphs}/#2357idths[9]>>`;
  const given = pdf({
    pages: [{ content: "BT /F2 9 Tf (A) Tj ET", fonts: "/F2 7 0 R" }],
    objects: [streamOf("9 0 0 0 9 9 d1 0 0 9 9 re f"), font],
  });
  await expect(admit(given)).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test("what an object that is only a reference leads to is there in a file that is written anew", async () => {
  const form = streamOf(said, "/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>");
  const given = pdf({
    pages: [{ content: "/X Do", resources: "/XObject<</X 7 0 R>>" }],
    objects: [form, "8 0 R", "6 0 R"],
    trailer: "/Info 7 0 R",
  });
  const bytes = (await admit(given)).bytes ?? new Uint8Array();
  expect(bodyOf(bytes, page)).toContain("/X 6 0 R");
  expect(text(bytes)).toContain(said);
  expect(text(bytes)).not.toContain("7 0 obj");
});

import { memoryOf, PdfiumInstance } from "@rubrica/pdf-drawing/placing/pdfium-instance";
import { systemClock } from "@rubrica/runtime";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { type FixtureOptions, firstFurtherObject, pdf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit } from "../src/admit.ts";

const { engine, identity } = await openedEngine();
const [WIDTH, HEIGHT] = [200, 40];
const first = firstFurtherObject(1);
const [widget, own, other, field] = [first, first + 1, first + 2, first + 3];

const appearance = (content: string, entries = "") =>
  streamOf(
    content,
    `/Type/XObject/Subtype/Form/BBox[0 0 ${WIDTH} ${HEIGHT}]${entries}/Resources<</Font<</F1 3 0 R/Marks<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>>>/ExtGState<</G<</ca 0>>>>>>`,
  );
const [nothing, shown] = [appearance("/Tx BMC EMC"), appearance(textAt(5, 10, "Debo 1"))];

interface Drawn {
  /** The widget's appearance, and another one that it may name. */
  own?: string;
  other?: string;
  /** The fields of the form, and one of them that is no widget. */
  fields?: string;
  field?: string;
  page?: string;
  further?: string;
}

/** A page with a widget over its text, with one appearance for all of its states, or the ones that it names. */
const withWidget = (entries: string, drawn: Drawn = {}): Uint8Array => {
  const appearances = entries.includes("/AP") ? "" : `/AP<</N ${own} 0 R>>`;
  const options: FixtureOptions = {
    catalog: `/AcroForm<</Fields[${drawn.fields ?? `${widget} 0 R`}]/DA(/F1 20 Tf 0 g)/DR<</Font<</F1 3 0 R>>>>>>`,
    pages: [
      {
        entries: `/MediaBox[0 0 ${WIDTH} ${HEIGHT}]/Annots[${widget} 0 R${drawn.further ?? ""}]`,
        content: drawn.page ?? "",
      },
    ],
    objects: [
      `<</Type/Annot/Subtype/Widget/F 4/Rect[0 0 ${WIDTH} ${HEIGHT}]${appearances}${entries}>>`,
      drawn.own ?? nothing,
      drawn.other ?? nothing,
      drawn.field ?? "<<>>",
    ],
  };
  return pdf(options);
};
/** The same of a field that the form has, whose kid the widget is. */
const kid = (entries: string, of: string, look = nothing) =>
  withWidget(entries, { own: look, fields: `${field} 0 R`, field: `<<${of}/Kids[${widget} 0 R]>>` });
/** Beside a field that the form has before it. */
const beside = (entries: string, of: string, look = nothing) =>
  withWidget(entries, { own: look, fields: `${field} 0 R ${widget} 0 R`, field: `<<${of}>>` });
const box = (entries: string, on: string, off: string, page = "") =>
  withWidget(`/FT/Btn/T(a)/AP<</N<</On ${own} 0 R/Off ${other} 0 R>>>>${entries}`, { own: on, other: off, page });

const held = "/FT/Tx/T(a)/V(Debo 900)";
const over = { page: textAt(5, 10, "Debo 1000") };
const mark = (color = "", sign = "4") => appearance(`${color} BT /Marks 20 Tf 5 5 Td (${sign}) Tj ET`);
const parent = `/Parent ${field} 0 R`;
const push = "/FT/Btn/Ff 65536";

const clicked: [string, Uint8Array][] = [
  ["an empty text below a field that holds one", kid(`${parent}/V()`, held)],
  ["a button below a field for text", kid(`${parent}${push}`, held, shown)],
  ["a field for a signature below one for text", kid(`${parent}/FT/Sig`, held)],
  ["a text below a button", kid(`${parent}/FT/Tx`, `${push}/T(a)`)],
  ["other flags than those of the field above", kid(`${parent}/Ff 0`, "/FT/Ch/Ff 131072/T(a)")],
  ["a kid that does not name its parent", kid(push, held, shown)],
  ["a field of the form with a parent that has it not", withWidget(`/FT/Tx/T(b)${parent}`, { field: "<</T(a)>>" })],
  ["an empty field by the name of a filled one", beside("/FT/Tx/T(a)", held)],
  ["the same in another encoding", beside("/FT/Tx/T<feff0061>", held)],
  ["a name that goes on after an empty part", beside("/FT/Tx/T(a..b)", held)],
  ["a button by the name of a text", beside(`${push}/T(a)`, "/FT/Tx/T(a)", shown)],
  [
    "an empty field by the name of a hidden one that the form has not",
    withWidget("/FT/Tx/T(a)", {
      fields: "",
      further: `<</Type/Annot/Subtype/Widget/F 2/Rect[0 0 9 9]${held}>>`,
    }),
  ],
  ["a default text", withWidget("/FT/Tx/T(a)/DV(Debo 900)")],
  ["a rich text", withWidget("/FT/Tx/T(a)/RV(Debo 900)")],
  ["a choice by its default", withWidget("/FT/Ch/Ff 131072/T(a)/DV(Debo 900)/Opt[(Debo 900)]")],
  ["a choice by its place", withWidget("/FT/Ch/Ff 131072/T(a)/I[0]/Opt[(Debo 900)]")],
  ["a choice of what stands for an empty text", withWidget("/FT/Ch/Ff 131072/T(a)/V()/Opt[[()(Debo 900)]]")],
  ["a list of options that it does not show", withWidget("/FT/Ch/T(a)/Opt[(Debo 900)]")],
  ["an empty field that shows bars", withWidget("/FT/Tx/T(a)", { own: appearance("20 5 4 30 re f") })],
  ["an empty field that shows lines", withWidget("/FT/Tx/T(a)", { own: appearance("1 1 m 1 39 l S") })],
  ["a ground that nothing else tells", withWidget("/FT/Tx/T(a)", { ...over, own: appearance("1 g 0 0 200 40 re f") })],
  ["a ground that is not drawn", withWidget("/FT/Tx/T(a)/MK<</BG[1]>>", over)],
  [
    "a frame as thick as a ground",
    withWidget("/FT/Tx/T(a)/MK<</BC[1]>>", { ...over, own: appearance("9 w 0 0 200 40 re S") }),
  ],
  ...[
    appearance("1 g 0 0 90 40 re f"),
    appearance("1 g 0 0 200 40 re 20 0 90 40 re f*"),
    appearance("1 g 0 0 90 40 re W n 0 0 200 40 re f"),
    appearance("1 g /G gs 0 0 200 40 re f"),
    appearance("1 g .5 0 0 1 0 0 cm 0 0 200 40 re f"),
    appearance("1 g 0 0 200 40 re f").replace("/BBox[0 0 200 40]", "/BBox[0 0 100 40]"),
  ].map((ground, index): [string, Uint8Array] => [
    `a ground over a part of what is below it (${index})`,
    withWidget("/FT/Tx/T(a)/MK<</BG[1]>>", { ...over, own: ground }),
  ]),
  ["a box that shows a text", box("/V/On/AS/On", shown, nothing)],
  ["a box that shows a text while it is off", box("/AS/Off", mark(), shown)],
  ["a box that shows a text once it is on", box("/AS/Off", shown, nothing)],
  ["a box that is checked", box("/AS/On", mark(), nothing)],
  ["a box whose field is checked", box("/V/On/AS/Off", mark(), nothing)],
  ["a box that gets a ground", box("/AS/Off", appearance("1 g 0 0 200 40 re f"), nothing, over.page)],
  ["a box that gets a mark in white", box("/AS/Off", mark("1 g", "n"), nothing, over.page)],
  ["a box that gets another mark", box("/AS/Off", mark("", "\\300"), nothing)],
  [
    "a box that gets two marks",
    box("/AS/Off", appearance(`${"BT /Marks 20 Tf 5 5 Td (n) Tj ET ".repeat(2)}`), nothing),
  ],
  ["a box that gets a letter", box("/AS/Off", appearance(textAt(5, 10, "4")), nothing)],
];

/** What PDFium draws, with forms as Chrome has them, and what once somebody clicks on the middle of the page. */
const shownByPdfium = async (bytes: Uint8Array): Promise<string[]> => {
  const instance = await PdfiumInstance.ready();
  const found = instance.attempt(10_000, (pdfium) => {
    const at = pdfium.pdfium.wasmExports.malloc(bytes.length);
    memoryOf(pdfium).set(bytes, at);
    const document = pdfium.FPDF_LoadMemDocument(at, bytes.length, "");
    const info = pdfium.PDFiumExt_OpenFormFillInfo();
    const form = pdfium.PDFiumExt_InitFormFillEnvironment(document, info);
    const page = pdfium.FPDF_LoadPage(document, 0);
    pdfium.FORM_OnAfterLoadPage(page, form);
    const draw = (): string => {
      const bitmap = pdfium.FPDFBitmap_Create(WIDTH, HEIGHT, 0);
      pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, WIDTH, HEIGHT, 0xff_ff_ff_ff);
      pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, WIDTH, HEIGHT, 0, 1);
      pdfium.FPDF_FFLDraw(form, bitmap, page, 0, 0, WIDTH, HEIGHT, 0, 1);
      const start = pdfium.FPDFBitmap_GetBuffer(bitmap);
      const dots = Buffer.from(memoryOf(pdfium).slice(start, start + WIDTH * HEIGHT * 4)).toString("base64");
      pdfium.FPDFBitmap_Destroy(bitmap);
      return dots;
    };
    const before = draw();
    pdfium.FORM_OnMouseMove(form, page, 0, WIDTH / 2, HEIGHT / 2);
    pdfium.FORM_OnLButtonDown(form, page, 0, WIDTH / 2, HEIGHT / 2);
    pdfium.FORM_OnLButtonUp(form, page, 0, WIDTH / 2, HEIGHT / 2);
    const after = draw();
    pdfium.FORM_OnBeforeClosePage(page, form);
    pdfium.FPDF_ClosePage(page);
    pdfium.PDFiumExt_ExitFormFillEnvironment(form);
    pdfium.PDFiumExt_CloseFormFillInfo(info);
    pdfium.FPDF_CloseDocument(document);
    pdfium.pdfium.wasmExports.free(at);
    return [before, after];
  });
  instance.rest(() => undefined);
  return found ?? [];
};

describe("a field that shows something else once it is clicked on", () => {
  test.each(clicked)("%s: it becomes a stamp, and is named where it is signed", async (_name, given) => {
    const { bytes, disarmed } = await admit(given);
    expect(disarmed).toEqual(["momentary"]);
    const [before, after] = await shownByPdfium(bytes ?? given);
    expect(after).toBe(before);
    expect((await admit(bytes ?? given)).bytes).toBeNull();
    const sealed = await engine.seal(given, { identity, sealedAt: systemClock.now() });
    expect((await admit(sealed.bytes)).active).toEqual(["momentary"]);
  });

  test("a box without an appearance for being off is hidden", async () => {
    const given = withWidget(`/FT/Btn/T(a)/AS/Off/AP<</N<</On ${own} 0 R>>>>`, { own: shown });
    const { bytes } = await admit(given);
    const [before, after] = await shownByPdfium(bytes ?? given);
    expect(after).toBe(before);
    expect((await admit(bytes ?? given)).bytes).toBeNull();
  });

  test.each([
    ["that shows nothing is hidden", ""],
    ["is drawn as a stamp with its frame", "/MK<</BC[0]>>"],
  ])("one without an appearance %s", async (_name, look) => {
    const given = kid(`${parent}/V()/AP<<>>${look}`, held);
    const { bytes } = await admit(given);
    const [before, after] = await shownByPdfium(bytes ?? given);
    expect(after).toBe(before);
    expect((await admit(bytes ?? given)).bytes).toBeNull();
  });

  test.each([
    ["an empty field", withWidget("/FT/Tx/T(a)/V()")],
    ["an empty choice", withWidget("/FT/Ch/Ff 131072/T(a)/Opt[(one)(two)]")],
    ["a button", withWidget(`${push}/T(a)`, { own: shown })],
    [
      "an empty field with a ground and a frame",
      withWidget("/FT/Tx/T(a)/MK<</BG[1]/BC[0]>>", {
        own: appearance("q 1 g 0 0 200 40 re f 0 G 1 w .5 .5 199 39 re s Q /Tx BMC q 1 1 198 38 re W n BT ET Q EMC"),
      }),
    ],
    ["a box that gets a mark", box("/AS/Off", mark("q 1 g 0 0 200 40 re f Q"), appearance("1 g 0 0 200 40 re f"))],
    [
      "a box without an appearance for being off",
      withWidget(`/FT/Btn/T(a)/AS/Off/AP<</N<</On ${own} 0 R>>>>`, { own: mark() }),
    ],
    ["kids of a field that holds nothing", kid(parent, "/FT/Tx/T(a)")],
    ["fields of other names", beside("/FT/Tx/T(b)", held)],
  ])("%s stays", async (_name, given) => {
    expect(await admit(given)).toMatchObject({ bytes: null, disarmed: [] });
  });
});

describe("an empty field for a signature", () => {
  const sealed = async (given: Uint8Array) =>
    (await engine.seal(given, { identity, sealedAt: systemClock.now() })).bytes;

  test.each(["", "/V(x)"])(
    "that shows something becomes a stamp: MuPDF shows a mark of its own there (%s)",
    async (value) => {
      const given = withWidget(`/FT/Sig/T(a)${value}`, { own: shown });
      expect((await admit(given)).disarmed).toEqual(["shown_otherwise"]);
      await expect(admit(await sealed(given))).rejects.toMatchObject({ reason: "shown_otherwise" });
    },
  );

  test("whose ground hides what is below it becomes a stamp, drawn or said", async () => {
    const ground = appearance("1 g 0 0 200 40 re f");
    const drawn = withWidget("/FT/Sig/T(a)", { ...over, own: ground });
    expect((await admit(await sealed(drawn))).active).toEqual(["momentary"]);
    for (const [given, kind] of [
      [drawn, "momentary"],
      [withWidget("/FT/Sig/T(a)/AP<<>>/MK<</BG[1]>>", over), "shown_otherwise"],
    ] as const) {
      const { bytes, disarmed } = await admit(given);
      expect(disarmed).toEqual([kind]);
      expect(Buffer.from(bytes ?? given).toString("latin1")).not.toContain("/Widget");
      expect((await admit(bytes ?? given)).bytes).toBeNull();
    }
  });

  test("that shows nothing stays, and so does one that somebody signed", async () => {
    for (const given of [withWidget("/FT/Sig/T(a)"), withWidget("/FT/Sig/T(a)/V<</Type/Sig>>", { own: shown })])
      expect((await admit(given)).bytes).toBeNull();
  });
});

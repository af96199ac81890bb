import { inflateSync } from "node:zlib";
import { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { systemClock } from "@rubrica/runtime";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { type FixtureOptions, pdf } from "@rubrica/test-kit/pdf/fixtures";
import { bodyOf, streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const { engine, identity } = await openedEngine();
const shownOtherwise = { reason: "shown_otherwise" };
const shown = (text: string) => `BT /T 20 Tf 20 100 Td ${text} ET`;
const fontOf = (entries: string, subtype = "Type1") => `<</Type/Font/Subtype/${subtype}/BaseFont/Helvetica${entries}>>`;
const withFont = (text: string, font: string): FixtureOptions => ({
  pages: [{ content: shown(text), fonts: "/T 6 0 R" }],
  objects: [font],
});
const inForm = (text: string, entries: string, font: string): FixtureOptions => ({
  pages: [{ content: "/X Do", fonts: "/T 7 0 R", resources: "/XObject<</X 6 0 R>>" }],
  objects: [streamOf(shown(text), `/Type/XObject/Subtype/Form/BBox[0 0 99 99]${entries}`), font],
});
const descriptor = "/FontDescriptor<</Type/FontDescriptor/FontName/Helvetica/Flags 4>>";
const narrow = (width: number) =>
  fontOf(`/Encoding/WinAnsiEncoding/FirstChar 49/LastChar 49/Widths[${width}]${descriptor}`);
const differences = (list: string) => `/Encoding<</Differences[${list}]>>`;

describe("codes of a font that the file does not bring along", () => {
  test.each<[string, FixtureOptions]>([
    ["that its encoding does not have", withFont("(\\300) Tj", fontOf(""))],
    ["in a list", withFont("[(a) 5 (b\\300)] TJ", fontOf(""))],
    ["in hexadecimal digits, of which the last is missing", withFont("<61 c> Tj", fontOf(""))],
    ["behind other escapes", withFont("(\\(\\\\\\)\\1012\\300) Tj", fontOf(""))],
    ["beyond ASCII, of TrueType without an encoding", withFont("(\xe9) '", fontOf("", "TrueType"))],
    ["beyond ASCII, of PDF's own encoding", withFont("(\xe9) Tj", fontOf("/Encoding/PDFDocEncoding"))],
    ["beyond ASCII, of symbols", withFont("(\xe9) Tj", fontOf(descriptor))],
    ["for which not all have a glyph", withFont("(\\262) Tj", fontOf("/Encoding/MacRomanEncoding"))],
    ["that control", withFont("(\\030) Tj", fontOf(`/Encoding/WinAnsiEncoding${descriptor}`))],
    ["with names that fonts do not have", withFont("(A) Tj", fontOf(differences("65/Own")))],
    ["with a name of the form of those that are listed", withFont("(N) Tj", fontOf(differences("78/H99999")))],
    ["with a mark that letters never have", withFont("(N) Tj", fontOf(differences("78/qcaron")))],
    ["without a glyph", withFont("(A) Tj", fontOf(differences("65/.notdef")))],
    ["in a form that takes it from its page", inForm("(\\300) Tj", "", fontOf(""))],
    ["of a figure that is too narrow to be seen", withFont("(1) Tj", narrow(1))],
    [
      "of one that has no width of its own",
      withFont("(2) Tj", narrow(500).replace("/Flags 4", "/Flags 4/MissingWidth 1")),
    ],
    ["of one of a font that says nothing else", withFont("(1) Tj", narrow(1).replace(descriptor, ""))],
    [
      "of a figure by its name alone",
      withFont("(A) Tj", fontOf(`${differences("65/nine")}/FirstChar 65/LastChar 65/Widths[101]${descriptor}`)),
    ],
    ["of one in a form that takes it from its page", inForm("(1) Tj", "", narrow(200))],
  ])("%s are refused, signed or not: each reader shows its own", async (_, options) => {
    await expect(admit(pdf(options))).rejects.toMatchObject(shownOtherwise);
    const { bytes } = await engine.seal(pdf(options), { identity, sealedAt: systemClock.now() });
    await expect(admit(bytes)).rejects.toMatchObject(shownOtherwise);
  });

  test.each<[string, FixtureOptions]>([
    ["that all readers show alike", withFont("(\xe1\xe9 a\\\n) Tj <e16> Tj", fontOf(""))],
    ["of Windows", withFont("(\xe1\xe9\x81) Tj", fontOf("/Encoding/WinAnsiEncoding"))],
    ["of a Macintosh", withFont("(\x8e) Tj", fontOf("/Encoding/MacRomanEncoding"))],
    ["with names that fonts have", withFont("(\xc8) Tj", fontOf(differences("200/eacute")))],
    ["that nothing shows", withFont("(B) Tj", fontOf(differences("65/Own")))],
    ["that are narrow", withFont("(1) Tj", narrow(300).replace("/Flags 4", "/Flags 32"))],
    ["of symbols of its own", withFont("(\xe9) Tj", fontOf("").replace("Helvetica", "Symbol"))],
    ["in a form that takes it from its page", inForm("(\xe1) Tj", "", fontOf(""))],
  ])("%s stay", async (_, options) => {
    expect((await admit(pdf(options))).bytes).toBeNull();
  });
});

test("text in no font of its content's own is refused: PDFium shows it in another one, or readers take that of the page", async () => {
  const inherited = inForm("(1) Tj", "/Resources<<>>", narrow(1));
  const [page] = inherited.pages ?? [];
  const objects = (inherited.objects ?? []).map((one) => one.replace("/T 20 Tf ", " ".repeat(9)));
  const set = { ...inherited, pages: [{ ...page, content: "BT /T 20 Tf ET /X Do" }], objects };
  await expect(admit(pdf(set))).rejects.toMatchObject(shownOtherwise);
  await expect(admit(pdf({ pages: [{ content: "BT (1) Tj ET" }] }))).rejects.toMatchObject(shownOtherwise);
});

describe("a form that lacks a font", () => {
  const options = inForm("(Debo 100) Tj", "/Resources<</Font<</Own 7 0 R>>>>", fontOf(differences("49/nine")));

  test("gets the page's, as most readers do: some took their own, or showed nothing", async () => {
    const { bytes } = await admit(pdf(options));
    const form = bodyOf(bytes ?? new Uint8Array(), 6).replaceAll(/\s+/g, " ");
    expect(form).toMatch(/\/Own 7 0 R.*\/T 7 0 R/);
    expect((await admit(bytes ?? new Uint8Array())).bytes).toBeNull();
  });

  test("is refused where somebody signed it", async () => {
    const { bytes } = await engine.seal(pdf(options), { identity, sealedAt: systemClock.now() });
    await expect(admit(bytes)).rejects.toMatchObject(shownOtherwise);
  });
});

test("codes are judged by the font that a name means, be its number sign written out", async () => {
  const options = withFont("(1) Tj", narrow(1));
  const [page] = options.pages ?? [];
  const content = shown("(1) Tj").replace("/T", "/A#2342");
  const fonts = "/A#2342 6 0 R/AB 3 0 R";
  await expect(admit(pdf({ ...options, pages: [{ ...page, content, fonts }] }))).rejects.toMatchObject(shownOtherwise);
});

describe("without resources of its own, of which readers take the page's, others', or none,", () => {
  const fonts = [fontOf(differences("49/nine")), fontOf("")];
  const box = "/BBox[0 0 99 99]";
  const annotated = (resources: string) =>
    pdf({
      pages: [{ entries: "/MediaBox[0 0 99 99]/Annots[9 0 R]", fonts: "/T 6 0 R" }],
      objects: [
        ...fonts,
        streamOf(shown("(1) Tj"), `/Type/XObject/Subtype/Form${box}${resources}`),
        "<</Type/Annot/Subtype/Stamp/F 4/Rect[0 0 99 99]/AP<</N 8 0 R>>>>",
      ],
    });
  const drawing = (form: string, inner: string, entries: string, more: string[] = []) =>
    pdf({
      pages: [{ content: "/X Do", fonts: "/T 7 0 R", resources: "/XObject<</X 9 0 R>>" }],
      objects: [
        ...fonts,
        streamOf(`1 g ${shown("(1) Tj")}`, `${box}${entries}`),
        streamOf(form, `/Type/XObject/Subtype/Form${box}/Resources<</Font<</T 6 0 R>>${inner}>>`),
        ...more,
      ],
    });

  test("a pattern is refused where the page and the form that draws it have two fonts by that name", async () => {
    const pattern = "/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/XStep 200/YStep 200";
    const file = drawing("/Pattern cs /P scn 0 0 99 99 re f", "/Pattern<</P 8 0 R>>", pattern);
    await expect(admit(file)).rejects.toMatchObject(shownOtherwise);
  });

  test("an annotation's appearance gets the page's", async () => {
    const file = annotated("");
    const { bytes } = await admit(file);
    const content = bodyOf(bytes ?? new Uint8Array(), 8).replaceAll(/\s+/g, " ");
    expect(content).toMatch(/\/Resources.*\/T 6 0 R/);
    const { bytes: sealed } = await engine.seal(file, { identity, sealedAt: systemClock.now() });
    await expect(admit(sealed)).rejects.toMatchObject(shownOtherwise);
  });

  test("a mask that names something is refused", async () => {
    const mask = "/Type/XObject/Subtype/Form/Group<</S/Transparency/I true/CS/DeviceGray>>";
    const state = "<</Type/ExtGState/SMask<</S/Luminosity/G 8 0 R>>>>";
    const file = drawing("/G gs 0 0 99 99 re f", "/ExtGState<</G 10 0 R>>", mask, [state]);
    await expect(admit(file)).rejects.toMatchObject(shownOtherwise);
  });

  test("an appearance that names nothing stays", async () => {
    const file = annotated("");
    const plain = Buffer.from(file)
      .toString("latin1")
      .replace(shown("(1) Tj"), "0 0 9 9 re f".padEnd(shown("(1) Tj").length));
    expect((await admit(Buffer.from(plain, "latin1"))).bytes).toBeNull();
  });
});

describe("names of characters in a font that pdf.js has in TrueType", () => {
  const symbols = (flags: number, name = "Arial") =>
    `/FontDescriptor<</Type/FontDescriptor/FontName/${name}/Flags ${flags}>>`;

  test.each<[string, string]>([
    ["of symbols", fontOf(`${differences("49/seven")}${symbols(4)}`)],
    ["of symbols and of none", fontOf(`${differences("49/seven")}${symbols(36)}`)],
    ["of symbols, by a whole list", fontOf(`/Encoding/MacRomanEncoding${symbols(4)}`, "TrueType")],
  ])("are heeded by all readers: one that says that it is %s is one of letters", async (_, font) => {
    const { bytes } = await admit(pdf(withFont("(1) Tj", font)));
    expect(bodyOf(bytes ?? new Uint8Array(), 6)).toMatch(/\/Flags 32\b/);
    expect((await admit(bytes ?? new Uint8Array())).bytes).toBeNull();
    const { bytes: sealed } = await engine.seal(pdf(withFont("(1) Tj", font)), {
      identity,
      sealedAt: systemClock.now(),
    });
    await expect(admit(sealed)).rejects.toMatchObject(shownOtherwise);
  });

  test.each<[string, string]>([
    ["of letters", fontOf(`${differences("49/seven")}${symbols(32)}`)],
    ["of symbols, with codes of its own", fontOf(symbols(4))],
  ])("stay in one that says that it is %s", async (_, font) => {
    expect((await admit(pdf(withFont("(1) Tj", font)))).bytes).toBeNull();
  });
});

describe("codes for no character that move what follows for some readers only", () => {
  const widths = `/FirstChar 32/LastChar 126/Widths[${Array(95).fill("600").join(" ")}]`;
  const windows = fontOf("/Encoding/WinAnsiEncoding");

  test.each([
    ["a tab", "(a\tb) Tj", "(a b) Tj"],
    ["a tab that is escaped", "(a\\tb) Tj", "(a\\ b) Tj"],
    ["one in octal digits", "(a\\011b\\11c) Tj", "(a\\040b\\40c) Tj"],
    ["one in hexadecimal digits", "<61 0962> Tj", "<61 2062> Tj"],
    ["one in a list", "[(a\t) 20 (b)] TJ", "[(a ) 20 (b)] TJ"],
    ["one that another text follows", "(a\t) Tj (b) Tj", "(a ) Tj (b) Tj"],
    ["one that another text follows in another font", "(a\t) Tj /F1 9 Tf (b) Tj", "(a ) Tj /F1 9 Tf (b) Tj"],
    ["what is no character at all", "(a\\001b) Tj", "(a\\040b) Tj"],
  ])("become a space: %s", async (_, given, instead) => {
    const { bytes } = await admit(pdf(withFont(given, windows)));
    const { data } = PdfFile.open(bytes ?? new Uint8Array()).streamData(5) ?? {};
    expect(inflateSync(data ?? new Uint8Array()).toString("latin1")).toContain(instead);
    expect((await admit(bytes ?? new Uint8Array())).bytes).toBeNull();
    const { bytes: sealed } = await engine.seal(pdf(withFont(given, windows)), {
      identity,
      sealedAt: systemClock.now(),
    });
    await expect(admit(sealed)).rejects.toMatchObject(shownOtherwise);
  });

  test.each([
    ["tabs", "\\t", "\\ "],
    ["line ends", "\\n", "\\ "],
  ])("become spaces: a hundred thousand %s of a listing", async (_, code, instead) => {
    const listing = (between: string) => `1 0 0 1 9 99 Tm (a${between}b) Tj `.repeat(100_000);
    const { bytes } = await admit(pdf(withFont(listing(code), windows)));
    const { data } = PdfFile.open(bytes ?? new Uint8Array()).streamData(5) ?? {};
    expect(inflateSync(data ?? new Uint8Array()).toString("latin1")).toContain(listing(instead));
  });

  test("are refused where they are more than listings have", async () => {
    const line = `1 0 0 1 9 99 Tm (${"a\t".repeat(20)}b) Tj `;
    expect((await admit(pdf(withFont(line.repeat(10_000), windows)))).bytes).not.toBeNull();
    await expect(admit(pdf(withFont(line.repeat(10_001), windows)))).rejects.toMatchObject(shownOtherwise);
  });

  test.each<[string, FixtureOptions]>([
    ["at the end of a line", withFont("(a\t) Tj 0 -20 Td (b) Tj (a\\r\\n) Tj", windows)],
    ["before the end of a line that is shown at once", withFont("20 TL (a\t) Tj T* (b) Tj (\t) Tj (b) '", windows)],
    ["at the end of a text", withFont("(a\t) Tj ET BT /T 9 Tf (b) Tj", windows)],
    ["before spaces alone", withFont("(a\t  ) Tj", windows)],
    ["of TrueType with widths", withFont("(a\tb) Tj", fontOf(`/Encoding/WinAnsiEncoding${widths}`, "TrueType"))],
    ["that are given a name", withFont("(a\tb) Tj", fontOf(differences("9/eacute")))],
    [
      "that are one in a form that takes the font of its page",
      inForm("(a\tb) Tj", "", fontOf(differences("9/eacute"))),
    ],
  ])("stay %s", async (_, options) => {
    expect((await admit(pdf(options))).bytes).toBeNull();
  });

  test.each<[string, FixtureOptions]>([
    ["where spaces are wider than their font says", withFont("5 Tw (a\tb) Tj", windows)],
    ["where the font has another character for a space", withFont("(a\tb) Tj", fontOf(differences("32/A")))],
    ["where the font says widths, but none of them", withFont("(a\tb) Tj", fontOf(widths))],
    ["in a form that takes the font of its page", inForm("(a\tb) Tj", "", windows)],
    ["where its digits stand apart", withFont("<61 0 9 62> Tj", windows)],
  ])("are refused %s", async (_, options) => {
    await expect(admit(pdf(options))).rejects.toMatchObject(shownOtherwise);
  });
});

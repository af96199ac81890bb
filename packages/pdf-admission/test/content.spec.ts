import { deflateSync } from "node:zlib";
import { openDocument } from "@rubrica/pdf-reading/open";
import { type FixtureOptions, firstFurtherObject, pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit } from "../src/admit.ts";
import { lookAtContents } from "../src/content/look.ts";

const square = "0 0 1 rg 20 20 60 60 re f";
const text = "BT /F1 30 Tf 20 100 Td (HHH) Tj ET";
/** The number of a page's content. */
const CONTENT = 5;
const RESOURCES =
  "/ColorSpace<</Icc[/ICCBased 7 0 R]/Under[/Pattern/DeviceRGB]/Table[/Indexed/DeviceGray 0<ff>]" +
  "/Ink[/Separation/X/DeviceGray<</FunctionType 2/Domain[0 1]/N 1/C0[1]/C1[0]>>]/Inks/DeviceCMYK>>/Pattern<</Plain 8 0 R/Bare 9 0 R/Odd<<>>>>" +
  "/XObject<</X 6 0 R/Bits 10 0 R/Picture 11 0 R>>/ExtGState<</Masked<</SMask<</S/Alpha/G 6 0 R>>>>/Through<</BM/Multiply/SMask<</S/Alpha/G 6 0 R>>>>>>";
const pattern = (paint: number) =>
  streamOf("0 0 9 9 re f", `/PatternType 1/PaintType ${paint}/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9`);
const objects = [
  streamOf("0 0 9 9 re f", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Group<</S/Transparency>>"),
  streamOf("", "/N 3"),
  pattern(1),
  pattern(2),
  streamOf("\x80", "/Type/XObject/Subtype/Image/Width 1/Height 1/ImageMask true"),
  streamOf("\xff", "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray"),
];
const OWN =
  "<</Type/Font/Subtype/TrueType/BaseFont/Arial/Encoding/WinAnsiEncoding/FirstChar 97/LastChar 97/Widths[500]>>";
const page = (content: string): FixtureOptions => ({
  pages: [{ content, resources: RESOURCES, fonts: `/Own${OWN}` }],
  objects,
});
const PATTERN = "/PatternType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9";
const ofGlyph = (content: string): FixtureOptions => ({
  objects: [
    "<</Type/Font/Subtype/Type3/FontMatrix[.1 0 0 .1 0 0]/FirstChar 97/LastChar 97/Widths[9]/Encoding<</Differences[97/a]>>/CharProcs<</a 7 0 R>>/Resources 8 0 R>>",
    streamOf(content),
    "<</XObject<</F 9 0 R/M 10 0 R>>/ExtGState<</Clear<</ca .5>>/Plain<</ca 1/SA true>>>>>>",
    streamOf("0 0 9 9 re f", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]"),
    streamOf("\x80", "/Type/XObject/Subtype/Image/Width 1/Height 1/ImageMask true"),
  ],
});
/** What the tests take for a page's content, where its own is ignored. */
const SHARING = "/MediaBox[0 0 595 842]/Contents 8 0 R";
const lookAt = async (options: FixtureOptions) => lookAtContents(await openDocument(pdf(options)));
const image = (entries: string, data: string, after = "\nEI Q") =>
  `q 9 0 0 9 0 0 cm BI ${entries} ID ${data}${after} ${square}`;
const RGB = "/W 1/H 1/BPC 8/CS/RGB";

describe("a content that readers go on with each in its own way is refused", () => {
  test.each<[string, string, string]>([
    ["too few operands", "1 0 rg", "operands"],
    ["an operand of another kind", "/A 0 1 rg", "operands"],
    ["text in place of a list", "BT /F1 9 Tf (H) TJ ET", "operands"],
    ["a word in a list", "BT /F1 9 Tf [(H) /A] TJ ET", "value"],
    ["more operands than any operator takes", `${"7 ".repeat(40)}0 0 9 9 re f`, "operands"],
    ["operands before an unknown operator", "1 0 foo", "unknown_operator"],
    ["an operator that sticks to a number", "0 0 1rg", "broken"],
    ["a number with two signs", "--5 w", "broken"],
    ["a name with a NUL", "/A#00 BMC EMC", "broken"],
    ["a name with a byte that PDFium takes for white space", "/A\x80 BMC EMC", "broken"],
    ["a name with an escape that is none", "/A#4 BMC EMC", "broken"],
    ["a number with two points", "1.2.3 w", "broken"],
    ["a sign that ends its line, in a list", "BT /F1 9 Tf [(H) -\n3000 (H)] TJ ET", "broken"],
    ["a number with a sign within", "5-3 w", "broken"],
    ["a number that is too large for some", "1 0 0 1 4294967346 0 cm", "broken"],
    ["an exponent that takes more room when it is written out", "1e9 w", "broken"],
    ["a line width below zero", "-1 w", "value"],
    ["text that moves far away and back", `BT ${"9999999.4 0 Td -9999999 0 Td ".repeat(9)} ET`, "value"],
    [
      "text that moves far, again and again",
      `BT /F1 9 Tf 1 0 0 1 20000 0 Tm ${"1 0 Td ".repeat(4_000)}(H) Tj ET`,
      "value",
    ],
    [
      "text that moves far for a small one",
      `1000 0 0 1000 -99999 0 cm BT /F1 .06 Tf 1 0 0 1 99 0 Tm ${".0004 0 Td ".repeat(9_000)}(H) Tj ET`,
      "value",
    ],
    [
      "text that a matrix brings back",
      `.01 0 0 .01 -99999 0 cm BT /F1 900 Tf 1 0 0 1 9999900 0 Tm ${".4 0 Td ".repeat(900)}(H) Tj ET`,
      "value",
    ],
    [
      "text with large gaps forth and back",
      `BT /F1 9 Tf [${"-499960 ".repeat(900)}${"249980 ".repeat(1_800)}(H)] TJ ET`,
      "value",
    ],
    [
      "text with large gaps forth and back, one after the other",
      `BT /F1 9 Tf ${"[-499960] TJ ".repeat(900)}${"[249980] TJ ".repeat(1_800)}(H) Tj ET`,
      "value",
    ],
    ["lines of text that are far from each other", "9999999 TL BT T* ET", "value"],
    ["far gaps in a text", "BT /F1 40 Tf [(H) -9999999 9999999 (H)] TJ ET", "value"],
    ["far gaps between characters", "BT /F1 9 Tf 999999 Tc (H) Tj ET", "value"],
    ["far gaps between words", 'BT /F1 9 Tf 999999 0 (H) " ET', "value"],
    ["gaps that are far in large text", "BT /F1 9 Tf 9 Tc 9999 0 0 9999 0 0 Tm (H) Tj ET", "value"],
    ["dashes below zero", "[-1 5] 0 d", "value"],
    ["dashes of nothing", "[0 0] 0 d", "value"],
    ["dashes that begin before the line", "[3 3] -1 d", "value"],
    ["a cap that there is not", "3 J", "value"],
    ["a line to where it begins, with round ends", "1 J 9 9 m 9 9 l S", "painting"],
    ["a part that goes nowhere, with square ends", "2 J 0 0 m 9 9 l 9 9 m h S", "painting"],
    ["a picture of bits in a pattern", "/Pattern cs /Plain scn /Bits Do", "painting"],
    ["one within it", `/Pattern cs /Plain scn ${image("/W 1/H 1/IM true", "a")}`, "painting"],
    [
      "what is made smaller than nothing and larger again",
      `${".001 0 0 .001 0 0 cm ".repeat(15)}${"1000 0 0 1000 0 0 cm ".repeat(15)}`,
      "value",
    ],
    ["lines in a pattern", "0 G 9 w /Pattern CS /Plain SCN 9 9 m 50 9 l S", "painting"],
    ["letters whose lines are in a pattern", `/Pattern CS /Plain SCN 1 Tr ${text}`, "painting"],
    ["lines in a pattern without colors", `/Under CS 1 0 0 /Bare SCN ${square}`, "resource"],
    ["text through a mask, which Poppler prints without", `/Masked gs ${text}`, "painting"],
    ["bits through a mask, which Poppler prints without", "/Masked gs q 9 0 0 9 0 0 cm /Bits Do Q", "painting"],
    ["bits within a content through a mask", `/Masked gs ${image("/W 8/H 1/IM true", "a")}`, "painting"],
    ["colors that are mixed through a mask", `/Through gs ${square}`, "painting"],
    ["a square of no height, with round ends", "q 1 J 9 9 9 0 re S Q", "painting"],
    ["text that cuts out", "BT 7 Tr ET", "value"],
    ["more ink than there is", "2 0 0 0 k", "value"],
    ["a string without an end", `${square} (H`, "broken"],
    ["a list without an end", "[3 3 0 d", "broken"],
    ["a dictionary without an end", "/A <</B 1 BDC EMC", "broken"],
    ["a dictionary with half an entry", "/A <</B>> BDC EMC", "broken"],
    ["a bracket that closes nothing", `] ${square}`, "broken"],
    ["a brace", `{ ${square} }`, "broken"],
    ["an octal number beyond a byte", "BT /F1 9 Tf (\\510) Tj ET", "broken"],
    ["digits that are none", "BT /F1 9 Tf <4z> Tj ET", "broken"],
    ["text outside of text", "/F1 9 Tf (H) Tj", "place"],
    ["the end of a text that was not begun", `ET ${square}`, "place"],
    ["a text within a text", "BT BT ET ET", "place"],
    ["a text that does not end", "BT /F1 9 Tf (H) Tj", "left_open"],
    ["a state that is saved within text", "BT q 5 0 Td Q ET", "place"],
    ["a form within a path", "0 0 9 9 re /X Do f", "place"],
    ["a matrix within a path", "0 0 9 9 re 1 0 0 1 5 0 cm f", "place"],
    ["a color between a clip and its path's end", "0 0 9 9 re W 1 0 0 rg n", "place"],
    ["a curve from nowhere", "0 0 9 9 5 5 c S", "place"],
    ["a shift that is too far", "1000 0 0 1000 0 0 cm 1 0 0 1 101 0 cm", "value"],
    ["many shifts far away", `1 0 0 1 20000 0 cm ${"1 0 0 1 .01 0 cm ".repeat(1_000)}`, "value"],
    ["operands of nothing", `${square} 5 5`, "left_open"],
    ["a glyph's width", `9 0 d0 ${square}`, "place"],
    ["a font that is not there", "BT /No 9 Tf (H) Tj ET", "resource"],
    ["a color space that is not there", "/No cs", "resource"],
    ["too few components", "/Icc cs 1 0 scn", "resource"],
    ["a space that starts in black, after another color", "1 0 0 rg /DeviceRGB cs 0 0 9 9 re f", "resource"],
    ["a color space without a color", "1 0 0 rg /Icc cs 0 0 9 9 re f", "resource"],
    ["a picture of bits in a color space without a color", "1 0 0 rg /Icc cs /Bits Do", "resource"],
    ["a matrix that leaves a line", "1 0 0 0 0 5 cm", "value"],
    ["more of an ink than all", "/Ink cs 3 scn", "value"],
    ["more of four inks than all", "/DeviceCMYK cs 2 0 0 0 scn", "value"],
    ["less of four inks than none, for lines", "/DeviceCMYK CS 0 0 0 -1 SCN", "value"],
    ["more of four inks than all, by a name of its own", "/Inks cs 2 0 0 0 scn", "value"],
    ["a number beyond a table", "/Table cs 1 scn", "value"],
    ["a half of a table's numbers", "/Table cs .5 scn", "value"],
    ["a pattern's name in another space", "/Icc cs /Plain scn", "resource"],
    ["a pattern that is not there", "/Pattern cs /Nope scn", "resource"],
    ["a pattern that is none", "/Pattern cs /Odd scn", "resource"],
    ["a pattern without its color", "/Under cs /Bare scn", "resource"],
    ["an inline image without an end", image(RGB, "abc", ""), "inline_image"],
    ["an inline image that is too short", image("/W 2/H 1/BPC 8/CS/RGB", "abc"), "inline_image"],
    ["an inline image that is too long", image(RGB, "abcabc"), "inline_image"],
    ["an inline image that begins with its end", image("/W 3/H 1/BPC 8/CS/RGB", "EI abcdef"), "inline_image"],
    ["an inline image with an end within", image("/W 3/H 1/BPC 8/CS/RGB", "abc EI ab"), "inline_image"],
    ["an inline image in colors by name that there are not", image("/W 3/H 1/BPC 8/CS/CalGray", "abc"), "inline_image"],
    ["an inline image in a table that is too short", image("/W 3/H 1/BPC 8/CS[/I/RGB 1<00>]", "abc"), "inline_image"],
    ["an inline image with half a range", image(`${RGB}/D[1 0]`, "abc"), "inline_image"],
    ["an inline image that says its width twice", image(`${RGB}/Width 2`, "abc"), "inline_image"],
    ["an inline image after two ends of line", image(RGB, "abc").replace("ID ", "ID\r\n"), "inline_image"],
    ["an inline image whose end sticks to what follows", image(RGB, "abc", "\nEI/A gs Q"), "inline_image"],
    [
      "an inline image of one bit whose numbers mean one grey",
      image("/W 8/H 1/BPC 1/CS/G/D[0 0]", "a"),
      "inline_image",
    ],
    ["an inline image of one bit in half of the greys", image("/W 8/H 1/BPC 1/CS/G/D[0 .5]", "a"), "inline_image"],
    ["an inline mask with a color space", image("/W 8/H 1/IM true/CS/G", "a"), "inline_image"],
    [
      "an inline image with an end that sticks to its data",
      image("/W 10/H 1/BPC 8/CS/G", "abEI Q abc"),
      "inline_image",
    ],
    ["an inline image before a tab", image(RGB, "abc", "\nEI\tQ"), "inline_image"],
    ...[
      ["90 blanks", " ".repeat(90)],
      ["a comment", `%${" ".repeat(90)}\n`],
      ["a long name", `/${"a".repeat(80)} gs`],
      ["a list", "[1] 0 d"],
      ["an operator that lacks its operand", "gs"],
      ["more operands than an operator takes", "1 0 Q"],
    ].map(([what, after]): [string, string, string] => [
      `an inline image before ${what}, and another one`,
      `${image(RGB, "abc", `\nEI ${after} Q`)} ${image(RGB, "abc")}`,
      "inline_image",
    ]),
    ["an inline image before other bytes than text", image(RGB, "abc", "\nEI (\x80) pop Q"), "inline_image"],
    ["an inline image whose filter ends before", image(`${RGB}/F/AHx`, "616263> 61>"), "inline_image"],
    ["a compressed inline image that is too short", image(`/W 2/H 1/BPC 8/CS/RGB/F/AHx`, "616263>"), "inline_image"],
    ["an inline image in text that another filter is within", image(`${RGB}/F[/Fl/AHx]`, "616263>"), "inline_image"],
    ["a path that is drawn after a text came within it", `q 0 0 9 9 re W ${text} Q ${square}`, "place"],
    ["states that are saved too often", "q ".repeat(300), "place"],
    ["areas that are clipped to too often", "0 0 9 9 re W n ".repeat(300), "place"],
    [
      "one within the other, saved in between",
      "q 0 0 9 9 re W n q Q ".repeat(200) + "0 0 9 9 re W n ".repeat(100),
      "place",
    ],
  ])("%s", async (_, content, fault) => {
    expect(await lookAt(page(content))).toMatchObject({ fault });
    await expect(admit(pdf(page(content)))).rejects.toMatchObject({ reason: "shown_otherwise" });
  });

  const own = (content: string, entries: string): FixtureOptions => ({ objects: [streamOf(content, entries)] });
  const FORM = "/Subtype/Form/BBox[0 0 9 9]";
  const type3 = (glyph: string, entries = "") =>
    `<</Type/Font/Subtype/Type3/FontMatrix[.1 0 0 .1 0 0]/FirstChar 97/LastChar 97/Widths[9]/Encoding<</Differences[97/a]>>/CharProcs<</a ${glyph}>>${entries}>>`;
  /** The last one names the first that is given, by resources that only the first has. */
  const nestedForms = (depth: number, last?: string): FixtureOptions => ({
    objects: Array.from({ length: depth }, (_, index) => {
      const next = last ?? `${index + 7} 0 R`;
      const resources = `/Resources<</XObject<</X ${index === 0 && last ? "7 0 R" : next}>>>>`;
      return streamOf(
        index === depth - 1 && !last ? square : "/X Do",
        index === depth - 1 && last ? FORM : FORM + resources,
      );
    }),
  });
  const inParts = (list: string, ...parts: string[]): FixtureOptions => ({
    pages: [{ entries: `/MediaBox[0 0 99 99]/Contents ${list}`, content: "" }],
    objects: parts.map((part) => streamOf(part)),
  });

  test("forms within each other that all readers draw are not", async () => {
    expect(await lookAt(nestedForms(28))).toMatchObject({ fault: null });
  });

  test.each<[string, FixtureOptions, string]>([
    ["a form without a box", own(square, "/Subtype/Form"), "unsound"],
    ["a form with half a box", own(square, "/Subtype/Form/BBox[0 0 9]"), "unsound"],
    ["a form with half a matrix", own(square, `${FORM}/Matrix[1 0 0 1]`), "unsound"],
    ["a form whose syntax is broken", own("5-3 w", FORM), "broken"],
    ["forms within each other beyond what readers draw", nestedForms(29), "nested"],
    ["a form within itself", own("/X Do", `${FORM}/Resources<</XObject<</X 6 0 R>>>>`), "nested"],
    ["a form within itself by what its user names", nestedForms(2, "6 0 R"), "nested"],
    [
      "a pattern within itself",
      own("/Pattern cs /P scn", `${PATTERN}/PaintType 1/Resources<</Pattern<</P 6 0 R>>>>`),
      "nested",
    ],
    [
      "a form that its own mask is made of",
      own("/G gs", `${FORM}/Group<<>>/Resources<</ExtGState<</G<</SMask<</S/Alpha/G 6 0 R>>>>>>>>`),
      "nested",
    ],
    [
      "glyphs that are drawn by glyphs",
      {
        objects: [
          type3("7 0 R", "/Resources<</Font<</T 8 0 R>>>>"),
          streamOf("9 0 d0 1 g BT /T 1 Tf (a) Tj ET"),
          type3("9 0 R"),
          streamOf(`9 0 d0 ${square}`),
        ],
      },
      "nested",
    ],
    ["a pattern without steps", own(square, PATTERN.replace("/XStep 9", "/PaintType 1")), "unsound"],
    [
      "a pattern in an unknown way",
      own(square, `${PATTERN.replace("TilingType 1", "TilingType 4")}/PaintType 1`),
      "unsound",
    ],
    ["a pattern of cells like dust", own(square, `${PATTERN}/PaintType 1/Matrix[.1 0 0 .1 0 0]`), "unsound"],
    ["a pattern of cells that are a line", own(square, `${PATTERN}/PaintType 1/Matrix[1 1 1 1.1 0 0]`), "unsound"],
    ["a pattern with an unknown way of painting", own(square, `${PATTERN}/PaintType 3`), "unsound"],
    ["a pattern that sets its color and must not", own(square, `${PATTERN}/PaintType 2`), "resource"],
    ["a glyph that does not say its width", ofGlyph(square), "place"],
    ["a glyph that says its width late", ofGlyph(`1 0 0 rg 9 0 0 0 9 9 d1 ${square}`), "place"],
    ["a glyph without a color, with a picture", ofGlyph(`9 0 0 0 9 9 d1 BI ${RGB} ID abc\nEI`), "resource"],
    ["a glyph with a box, and a form", ofGlyph("9 0 0 0 9 9 d1 /F Do"), "resource"],
    ["a glyph with a box, and text", ofGlyph("9 0 0 0 9 9 d1 BT /F1 9 Tf (H) Tj ET"), "resource"],
    ["a glyph with text in the color of whoever uses it", ofGlyph("9 0 d0 BT /F1 9 Tf (H) Tj ET"), "resource"],
    ["a glyph of some color, and a line in that of whoever uses it", ofGlyph("9 0 d0 1 g 0 0 9 9 re B"), "resource"],
    ["a glyph that is seen through by itself", ofGlyph("9 0 d0 1 g /Clear gs 0 0 9 9 re f"), "resource"],
    ["a glyph with a shading", ofGlyph("9 0 d0 /S sh"), "resource"],
    ["a glyph that lies too far away", ofGlyph("9 0 0 0 9 9 d1 0 0 2000000 9 re f"), "resource"],
    ["parts of a content that are none", inParts("[6 0 R 1 0 R]", square), "unreadable"],
    ["a string that goes on in the next part", inParts("[6 0 R 7 0 R]", "BT /F1 9 Tf (H", "H) Tj ET"), "broken"],
    ["a comment that a part ends with", inParts("[6 0 R 7 0 R]", "q % x", "Q"), "broken"],
    ["a form that names what it lacks", own("/No Do", `${FORM}/Resources<<>>`), "resource"],
    ["a form that names a state that it lacks", own("/No gs", `${FORM}/Resources<<>>`), "resource"],
    [
      "a page whose content is also that of a page with more resources",
      {
        pages: [{ entries: SHARING, content: text, fonts: "/F9 3 0 R" }, { entries: SHARING }],
        objects: [streamOf(text.replace("F1", "F9"))],
      },
      "resource",
    ],
    ["an unknown filter", own(square, `${FORM}/Filter/Odd`), "unreadable"],
    ["data that can't be inflated", own("\xff\xff\xff\xff\xff\xff", `${FORM}/Filter/FlateDecode`), "unreadable"],
    ["digits of another kind in ASCIIHex", own("71 z>", `${FORM}/Filter/AHx`), "unreadable"],
  ])("%s", async (_, options, fault) => {
    // Of two entries for its content, a page has the last.
    const bytes = Buffer.from(pdf(options))
      .toString("latin1")
      .replace("/Contents 5 0 R", "/Ignored  5 0 R")
      .replace("/Contents 7 0 R", "/Ignored  7 0 R");
    const document = await openDocument(Buffer.from(bytes, "latin1"));
    expect(lookAtContents(document)).toMatchObject({ fault });
  });
});

describe("contents that draw others again and again", () => {
  /** Forms of which each draws the next one twice. */
  const tree = (depth: number): FixtureOptions => ({
    pages: [{ content: "/X Do", resources: "/XObject<</X 6 0 R>>" }],
    objects: Array.from({ length: depth }, (_, index) =>
      streamOf("/X Do /X Do", `/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X ${index + 7} 0 R>>>>`),
    ).concat(streamOf(square, "/Subtype/Form/BBox[0 0 9 9]")),
  });
  const written = (text: string): FixtureOptions => ({
    pages: [{ content: `/T 9 Tf q /F1 9 Tf Q BT ${text} ET`, fonts: "/T 6 0 R" }],
    objects: [
      "<</Type/Font/Subtype/Type3/FontMatrix[.1 0 0 .1 0 0]/FirstChar 97/LastChar 97/Widths[9]/Encoding<</Differences[97/a]>>/CharProcs<</a 7 0 R>>/Resources<<>>>>",
      streamOf(`9 0 0 0 9 9 d1 ${"0 0 9 9 re f ".repeat(5_000)}`),
    ],
  });
  const pattern = (times: number): FixtureOptions => ({
    pages: [{ content: "/Pattern cs /P scn 0 0 9 9 re f ".repeat(times), resources: "/Pattern<</P 6 0 R>>" }],
    objects: [streamOf("0 0 9 9 re f ".repeat(5_000), `${PATTERN}/PaintType 1`)],
  });

  test.each<[string, FixtureOptions]>([
    ["forms of forms", tree(16)],
    ["glyphs", written(`(${"a".repeat(100)}) Tj T* `.repeat(100))],
    ["glyphs in a list", written(`[${"(aaaa) -5 ".repeat(25)}] TJ T* `.repeat(100))],
    ["patterns", pattern(1_000)],
  ])("are too complex: %s", async (_, options) => {
    await expect(admit(pdf(options))).rejects.toThrow("it draws its forms, patterns or glyphs too often");
  });

  test.each<[string, FixtureOptions]>([
    ["forms of forms", tree(14)],
    ["glyphs", written(`(${"a".repeat(100)}) Tj T* `.repeat(50))],
    ["patterns", pattern(900)],
  ])("are not, where readers bear it: %s", async (_, options) => {
    expect(await lookAt(options)).toMatchObject({ fault: null });
  });
});

describe("a glyph in colors of its own", () => {
  const text = "BT /T 9 Tf (a) Tj ET";
  const drawn = (content: string, form = "", entries = ""): FixtureOptions => ({
    pages: [
      {
        content,
        fonts: "/T 6 0 R",
        resources: "/XObject<</X 8 0 R>>/ExtGState<</Clear<</ca .5>>/Full<</ca 1/CA 1>>>>",
      },
    ],
    objects: [
      "<</Type/Font/Subtype/Type3/FontMatrix[.1 0 0 .1 0 0]/FirstChar 97/LastChar 97/Widths[9]/Encoding<</Differences[97/a]>>/CharProcs<</a 7 0 R>>/Resources<<>>>>",
      streamOf("9 0 d0 1 g 0 0 9 9 re f"),
      streamOf(form, `/Subtype/Form/BBox[0 0 9 9]/Resources<</Font<</T 6 0 R>>>>${entries}`),
    ],
  });

  test.each<[string, FixtureOptions]>([
    ["in a page", drawn(`/Clear gs ${text}`)],
    ["in a form", drawn("/Clear gs /X Do", text)],
  ])("that is seen through %s is refused", async (_, options) => {
    expect(await lookAt(options)).toMatchObject({ fault: "resource" });
  });

  test.each<[string, FixtureOptions]>([
    ["of a state that was left", drawn(`q /Clear gs Q ${text}`)],
    ["of a state that another one ends", drawn(`/Clear gs /Full gs ${text}`)],
    ["within a group", drawn("/Clear gs /X Do", text, "/Group<</S/Transparency>>")],
  ])("is not seen through because %s", async (_, options) => {
    expect(await lookAt(options)).toMatchObject({ fault: null });
  });
});

describe("a content that all readers draw alike stays", () => {
  const ascii85 = (data: string) => `${data}~>`;
  test.each<[string, FixtureOptions]>([
    [
      "inline images one after the other",
      page(`${image(RGB, "abc")} ${image(RGB, "abc", "\nEI\nQ")} ${image(RGB, "abc")}`),
    ],
    ["an inline image with nothing near that draws", page(image(RGB, "abc", `\nEI ${" ".repeat(90)} Q`))],
    ["many shifts nearby", page("1 0 0 1 .01 0 cm ".repeat(2_000))],
    ["many moves of text nearby", page(`BT /F1 9 Tf ${"1 0 Td -1 0 Td T* (H) Tj ".repeat(2_000)} ET`)],
    ["a long line with gaps", page(`BT /F1 9 Tf 1 0 0 1 9 700 Tm [${"(H) -9 ".repeat(999)}] TJ ET`)],
    ["text on a large page", page(`BT /F1 9 Tf 1 0 0 1 9999 9999 Tm ${"9 0 Td (H) Tj 0 -9 Td (H) Tj ".repeat(500)}ET`)],
    ["large gaps in small text", page("BT /F1 1 Tf .001 0 0 .001 5 5 Tm 9999 Tc [(H) -500000 (H)] TJ 9999 0 Td ET")],
    [
      "forms that name themselves among others",
      { objects: [streamOf(square, "/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>")] },
    ],
    ["paths, text, colors and marks", page(`${square} ${text} 0.5 g /A BMC /B <</C[1(x)]>> BDC EMC EMC`)],
    ["areas that are clipped to one after the other", page("q 0 0 9 9 re W n Q ".repeat(300))],
    ["states that are not restored", page(`q q 1 0 0 1 5 5 cm ${square}`)],
    ["paths that were not begun", page(`n S ${square}`)],
    ["colors and widths within a path", page("0 0 m 5 w 1 0 0 RG [3 3] 0 d 9 9 l S")],
    ["matrices within text", page("BT 2 0 0 2 0 0 cm /F1 9 Tf (H) Tj ET")],
    ["numbers of a sign or a point alone, or with a point at their end", page(". - +1 rg 5. w -.5 i")],
    ["black that is kept in another space", page("/DeviceRGB cs 0 0 9 9 re f 0 0 0 scn /DeviceGray cs 0 0 9 9 re f")],
    ["a picture in a space without a color, which it does not need", page("1 0 0 rg /DeviceRGB cs /Picture Do")],
    ["text that is set before its color", page("/Pattern cs BT 5 5 Td /F1 9 Tf /Plain scn (H) Tj ET")],
    ["colors beyond their range", page("-0.25 1.5 0 rg")],
    ["what stands together", page("BT/F1 9 Tf[(H)-20(H)]TJ(H)Tj<48>Tj ET[]0 d/A BMC EMC%x\nq Q")],
    ["as many components as a space has", page("/Icc cs 1 0 0 scn /Under cs 1 0 0 /Bare scn /Pattern cs /Plain scn")],
    ["an inline image", page(image(RGB, "abc"))],
    ["an inline image in a table", page(image("/W 3/H 1/BPC 8/CS[/I/RGB 0<ff0000>]/D[0 255]", "\0\0\0"))],
    ["all of four inks", page("/DeviceCMYK cs 1 1 1 1 scn /Inks cs 0 0 0 1 scn")],
    ["more light than there is", page("/DeviceRGB cs 2 0 0 scn")],
    ["all of an ink", page("/Ink cs 1 scn /Table cs 0 scn")],
    ["an inline image of bits", page(image("/W 8/H 2/IM true/D[1 0]", "\xf0\x0f"))],
    [
      "an inline image that is compressed",
      page(image(`${RGB}/F/Fl`, deflateSync(Buffer.from("abc")).toString("latin1"))),
    ],
    [
      "an inline image that is compressed within text",
      page(image(`${RGB}/F[/AHx/Fl]`, `${deflateSync(Buffer.from("abc")).toString("hex")}>`)),
    ],
    ["an inline image whose text ends over two lines", page(image(`${RGB}/F/A85`, "@:E^~\n>"))],
    ["a line to where it begins, without ends", page("q 1 J Q 9 9 m 9 9 l S 1 J 9 9 m 9 8 l S 9 9 m 9 9 l f")],
    ["a shading in a space without a color", page("1 0 0 rg /DeviceRGB cs /S sh")],
    ["a glyph within its box", ofGlyph("9 0 0 0 9 9 d1 .1 0 9 9 re f 0 0 m 0 12 9 12 9 0 c f")],
    ["a glyph within its box, from its other corner", ofGlyph("9 0 9 9 0 0 d1 q 9 0 0 9 0 0 cm /M Do Q /Plain gs")],
    ["a glyph that draws nothing", ofGlyph("9 0 0 0 0 0 d1 0 0 9 9 re n")],
    ["a glyph of colors of its own", ofGlyph("9 0 d0 1 g 0 0 9 9 re f /F Do")],
    ["a content in ASCIIHex", { objects: [streamOf("71>", "/Subtype/Form/BBox[0 0 9 9]/Filter[/ASCIIHexDecode]")] }],
    ["one in ASCII85", { objects: [streamOf(ascii85("E?J*"), "/Subtype/Form/BBox[0 0 9 9]/Filter/ASCII85Decode")] }],
    ["one in runs", { objects: [streamOf("\x02q Q\x80", "/Subtype/Form/BBox[0 0 9 9]/Filter/RunLengthDecode")] }],
  ])("%s", async (_, options) => {
    expect(await lookAt(options)).toMatchObject({
      fault: null,
      mended: new Map(),
      regrouped: new Map(),
      refonted: new Map(),
    });
  });
});

test("a content in runs of runs is refused: MuPDF finds nothing in it", async () => {
  const form = streamOf("\x04\x02q Q\x80\x80", "/Subtype/Form/BBox[0 0 9 9]/Filter[/RunLengthDecode/RunLengthDecode]");
  await expect(admit(pdf({ objects: [form], catalog: `/Form ${firstFurtherObject(1)} 0 R` }))).rejects.toMatchObject({
    reason: "shown_otherwise",
  });
});

describe("what most readers pass over is written out of a file that nobody has signed", () => {
  test.each<[string, string, string]>([
    ["operands before those that are needed", `9 1 0 0 rg ${square}`, `  1 0 0 rg ${square}`],
    ["operands of an operator without any", `5 q ${square} Q`, `  q ${square} Q`],
    ["states that were not saved", `q Q Q ${square}`, `q Q   ${square}`],
    ["a clip without a path", `q W n ${square} Q`, `q   n ${square} Q`],
    ["an unknown operator", `foo ${square}`, `    ${square}`],
    [
      "line ends within strings",
      "BT /Own 9 Tf (a\rb\r\nc\\\rd\ne) Tj [(\r)] TJ ET",
      "BT /Own 9 Tf (a\nb\\nc\\\rd\ne) Tj [(\n)] TJ ET",
    ],
    [
      "line ends within strings that move what follows",
      "BT /F1 9 Tf (a\rb\r\nc\\\rd\ne) Tj [(\r)] TJ ET",
      "BT /F1 9 Tf (a b\\ c\\\rd e) Tj [(\n)] TJ ET",
    ],
    ["line ends in what is taken out", `(\r\n) 1 w ${square}`, `     1 w ${square}`],
    ["exponents", `1e2 w 5.0E-1 M ${square}`, `100 w 0.5    M ${square}`],
    ["components that there are not", `1 0 0 scn ${square}`, `1     scn ${square}`],
    ["a text where a clip's path was to end", `q 0 0 9 9 re W ${text} Q`, `q 0 0 9 9 re n ${text} Q`],
    ["corners that reach nowhere", `0 M -1 M ${square}`, `         ${square}`],
    ["corners that reach as far as no number", `-92.-9-8 M ${square}`, `           ${square}`],
    ["a path that nothing ends", `${square} 0 0 9 9 re 1 g`, `${square}               `],
    ["a clip that nothing ends", `${square} 0 0 9 9 re W`, `${square}             `],
    ["a color without components", `0 0 1 rg scn ${square}`, `0 0 1 rg     ${square}`],
  ])("%s", async (_, content, mended) => {
    const found = await lookAt(page(content));
    expect(Buffer.from(found.mended.get(CONTENT) ?? []).toString("latin1")).toBe(mended);
    const { bytes, disarmed } = await admit(pdf(page(content)));
    expect(disarmed).toEqual(["shown_otherwise"]);
    expect(await admit(bytes ?? new Uint8Array())).toMatchObject({ bytes: null, active: [] });
  });

  test.each<[string, string, string]>([
    ["reaches beyond its box", "9 0 0 0 9 5 d1 0 0 9 9 re f", "9 0 -0.18 -0.18 9.18 9.18 d1 0 0 9 9 re f"],
    ["reaches below its box, after a shift", "9 0 0 0 9 9 d1 1 0 0 1 0 -9 cm 0 0 9 9 re f", "-9.18 9.18 0.18 d1"],
    ["reaches beyond its box by a curve", "9 0 0 0 9 9 d1 0 0 m 0 20 9 20 9 0 c f", "9.3 15.3 d1"],
    ["reaches beyond its box by the second corner of a curve", "9 0 0 0 9 9 d1 0 9 m 0 9 9 9 y 0 0 9 22 v f", "d1"],
    ["reaches beyond its box by a line's width", "9 0 0 0 9 9 d1 1 j 4 w 0 0 m 9 9 l S", "-3.1216"],
    ["reaches beyond its box by a line's corner", "9 0 0 0 9 9 d1 1 w 0 0 m 9 9 l S", "-5.38"],
    ["has a box without room", "9 0 0 0 100 0 d1 0 0 100 1 re f", "-2 -2 102 3 d1"],
    ["sets a color that is its user's to set", "9 0 0 0 9 9 d1 1 0 0 rg 0 0 9 9 re f", "d1          0 0 9 9 re f"],
    ["has no box, and its user's color", "9 0 d0 0 0 9 9 re f", "9 0 -0.18 -0.18 9.18 9.18 d1 0 0 9 9 re f"],
    ["has no box, and is a mask in its user's color", "9 0 d0 /M Do", "9 0 -0.02 -0.02 1.02 1.02 d1 /M Do"],
    ["is a mask that is written in it", "9 0 d0 BI /W 1/H 1/IM true ID \0\nEI", "9 0 -0.02 -0.02 1.02 1.02 d1"],
  ])("a glyph that %s", async (_, content, mended) => {
    const found = await lookAt(ofGlyph(content));
    expect(found.fault).toBeNull();
    expect(Buffer.from(found.mended.get(7) ?? []).toString("latin1")).toContain(mended);
    const { bytes, disarmed } = await admit(pdf(ofGlyph(content)));
    expect(disarmed).toEqual(["shown_otherwise"]);
    expect(await admit(bytes ?? new Uint8Array())).toMatchObject({ bytes: null, active: [] });
  });

  test("and so are parts of a page that are not there", async () => {
    const options = {
      pages: [{ entries: "/MediaBox[0 0 99 99]/Contents[null 6 0 R 9 0 R]" }],
      objects: [streamOf(square)],
    };
    const bytes = Buffer.from(pdf(options))
      .toString("latin1")
      .replace("/Contents 5 0 R", "/Ignored  5 0 R")
      .replace("/Contents 7 0 R", "/Ignored  7 0 R");
    const admission = await admit(Buffer.from(bytes, "latin1"));
    expect(admission.disarmed).toEqual(["shown_otherwise"]);
    expect(Buffer.from(admission.bytes ?? []).toString("latin1")).toMatch(/\/Contents ?\[ ?\d+ 0 R ?\]/);
  });

  test("unless pages share it that do not have the same before it", async () => {
    const options = { pages: [{ content: "q" }], objects: [streamOf("Q", "/Subtype/Form/BBox[0 0 9 9]")] };
    const shared = Buffer.from(pdf(options)).toString("latin1").replace("/Contents 5 0 R", "/Contents[5 0 R 6 0 R]");
    expect(lookAtContents(await openDocument(Buffer.from(shared, "latin1"))).fault).toBe("operands");
  });
});

test("a page without any resources that names a font is refused: some readers show its text", async () => {
  const bytes = Buffer.from(pdf({ pages: [{ content: text }] }))
    .toString("latin1")
    .replace("/Resources<<", "/Unknowns_<<");
  const document = await openDocument(Buffer.from(bytes, "latin1"));
  expect(lookAtContents(document)).toMatchObject({ fault: "resource" });
});

import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const [FONT, USED, STATE, OUTER, BITS] = [6, 7, 8, 9, 10];
const box = "/BBox[0 0 99 99]";
const own = `/Resources<</Font<</T ${FONT} 0 R>>/XObject<</B ${BITS} 0 R>>>>`;
const text = "0 g 0 G BT /T 20 Tf 9 9 Td (1) Tj T* (9) Tj ET";
const line = "0 g 0 G 9 9 m 50 9 l S";

/** What is used: its content, its entries, and what a page does to use it. */
interface Use {
  entries: string;
  use: string;
}
const uses = {
  form: { entries: `/Type/XObject/Subtype/Form${box}${own}`, use: "/X Do" },
  mask: {
    entries: `/Type/XObject/Subtype/Form${box}${own}/Group<</S/Transparency/I true/CS/DeviceGray>>`,
    use: "/G gs 0 0 99 99 re f",
  },
  group: { entries: `/Type/XObject/Subtype/Form${box}${own}/Group<</S/Transparency>>`, use: "/X Do" },
  pattern: {
    entries: `/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/XStep 200/YStep 200${box}${own}`,
    use: "/Pattern cs /P scn 0 0 99 99 re f",
  },
} satisfies Record<string, Use>;
type Kind = keyof typeof uses;

const file = (page: string, kind: Kind, content: string, outer = ""): Uint8Array =>
  pdf({
    pages: [
      {
        content: page,
        resources:
          `/XObject<</X ${USED} 0 R/O ${OUTER} 0 R>>/Pattern<</P ${USED} 0 R/Q ${OUTER} 0 R>>` +
          `/ExtGState<</G ${STATE} 0 R/L<</LW 9/D[[3] 0]>>>>`,
      },
    ],
    objects: [
      "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
      streamOf(content, uses[kind].entries),
      kind === "mask" ? `<</Type/ExtGState/SMask<</S/Luminosity/G ${USED} 0 R>>>>` : "<</Type/ExtGState>>",
      streamOf(outer, `/Type/XObject/Subtype/Form${box}/Resources<</XObject<</X ${USED} 0 R>>>>`),
      streamOf("\0", "/Type/XObject/Subtype/Image/Width 1/Height 1/ImageMask true/BitsPerComponent 1"),
    ],
  });
const used = (before: string, kind: Kind, content: string) => file(`${before} ${uses[kind].use}`, kind, content);

describe("what some readers begin with settings of its user, and others without, is refused where it draws with them", () => {
  test.each<[string, Uint8Array]>([
    ["a group's lines by their width", used("9 w", "group", line)],
    ["a group's lines by their dashes", used("[3] 0 d", "group", line)],
    ["a group's lines within another form", file("[3] 0 d /O Do", "group", line, "q /X Do Q")],
    ["a form's text that is raised", used("50 Ts", "form", text)],
    ["a form's text that is turned round by its scale", used("-100 Tz", "form", text)],
    ["a form's lines of text", used("50 TL", "form", text)],
    ["a form's text, by the first line of another text", used("BT 0 -50 TD ET", "form", text)],
    ["a form's text after an empty line", used("50 Ts", "form", text.replace("(1) Tj", ""))],
    ["a form's areas with its user's pattern", file("/Pattern cs /P scn /O Do", "pattern", text, "0 0 99 99 re f")],
    ["a form's text, before its own scale", used("50 Tz", "form", `q 100 Tz Q ${text}`)],
    ["a form's text within another form", file("50 Ts /O Do", "form", text, "q /X Do Q")],
    ["a form's text by another form's setting", file("/O Do", "form", text, "50 Ts /X Do")],
    ["a mask's text that is not seen", used("3 Tr", "mask", text)],
    ["a mask's text, set after the mask", file("/G gs 9 Tc 0 0 99 99 re f", "mask", text)],
    ["a mask's text, set by a form that is drawn through it", file("/G gs /O Do", "mask", text, "9 Tc 0 0 9 9 re f")],
    ["a mask's lines", used("9 w", "mask", line)],
    ["a mask's lines by a state", used("/L gs", "mask", line)],
    ["a mask's corners, though it sets the ends", used("1 M", "mask", `0 J ${line}`)],
    ["a pattern's areas in white, by no ink", used("/DeviceCMYK cs 0 0 0 0 sc", "pattern", "0 0 50 50 re f")],
    ["a pattern's picture of bits", used("1 g", "pattern", "q 50 0 0 50 0 0 cm /B Do Q")],
    ["a mask's colors", used("1 g", "mask", "0 0 50 50 re f")],
    ["a pattern's text that is not seen", used("3 Tr", "pattern", text)],
    ["a pattern's text that is drawn apart", used('BT /F1 9 Tf 9 9 (a) " ET', "pattern", text)],
    ["a pattern's dashes", used("[3] 0 d", "pattern", line)],
    ["a pattern's areas with another pattern, of lines", used("/Pattern CS /Q SCN", "pattern", "9 w 9 9 m 50 9 l S")],
    ["a pattern's lines in a color", used("1 G", "pattern", line.replace("0 G", ""))],
  ])("%s", async (_, bytes) => {
    await expect(admit(bytes)).rejects.toMatchObject({ reason: "shown_otherwise" });
  });

  test.each<[string, Uint8Array]>([
    ["a mask's text on a new page", used("", "mask", text)],
    ["what is restored before", used("q 50 Ts Q", "form", text)],
    [
      "a mask's text, before a form that is not drawn through it",
      file("/O Do /G gs 0 0 9 9 re f", "mask", text, "9 Tc"),
    ],
    [
      "a form's own colors, not its user's pattern",
      file("/Pattern cs /P scn /O Do", "pattern", text, "0 g 0 0 9 9 re f"),
    ],
    [
      "a form's areas, where only lines have a pattern",
      file("/Pattern CS /P SCN /O Do", "pattern", text, "0 0 9 9 re f"),
    ],
    ["a pattern's areas in black of another space", used("/DeviceRGB cs 0 0 0 sc", "pattern", "0 0 50 50 re f")],
    ["a pattern's picture of bits in black", used("", "pattern", "q 50 0 0 50 0 0 cm /B Do Q")],
    ["what is set back", used("50 Ts 0 Ts", "form", text)],
    ["what the form sets itself", used("50 Ts 9 TL", "form", `0 Ts 12 TL ${text}`)],
    ["what the form does not draw with", used("50 Ts 50 Tz 50 TL", "form", line)],
    [
      "what all readers begin a form with",
      used("9 w 3 Tr 9 Tc 1 G", "form", `${line} ${text.replace("T* (9) Tj", "")}`),
    ],
    ["a pattern's own settings", used("[3] 0 d 3 Tr", "pattern", `[] 0 d 0 Tr ${line} ${text}`)],
    [
      "what is set elsewhere than where a pattern is used",
      file("q [3] 0 d Q /Pattern cs /P scn 0 0 9 9 re f", "pattern", line),
    ],
  ])("but not %s", async (_, bytes) => {
    expect((await admit(bytes)).bytes).toBeNull();
  });
});

describe("drawn glyphs are refused where they draw lines with settings of who shows them", () => {
  const glyphs = (before: string, glyph: string) =>
    pdf({
      pages: [{ content: `${before} BT /D 20 Tf 9 9 Td (a) Tj ET`, fonts: `/D ${FONT} 0 R` }],
      objects: [
        "<</Type/Font/Subtype/Type3/FontBBox[0 0 1000 1000]/FontMatrix[0.001 0 0 0.001 0 0]/FirstChar 97/LastChar 97" +
          `/Widths[1000]/Encoding<</Differences[97/a]>>/CharProcs<</a ${USED} 0 R>>/Resources<<>>>>`,
        streamOf(`1000 0 d0 ${glyph} 0 400 m 400 400 l S`),
      ],
    });

  test.each([
    ["their width", "60 w", "0 G", "9 w 0 G"],
    ["their ends", "2 J", "0 G", "0 J 0 G"],
    ["their corners", "1 j", "0 G", "0 j 0 G"],
    ["how far these reach", "1 M", "0 G", "10 M 0 G"],
    ["their color", "1 0 0 RG", "", "0 G"],
    ["the color of areas", "1 0 0 rg", "", "0 G"],
  ])("%s", async (_, before, glyph, own) => {
    await expect(admit(glyphs(before, glyph))).rejects.toMatchObject({ reason: "shown_otherwise" });
    expect((await admit(glyphs(before, own))).bytes).toBeNull();
  });
});

test.each<[string, Kind]>([
  ["a pattern", "pattern"],
  ["a form that is drawn by one", "form"],
])("a pattern is refused within %s: Poppler puts it to another place", async (_, kind) => {
  const inner = `/Resources<</Pattern<</Q ${OUTER} 0 R>>>>`;
  const outer = `/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/XStep 99/YStep 99${box}`;
  const patterned = "/Pattern cs /Q scn 0 0 99 99 re f";
  const cell = kind === "pattern" ? [patterned, inner] : ["/X Do", `/Resources<</XObject<</X ${BITS} 0 R>>>>`];
  const bytes = (content: string) =>
    pdf({
      pages: [{ content: "/Pattern cs /P scn 0 0 99 99 re f", resources: `/Pattern<</P ${USED} 0 R>>` }],
      objects: [
        "null",
        streamOf(kind === "pattern" ? content : (cell[0] ?? ""), `${outer}${cell[1]}`),
        "null",
        streamOf("0 g 0 0 9 9 re f", `${outer}/Resources<<>>`),
        streamOf(content, `/Type/XObject/Subtype/Form${box}${inner}`),
      ],
    });
  await expect(admit(bytes(patterned))).rejects.toMatchObject({ reason: "shown_otherwise" });
  expect((await admit(bytes("0 g 0 0 9 9 re f"))).bytes).toBeNull();
});

test("glyphs are refused that have other resources than their font", async () => {
  const glyphs = (entries: string) =>
    pdf({
      pages: [{ content: "BT /D 20 Tf 9 9 Td (a) Tj ET", fonts: `/D ${FONT} 0 R` }],
      objects: [
        "<</Type/Font/Subtype/Type3/FontBBox[0 0 1000 1000]/FontMatrix[0.001 0 0 0.001 0 0]/FirstChar 97/LastChar 97" +
          `/Widths[1000]/Encoding<</Differences[97/a]>>/CharProcs<</a ${USED} 0 R>>/Resources ${OUTER} 0 R>>`,
        streamOf("1000 0 d0 /X Do", entries),
        streamOf("0 0 500 500 re f", "/Type/XObject/Subtype/Form/BBox[0 0 1000 1000]/Resources<<>>"),
        `<</XObject<</X ${STATE} 0 R>>>>`,
        streamOf("500 0 500 500 re f", "/Type/XObject/Subtype/Form/BBox[0 0 1000 1000]/Resources<<>>"),
      ],
    });
  await expect(admit(glyphs(`/Resources<</XObject<</X ${BITS} 0 R>>>>`))).rejects.toMatchObject({
    reason: "shown_otherwise",
  });
  expect((await admit(glyphs(`/Resources ${OUTER} 0 R`))).bytes).toBeNull();
  expect((await admit(glyphs(""))).bytes).toBeNull();
});

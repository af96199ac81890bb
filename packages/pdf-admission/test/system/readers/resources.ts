import { seededRandom } from "@rubrica/runtime/testing";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";

/**
 * Files whose pictures, graphics states, boxes and names were made up by chance. Left out: numbers beyond a table, which
 * PDFium alone draws in black, glyphs without a box in colors of their own, which Poppler prints in that of the text, and
 * crops of fractions of a point, for which programs round a page's size each in its way.
 */

type Pick = <Item>(items: readonly Item[]) => Item;

const first: Pick = (items) => items[0] as (typeof items)[number];

const [FORM, PICTURE, OTHER, GROUP, JPEG, FONT, MASK, JPEG_2000, LEVEL] = [6, 7, 8, 9, 10, 11, 13, 14, 15] as const;
/** Of 8 by 8, in grey: its left half is white. */
const jpeg = Buffer.from(
  "/9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYV" +
    "pQYEpRUk//wgALCAAIAAgBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAABP/aAAgBAQAAAAFP/8QAFRABAQAAAAAAAAAAAAAAAAAAAAX/2gAIAQEA" +
    "AQUCpv/EABYQAAMAAAAAAAAAAAAAAAAAAAADgf/aAAgBAQAGPwJdP//EABYQAAMAAAAAAAAAAAAAAAAAAACB8P/aAAgBAQABPyGyP//aAAgBAQ" +
    "AAABB//8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxB//9k=",
  "base64",
).toString("latin1");
/** The same in JPEG 2000. */
const jpeg2000 = Buffer.from(
  "/0//UQApAAAAAAAIAAAACAAAAAAAAAAAAAAACAAAAAgAAAAAAAAAAAABBwEB/1IADAAAAAEAAAQEAAH/XAAEQED/kAAKAAAAAABJAAH/k9+BwCaJDPyB2QC+0AwcIp0cAwIKe0o82H5sPzYfmw/Nh+bD82H5sPzYfmw/Nh+bD82H5sPzYfmw/Nh//9k=",
  "base64",
).toString("latin1");
const sides = ["8", "8", "8", "16", "4", "1"];
const shift = (by: string, times: number) => `1 0 0 1 ${by} 0 cm `.repeat(times);
const states: readonly string[] = [
  ...["-1", "-0.5", "0", "0.5", "2", "/x", "(1)", "true"].flatMap((value) => [`/ca ${value}`, `/CA ${value}`]),
  ...["/Multiply", "/Odd", "[/Odd/Multiply]", "[/Multiply/Screen]", "[]", "(Multiply)", "[null/Multiply]"].map(
    (value) => `/BM${value}`,
  ),
  ..."/ca null /CA null /BM null /D null /SMask null /LW 20 /LW -5 /LC 9 /LJ 9 /ML 0 /ML -1 /D[[10]0] /D[[-1]0] /D[[0]0] /D[[9]-3] /D[9] /AIS/x".split(
    / (?=\/)/,
  ),
  ...[
    `/S/Luminosity/G ${GROUP} 0 R`,
    `/G ${GROUP} 0 R`,
    `/S/Alpha/G ${FORM} 0 R`,
    "/S/Alpha",
    `/S/Odd/G ${GROUP} 0 R`,
  ].map((value) => `/SMask<<${value}>>`),
];
const boxes: readonly string[] = [
  "",
  "",
  ..."[50 50 150 150];[300 300 400 400];[100 100 300 300];[150 150 50 50];[0 0 200 0];[0 0 100];[200 200 400 400];(a);[/a 0 9 9]"
    .split(";")
    .map((box) => `/CropBox${box}`),
  "/Annots 7",
  "/UserUnit 0",
  "/UserUnit -1",
];
const spaces: readonly string[] = [
  "/DeviceRGB",
  "/DeviceGray",
  "[/Indexed/DeviceRGB 3<ff000000ff000000ff00ffff>]",
  "[/Indexed/DeviceRGB 3<ff000000ff00>]",
  "[/Indexed/DeviceRGB 3.5<ff000000ff000000ff00ffff>]",
  "[/Indexed[/Indexed/DeviceRGB 1<ff000000ff00>]3<00010001>]",
  "[/Indexed/DeviceRGB -1<ff0000>]",
];
const beside: readonly string[] = [
  "",
  "",
  "",
  ..."[1 0] [1 0 1 0 1 0] [0 1]".split(/ (?=\[)/).map((list) => `/Decode${list}`),
  "/Mask[3 3]",
  "/Mask[255 255 0 0 0 0]",
  `/Mask ${OTHER} 0 R`,
  `/SMask ${OTHER} 0 R`,
  `/SMask ${FORM} 0 R`,
];
const others: readonly string[] = ["/DeviceRGB/BitsPerComponent 8", "/DeviceGray/BitsPerComponent 8"].map(
  (colors) => `/ColorSpace${colors}`,
);
const jpegColors: readonly string[] = [
  ..."/DeviceGray /DeviceGray /DeviceGray /DeviceRGB"
    .split(" ")
    .map((space) => `/BitsPerComponent 8/ColorSpace${space}`),
  "/BitsPerComponent 8",
  "/BitsPerComponent 4/ColorSpace/DeviceGray",
  "/ColorSpace/DeviceGray",
];
const glyphs: readonly string[] = [
  ...["0 0 1 1", "0 0 .5 .5", "1 1 0 0", "0 0 0 0", ".2 .2 .8 .8", "-1 -1 2 2"].map((box) => `1 0 ${box} d1`),
];
const glyphBoxes: readonly string[] = ["0 0 1 1", "0 0 0 0", "0 0 .5 .5", "0 0 9 9", "0 0 -1 -1"];
const plain: readonly string[] = [
  "0 0 1 1 re f",
  "0 0 m 0 1.4 1 1.4 1 0 c f",
  ".3 w .1 .1 .7 .7 re S",
  ".5 0 0 .5 .5 .5 cm 0 0 1 1 re f",
  "q .8 0 0 .8 0 0 cm /M Do Q",
  "BI /W 1/H 1/IM true ID \0\nEI",
];
const colored: readonly string[] = [
  "1 0 0 rg 0 0 1 1 re f",
  "0 0 1 1 re f 1 0 0 rg 0 0 .5 .5 re f",
  "/I Do",
  "1 g 1 0 0 RG .2 w 0 0 1 1 re B",
];
const jpeg2000Colors: readonly string[] = [
  "/ColorSpace/DeviceGray",
  "/ColorSpace/DeviceGray/BitsPerComponent 4",
  "",
  "/ColorSpace/DeviceRGB",
  "/ColorSpace/DeviceGray/Decode[1 0]",
  "/ColorSpace/DeviceGray/Mask[9 99]",
  "/ImageMask true",
];
const names: readonly string[] = [
  "/G gs /X Do",
  "/X Do",
  "/I Do",
  "q 160 0 0 160 20 20 cm /I Do Q",
  "/G gs 1 0 0 rg 40 40 90 90 re f",
  "q 160 0 0 160 20 20 cm /J Do Q",
  "q 160 0 0 160 20 20 cm /J Do Q",
  "q 160 0 0 160 20 20 cm /K Do Q",
  "q 160 0 0 160 20 20 cm /K Do Q",
  "/L Do",
  "0 0 1 rg 0 0 1 RG BT /T 100 Tf 40 40 Td (a) Tj ET",
  "0 0 1 rg 0 0 1 RG BT /T 100 Tf 40 40 Td (a) Tj ET",
  "1 0 0 rg 40 40 90 90 re f 0 0 200 200 re",
  "1 0 0 rg 40 40 90 90 re f 0 0 40 200 re W",
  ...[2e3, 9e4, 2e6].map(
    (far) =>
      `q ${shift(String(far), 1)}${shift(".01", far > 1e4 ? 900 : 4_000)}${shift(String(-far), 1)}1 0 0 rg 40 40 90 90 re f Q`,
  ),
];

const dataOf = (pick: Pick): string => {
  const bytes = Array.from({ length: pick([192, 192, 64, 64, 63, 32, 0, 400]) }, (_, at) => at % 4);
  return String.fromCharCode(...bytes);
};

/** Forms, patterns or glyphs within each other, and what the last one draws. */
const levelsOf = (pick: Pick): string[] => {
  const depth = pick([1, 2, 10, 25, 30, 45, 70]);
  const last = pick(["", "", `/X ${LEVEL} 0 R`]);
  return Array.from({ length: depth }, (_, index) => {
    const next = index === depth - 1 ? last : `/X ${LEVEL + index + 1} 0 R`;
    const own = "0 0 1 rg 60 60 60 60 re f";
    return streamOf(
      next ? `${pick(["", own])} q ${shift("2", 1)}/X Do Q` : own,
      `/Type/XObject/Subtype/Form/BBox[0 0 200 200]/Resources<</XObject<<${next}>>>>`,
    );
  });
};

/** One file, by its seed. */
export const resourcesOf = (seed: number): Uint8Array => {
  const random = seededRandom(seed);
  const pick: Pick = (items) => items[Math.floor(random.fraction() * items.length)] as (typeof items)[number];
  const own = `/XObject<</I ${PICTURE} 0 R/X ${FORM} 0 R/J ${JPEG} 0 R/K ${JPEG_2000} 0 R/L ${LEVEL} 0 R>>/ExtGState<</G<<${pick(states)}>>>>`;
  const form = "/Type/XObject/Subtype/Form/BBox[0 0 200 200]";
  const inForm = pick(names).replace(/\/[XL] Do|BT.*ET/, "0 0 1 rg 60 60 60 60 re f");
  const ofForm = pick(["", "<<>>", `<<${own.replace(/\/[XL] \d+ 0 R/g, "")}>>`]);
  const picture = `/Type/XObject/Subtype/Image/Width 8/Height 8/BitsPerComponent 8/ColorSpace${pick(spaces)}${pick(beside)}`;
  const content = `1 1 0 rg 0 0 200 200 re f 0 1 0 rg 0 0 20 20 re f 0 0 0 RG ${pick(names)}`;
  // What is not used would have the file refused all the same.
  const pickFor = (name: string): Pick => (`${content} ${inForm}`.includes(name) ? pick : first);
  const [ofJpeg, ofGlyph, of2000] = ["/J Do", "/T ", "/K Do"].map(pickFor) as [Pick, Pick, Pick];
  return pdf({
    pages: [{ entries: `/MediaBox[0 0 200 200]${pick(boxes)}`, content, resources: own, fonts: `/T ${FONT} 0 R` }],
    objects: [
      streamOf(inForm, `${form}${ofForm && `/Resources${ofForm}`}`),
      streamOf(dataOf(pick), picture),
      streamOf("\0".repeat(96) + "\xff".repeat(96), `/Type/XObject/Subtype/Image/Width 8/Height 8${pick(others)}`),
      streamOf("1 g 50 50 50 100 re f", `${form}/Group<</S/Transparency/CS/DeviceGray>>`),
      streamOf(
        jpeg.slice(0, ofJpeg([undefined, undefined, undefined, -2])),
        `/Type/XObject/Subtype/Image/Filter/DCTDecode/Width ${ofJpeg(sides)}/Height ${ofJpeg(sides)}${ofJpeg(jpegColors)}`,
      ),
      `<</Type/Font/Subtype/Type3/FontBBox[${ofGlyph(glyphBoxes)}]/FontMatrix[1 0 0 1 0 0]/FirstChar 97/LastChar 97/Widths[1]/Encoding<</Differences[97/a]>>/CharProcs<</a ${FONT + 1} 0 R>>/Resources<</XObject<</M ${MASK} 0 R/I ${OTHER} 0 R>>>>>>`,
      streamOf(
        ofGlyph([true, false]) ? `1 0 d0 ${ofGlyph(plain)}` : `${ofGlyph(glyphs)} ${ofGlyph([...plain, ...colored])}`,
      ),
      streamOf("\0", "/Type/XObject/Subtype/Image/Width 1/Height 1/ImageMask true"),
      streamOf(
        jpeg2000.slice(0, of2000([undefined, undefined, undefined, -2])),
        `/Type/XObject/Subtype/Image/Filter/JPXDecode/Width ${of2000(sides)}/Height ${of2000(sides)}${of2000(jpeg2000Colors)}`,
      ),
      ...levelsOf(pickFor("/L Do")),
    ],
  });
};

import { deflateSync } from "node:zlib";
import { seededRandom } from "@rubrica/runtime/testing";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";

/**
 * Files whose groups, soft masks, patterns, lines and pictures' parameters were made up by chance. Left out: text, lines and
 * pictures of bits through a mask, which Poppler prints as if there were none, masks through masks and masks that are seen through in
 * part, which it draws in its own way, and lines in a pattern with room between its cells, which it prints without it.
 */

type Pick = <Item>(items: readonly Item[]) => Item;

const [FORM, MASK, INNER, PATTERN, BITS, PICTURE, SOFT] = [6, 7, 8, 9, 10, 11, 12] as const;
const form = "/Type/XObject/Subtype/Form/BBox[0 0 200 200]";
const area = "40 40 120 120 re f";
const areas: readonly string[] = [area, area, "40 40 120 120 re 60 60 60 60 re W* f", "40 40 120 120 re W f"];
const groups: readonly string[] = [
  "",
  "",
  "<<>>",
  "<</S/Odd>>",
  "7",
  "[]",
  ...[
    "",
    "/I true",
    "/K true",
    "/I true/K true",
    "/I 1",
    "/CS/DeviceRGB",
    "/CS/DeviceGray",
    "/CS/DeviceCMYK/I true",
  ].map((entries) => `<</S/Transparency${entries}>>`),
];
const masks: readonly string[] = [
  "/S/Luminosity",
  "/S/Luminosity",
  "/S/Alpha",
  "/S/Alpha/BC[1]",
  ...["[0]", "[1]", "[1 1 1]", "[]", "1"].map((ground) => `/S/Luminosity/BC${ground}`),
  ...["/Identity", "/Odd", "[]", "<</FunctionType 2/Domain[0 1]/N 1/C0[1]/C1[0]>>"].map(
    (by) => `/S/Luminosity/TR${by}`,
  ),
];
const maskGroups: readonly string[] = [
  "",
  "/CS/DeviceGray",
  "/CS/DeviceGray",
  "/CS/DeviceRGB/I true",
  "/CS[/DeviceGray]",
];
const maskMatrices: readonly string[] = [
  ...["", "", "", "/Matrix[1 0 0 1 0 0]", "/Matrix[1 0 0 1 60 0]", "/Matrix[.5 0 0 .5 0 0]", "/Matrix[0 1 -1 0 200 0]"],
  "/Matrix[-1 0 0 1 200 0]",
  "/Matrix[1 1 -1 1 0 0]",
];
const names: readonly string[] = ["", "", "/Half gs", "/Whole gs", "/Multiply gs", "/Difference gs", "/Normal gs"];
const maskNames: readonly string[] = ["", "", "", "/Mask gs", "/None gs"];
const moves: readonly string[] = ["", "", ".5 0 0 .5 0 0 cm", "1 0 0 1 20 20 cm"];
const lines: readonly string[] = [
  "100 100 m 100 100 l S",
  "100 100 m h S",
  "40 100 120 0 re S",
  "100 100 0 0 re S",
  "100 100 m 100 100 100 100 100 100 c s",
  "40 100 m 160 100 l S",
  "40 100 m 160 100 l 100 60 m 100 60 l S",
];
const cells: readonly string[] = ["20 20", "20 20", "-20 20", "40 40", "100000 100000", "20 .2", "0 20"];
const matrices: readonly string[] = [
  "",
  "",
  "/Matrix[1 0 0 1 7 7]",
  "/Matrix[1 0 0 .001 0 0]",
  "/Matrix[1 1 1 1.0001 0 0]",
];
const tilings: readonly string[] = ["1", "1", "2", "3", "4", "1.5"];
const parameters: readonly string[] = [
  "",
  ...["15", "15", "12", "2", "3", "16", "9"].map((rule) => `/Predictor ${rule}`),
  "/Predictor 15/Colors 3",
  "/Predictor 15/BitsPerComponent 4",
];
const beside: readonly string[] = [
  "",
  "",
  "",
  "/DP<</Predictor 12/Columns 8>>",
  "/W 4",
  "/BPC 4",
  "/D[1 0]",
  "/IM true",
];
const seenThrough: readonly string[] = [
  "",
  `/SMask ${SOFT} 0 R`,
  `/SMask ${BITS} 0 R`,
  "/Mask[0 0]",
  "/Mask[.5 300]",
  `/Mask ${BITS} 0 R`,
];
const softColors: readonly string[] = [
  "/DeviceGray",
  "/DeviceGray",
  "[/DeviceGray]",
  "[/Indexed/DeviceGray 1<00ff>]",
  "[/CalGray<</WhitePoint[.95 1 1.09]>>]",
  `/DeviceGray/Mask ${BITS} 0 R`,
];

/** What a page draws: of each of the kinds one that the others don't spoil. */
const drawnBy = (pick: Pick): string =>
  pick([
    `${pick(names)} ${pick(maskNames)} ${pick(moves)} /X Do`,
    `${pick(names)} ${pick(maskNames)} ${pick(moves)} /X Do`,
    `${pick(names)} /X Do ${pick(names)} /X Do`,
    `1 0 0 RG 60 w ${pick(["0 J", "1 J", "2 J", "/Round gs"])} ${pick(lines)}`,
    `/Pattern cs /P scn ${pick([area, area, "q 120 0 0 120 40 40 cm /B Do Q", "/Y Do"])}`,
    `/Pattern CS /P SCN 60 w ${pick(["40 100 m 160 100 l S", "BT 1 Tr /F1 99 Tf 40 40 Td (H) Tj ET"])}`,
    "q 120 0 0 120 40 40 cm /I Do Q",
    "q 120 0 0 120 40 40 cm /I Do Q",
  ]);

const rows = (hasRules: boolean, rule: number): string =>
  deflateSync(
    Buffer.from(
      Array.from({ length: 8 }, (_, at) => [
        ...(hasRules ? [at === 4 ? rule : 0] : []),
        0,
        0,
        0,
        0,
        255,
        255,
        255,
        255,
      ]).flat(),
    ),
  ).toString("latin1");

/** One file, by its seed. */
export const groupsOf = (seed: number): Uint8Array => {
  const random = seededRandom(seed);
  const pick: Pick = (items) => items[Math.floor(random.fraction() * items.length)] as (typeof items)[number];
  const drawn = drawnBy(pick);
  // What is not used would have the file refused all the same.
  const pickFor = (name: string): Pick => (drawn.includes(name) ? pick : (items) => items[0] as (typeof items)[number]);
  const [ofForm, ofMask, ofPattern, ofPicture] = ["/X Do", "/Mask gs", "/P ", "/I Do"].map(pickFor) as [
    Pick,
    Pick,
    Pick,
    Pick,
  ];
  const states =
    "/ExtGState<</Half<</ca .5/CA .5>>/Whole<</ca 1/CA 1>>/Multiply<</BM/Multiply>>/Difference<</BM/Difference>>/Normal<</BM/Normal>>" +
    `/Round<</LC 1>>/None<</SMask/None>>/Mask<</SMask<<${ofMask(masks)}/G ${MASK} 0 R>>>>>>`;
  const objectsNamed = `/XObject<</X ${FORM} 0 R/Y ${INNER} 0 R/B ${BITS} 0 R/I ${PICTURE} 0 R>>/Pattern<</P ${PATTERN} 0 R>>`;
  const within = `${ofForm(names)} ${ofForm(drawn.includes("/Mask gs") ? [""] : maskNames)} 1 0 0 rg ${ofForm(areas)} ${ofForm(names)} 0 1 0 rg 80 80 80 80 re f`;
  const parameter = ofPicture(parameters);
  const [x, y] = ofPattern(drawn.includes("SCN") ? ["20 20"] : cells).split(" ");
  const group = ofForm(groups);
  return pdf({
    pages: [
      {
        entries: `/MediaBox[0 0 200 200]${ofForm(["", "", "/Group<</S/Transparency/CS/DeviceGray>>", "/Group<</S/Transparency/I true/K true>>"])}`,
        content: `0 0 1 rg 0 0 200 200 re f ${drawn}`,
        resources: objectsNamed + states,
      },
    ],
    objects: [
      streamOf(within, `${form}${group && `/Group ${group}`}/Resources<<${states}>>`),
      streamOf(
        `1 g 0 0 100 200 re f`,
        `${form}${ofMask(maskMatrices)}/Group<</S/Transparency${ofMask(maskGroups)}>>/Resources<<>>`,
      ),
      streamOf("q 50 0 0 50 60 60 cm /B Do Q", `${form}/Resources<</XObject<</B ${BITS} 0 R>>>>`),
      streamOf(
        "1 0 0 rg 0 0 10 20 re f",
        `/Type/Pattern/PatternType 1/PaintType 1/TilingType ${ofPattern(tilings)}/BBox[0 0 20 ${ofPattern(["20", "20", "0"])}]/XStep ${x}/YStep ${y}${ofPattern(matrices)}/Resources<<>>`,
      ),
      streamOf("\xf0".repeat(8), "/Type/XObject/Subtype/Image/Width 8/Height 8/ImageMask true"),
      streamOf(
        rows(/Predictor 1/.test(parameter), ofPicture([0, 1, 2, 3, 4, 5, 9])),
        `/Type/XObject/Subtype/Image/Width 8/Height 8/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/FlateDecode/DecodeParms<</Columns ${ofPicture(["8", "8", "8", "7"])}${parameter}>>${ofPicture(beside)}${ofPicture(seenThrough)}`,
      ),
      streamOf(
        "\x01\xff".repeat(32),
        `/Type/XObject/Subtype/Image/Width 8/Height 8/BitsPerComponent 8/ColorSpace${ofPicture(softColors)}`,
      ),
    ],
  });
};

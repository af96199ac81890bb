import { seededRandom } from "@rubrica/runtime/testing";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";

/**
 * Files of the kinds that readers show each in their own way: annotations and layers, made up by chance. Left out: symbols
 * of comments that have no appearance and are drawn by some readers, which stay so.
 */

type Pick = <Item>(items: readonly Item[]) => Item;

const [STATES, LAYERS, FIRST] = [[6, 7], [8, 9], 10] as const;
const paint = (color: string, entries = "/BBox[0 0 40 40]") =>
  streamOf(`${color} rg 0 0 40 40 re f`, `/Type/XObject/Subtype/Form${entries}`);
const quads = "/QuadPoints[100 140 140 140 100 100 140 100]/C[1 0 0]";
const lines = "/C[1 0 0]/IC[1 0 0]/BS<</W 6/S/D/D[1 9]>>/RD[9 9 9 9]/LE[/Square/Circle]";

/** Fields that some readers draw by their value, others by something else. */
const saidTwice: Readonly<Record<string, readonly string[]>> = {
  Tx: [
    "/V(ABC)/RV(<body><p>.</p></body>)",
    "/RV(<body><p>ABC</p></body>)",
    "/DV(ABC)",
    "/V(ABC)/MaxLen 1",
    "/V/ABC",
    "/V(ABC)/Ff 8192",
    "/Parent 12 0 R/V(.)",
  ],
  Ch: [
    "/Ff 131072/V(.)/Opt[[(.)(ABC)]]",
    "/Ff 131072/V(.)/I[1]/Opt[(.)(ABC)]",
    "/Ff 131072/DV(ABC)/Opt[(ABC)]",
    "/TI 1/Opt[(.)(ABC)]",
  ],
  Btn: ["/Ff 65536/MK<</CA(.)/I 6 0 R/TP 3>>", "/Ff 32768/V/On"],
};

/** Each with what readers would draw it by. Left out: file attachments, which MuPDF never prints. */
const subtypes: readonly string[] = [
  "/Subtype/Stamp/Name/Approved",
  "/Subtype/Text/Contents(note)",
  "/Subtype/FreeText/DA(/Helv 30 Tf 1 0 0 rg)/Contents(ABC)",
  `/Subtype/Square${lines}`,
  `/Subtype/Circle${lines}`,
  `/Subtype/Line/L[105 105 135 135]${lines}`,
  `/Subtype/Ink/InkList[[105 105 135 135]]${lines}`,
  `/Subtype/Polygon/Vertices[100 100 140 100 120 140]${lines}`,
  `/Subtype/PolyLine/Vertices[100 100 140 100 120 140]${lines}`,
  ..."FreeText Line Ink Polygon PolyLine Highlight Underline StrikeOut".split(" ").map((name) => `/Subtype/${name}`),
  ...["Highlight", "Underline", "Squiggly", "StrikeOut", "Redact"].map((name) => `/Subtype/${name}${quads}`),
  ...["Caret", "Watermark", "Screen", "Movie", "3D", "Projection", "Odd"].map((name) => `/Subtype/${name}`),
  "/Subtype/Sound/Sound 6 0 R",
  "/Subtype/Popup/Open true/Contents(note)",
  "/Subtype/Link/Border[0 0 20]/C[1 0 0]",
  "/Subtype(Stamp)",
  "",
  ...["Tx", "Btn"].flatMap((type) =>
    ["", "/V(ABC)", "/V/On", "/MK<</BG[1 0 0]/CA(4)>>", "/Ff 65536/MK<</BG[1 0 0]>>"].map(
      (held) => `/Subtype/Widget/T(a)/DA(/Helv 30 Tf 1 0 0 rg)/FT/${type}${held}`,
    ),
  ),
  ...Object.entries(saidTwice).flatMap(([type, all]) =>
    all.map((held) => `/Subtype/Widget/T(a)/DA(/Helv 30 Tf 1 0 0 rg)/FT/${type}${held}`),
  ),
  "/Subtype/FreeText/DA(/Helv 30 Tf 1 0 0 rg)/Contents(.)/RC(<body><p>ABC</p></body>)",
  "/Subtype/Widget/T(a)",
];
const flags: readonly string[] = [
  ..."0 1 2 3 4 5 6 8 12 20 28 32 36 64 68 132 256 260 292 516 1028 32772 4.5 -1 4294967300 null"
    .split(" ")
    .map((value) => `/F ${value}`),
  "",
  "/F 4",
  "/F 4",
  "/F/4",
];
const both = `<</On ${STATES[0]} 0 R/Off ${STATES[1]} 0 R>>`;
const appearances: readonly string[] = [
  `/AP<</N ${STATES[0]} 0 R>>`,
  `/AP<</N ${STATES[0]} 0 R>>`,
  `/AP<</N ${FIRST + 3} 0 R>>`,
  ...["/AS/On", "/AS/Off", "/AS/Other", "/AS(On)", ""].flatMap((state) => [
    `/AP<</N${both}>>${state}`,
    `/AP<</N<</On ${STATES[0]} 0 R>>>>${state}`,
  ]),
];
/** Those of no reader; the last one's box or matrix is not taken by all. */
const none = ["", `/AP ${STATES[0]} 0 R`, `/AP<</D ${STATES[0]} 0 R>>`, "/AP<</N 99 0 R>>", `/AP<</N ${FIRST} 0 R>>`];
/** Of these an appearance is made, or none is needed. */
const needsNone =
  /Widget|FreeText|Stamp|Popup|Link|Watermark|Screen|Movie|3D|Projection|Redact|^$|Square|Circle|Line\/L|Ink\/I|Poly\w+\/V|(?:Highlight|Underline|Squiggly|StrikeOut)\/Q/;
/** Boxes and matrices that not all readers take. */
const boxes = ["", "/BBox[0 0 0 0]", "/BBox[0 0 80 80]", "/BBox[0 0 40 40]/Matrix[0 0 0 0 0 0]"];
const turns = ["", "", "", "/Rotate 90"];
const intents = ["", "", "/Intent/Design", "/Intent/View", "/Intent[/Design]", "/Intent[/View/Design]", "/Intent[]"];
const types = ["/Type/OCG", "/Type/OCG", "/Type/OCG", "", "/Type/Other"];
const configs = [
  "",
  "/BaseState/OFF",
  "/BaseState/OFF/ON[9 0 R]",
  "/OFF[8 0 R]",
  "/OFF[9 0 R]",
  "/ON[8 0 R]/OFF[8 0 R]",
];
const [A, B] = LAYERS.map((number) => `${number} 0 R`) as [string, string];
const members = [A, `[${A}]`, `[${A} ${B}]`, "[]", "null", "[null]", "[99 0 R]", `[<</Type/OCMD/OCGs[${A}]>>]`];
const policies = ["", "", "/P/AllOn", "/P/AnyOn", "/P/AnyOff", "/P/AllOff", "/P/Other"];
const expressions = [
  ...["", "", "", ""],
  ...[`[/Not ${A}]`, `[/And ${A} ${B}]`, `[/Or ${A} ${B}]`, `[/Not[/And ${A} ${B}]]`, "[]", "[/Or]", `[/Other ${A}]`],
];

const layerOf = (pick: Pick): string => {
  const expression = pick(expressions);
  const membership = `<</Type/OCMD/OCGs ${pick(members)}${pick(policies)}${expression && `/VE${expression}`}>>`;
  return pick([A, B, membership, membership, `<</OCGs[${A}]>>`, "<</Type/OCG/Name(c)>>"]);
};

/** One file, by its seed: an annotation, a part of the page that belongs to a layer, or both. */
export const kindOf = (seed: number): Uint8Array => {
  const random = seededRandom(seed);
  const pick: Pick = (items) => items[Math.floor(random.fraction() * items.length)] as (typeof items)[number];
  const [hasLayer, hasAnnotation] = pick([
    [true, false],
    [false, true],
    [false, true],
    [true, true],
  ]);
  const ofLayer = hasAnnotation && pick([true, false, false, false]) ? `/OC ${layerOf(pick)}` : "";
  const subtype = pick(subtypes);
  const form = `/AcroForm<</Fields[]/DR<</Font<</Helv 3 0 R>>>>${pick(["", "", "/NeedAppearances true"])}>>`;
  const appearance = needsNone.test(subtype) && pick([true, false]) ? pick(none) : pick(appearances);
  const annotation = `<</Type/Annot/Rect[100 100 140 140]${subtype}${pick(flags)}${appearance}${ofLayer}>>`;
  const config = `${pick(configs)}${pick(["", "", "", "/Intent/Design", "/Intent/All"])}`;
  const page = `/MediaBox[0 0 200 200]${pick(turns)}${hasAnnotation ? `/Annots[${annotation}]` : ""}`;
  const isMarked = pick([true, false]);
  const layer = layerOf(pick);
  const drawn = hasLayer ? (isMarked ? "/OC /P BDC 0 0 1 rg 20 20 60 60 re f EMC" : "/X Do") : "";
  const resources = `/Properties<</P ${layer}>>/XObject<</X ${FIRST + 1} 0 R>>`;
  return pdf({
    pages: [{ entries: page, content: `0 1 0 rg 0 0 20 20 re f ${drawn}`, resources }],
    catalog: `/OCProperties<</OCGs[${A} ${B}]/D<<${config}>>>>${form}`,
    objects: [
      paint("1 0 0"),
      paint("0 0 1"),
      `<<${pick(types)}/Name(a)${pick(intents)}>>`,
      "<</Type/OCG/Name(b)>>",
      paint("1 0 0", pick(boxes)),
      streamOf("0 0 1 rg 20 20 60 60 re f", `/Type/XObject/Subtype/Form/BBox[0 0 200 200]/OC ${layer}`),
      "<</FT/Tx/T(parent)/V(ABC)>>",
      paint("1 0 0", "/BBox[20 20 30 30]"),
    ],
  });
};

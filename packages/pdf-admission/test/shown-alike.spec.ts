import { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { systemClock } from "@rubrica/runtime";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { type FixtureOptions, firstFurtherObject, pdf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit } from "../src/admit.ts";

const { engine, identity } = await openedEngine();
const next = firstFurtherObject(1);
const appearance = streamOf(
  textAt(0, 0, "seen"),
  "/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<</Font<</F1 3 0 R>>>>",
);
const annotated = (entries: string, subtype = "Stamp", ...objects: string[]): FixtureOptions => ({
  pages: [
    {
      entries: `/MediaBox[0 0 595 842]/Annots[<</Type/Annot/Subtype/${subtype}/Rect[0 0 9 9]${entries}>>]`,
      content: "",
    },
  ],
  objects: [appearance, ...objects],
});
const ofItsSize = streamOf("", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]");
const onTurnedPage = (options: FixtureOptions): FixtureOptions => ({
  ...options,
  pages: options.pages?.map((page) => ({ ...page, entries: `${page.entries}/Rotate 90` })) ?? [],
});
const sized = "/MediaBox[0 0 595 842]";
const seen = `/AP<</N ${next} 0 R>>`;
const layered = (usage: string): FixtureOptions => ({
  catalog: `/OCProperties<</OCGs[${next} 0 R]/D<</OFF[${next} 0 R]${usage}>>>>`,
  objects: [`<</Type/OCG/Name(l)/Usage<</Print<</PrintState/ON>>/View<</ViewState/OFF>>>>>>`],
});
const AUTOMATIC = ["View", "Print", "Export"].map((use) => `<</Event/${use}/OCGs[${next} 0 R]/Category[/${use}]>>`);
const switching = (config: string, usage: string): FixtureOptions => ({
  catalog: `/OCProperties<</OCGs[${next} 0 R]/D<<${config}/AS[${AUTOMATIC.join("")}]>>>>`,
  objects: [`<</Type/OCG/Name(l)/Usage<<${usage}>>>>`],
});
const ALL_ON = "/View<</ViewState/ON>>/Print<</PrintState/ON>>/Export<</ExportState/ON>>";
const switchedOn = switching(`/BaseState ${next + 1} 0 R`, ALL_ON);
/** What belongs to a layer that is off, or to what is made of it. */
const inLayer = (entries: string, membership: string): FixtureOptions => ({
  catalog: `/OCProperties<</OCGs[${next} 0 R ${next + 1} 0 R]/D<</OFF[${next} 0 R]>>>>`,
  objects: [
    `<</Type/OCG/Name(l)${entries}>>`,
    "<</Type/OCG/Name(on)>>",
    streamOf("", `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/OC ${membership}`),
    `<</Properties<</P ${membership}>>>>`,
    "/OCMD",
  ],
});
/** The same where the file does not list the one that is on. */
const unlisted = (layers: string): FixtureOptions => ({
  ...inLayer("", `<</Type/OCMD/OCGs ${layers}>>`),
  catalog: `/OCProperties<</OCGs[${next} 0 R]/D<</OFF[${next} 0 R]>>>>`,
});
const inMembership = (entries: string) => inLayer("", `<</Type/OCMD${entries}>>`);
/** Each refers to the next one many times: read at each place, it would be read 40 to the power of 14 times. */
const sharedExpressions = (): FixtureOptions => {
  const options = inMembership(`/VE ${next + 4} 0 R`);
  const own = Array.from({ length: 14 }, (_, index) => `[/Or ${`${next + 5 + index} 0 R `.repeat(40)}]`);
  return { ...options, objects: [...(options.objects ?? []), ...own, `[/Not ${next} 0 R]`] };
};
const withObject = (object: string): FixtureOptions => ({ objects: [object] });
const state = (entries: string) => withObject(`<</Type/ExtGState${entries}>>`);
const click = (action: string) => annotated(`/A${action}`, "Link");

const stampInLayer: FixtureOptions = {
  ...annotated(`/AP<</N ${next + 2} 0 R>>/F 4/OC ${next} 0 R`),
  catalog: `/OCProperties<</OCGs[${next} 0 R]/D<</OFF[${next} 0 R]>>>>`,
  objects: ["<</Type/OCG/Name(l)>>", "<</Type/OCG/Name(on)>>", appearance],
};
/** An annotation that is seen and printed, as far as its appearance goes. */
const printed = (entries: string, subtype?: string) => annotated(`/F 4${entries}`, subtype);
const layerOff = { catalog: stampInLayer.catalog ?? "", objects: stampInLayer.objects ?? [] };
const fieldsAnew: FixtureOptions = {
  catalog: `/AcroForm<</NeedAppearances true/Fields[${next + 1} 0 R]>>`,
  pages: [{ entries: `/MediaBox[0 0 99 99]/Annots[${next + 1} 0 R]` }],
  objects: [appearance, `<</Type/Annot/Subtype/Widget/Rect[0 0 9 9]/FT/Tx/T(a)/V(held)/F 4/AP<</N ${next} 0 R>>>>`],
};
const boxAnew: FixtureOptions = {
  catalog: "/AcroForm<</NeedAppearances true/Fields[]>>",
  ...printed(`/FT/Btn/T(a)/AP<</N<</On ${next} 0 R>>>>/AS/On`, "Widget"),
};
const fieldOfKindElsewhere: FixtureOptions = {
  pages: [
    {
      entries: `${sized}/Annots[<</Type/Annot/Subtype ${next + 1} 0 R/Rect[0 0 9 9]/FT/Tx/T(a)/F 4/AP<</N ${next} 0 R>>>>]`,
    },
  ],
  objects: [ofItsSize, "/Widget"],
};
const noAppearance = /\/Rect(?!.*\/AP)/;
const states = `/AP<</N<</On ${next} 0 R>>>>`;
const field = (entries: string) => printed(`/FT/Tx/T(a)${entries}`, "Widget");

/** Everything that a file's cross-reference has, as text, without the data of streams. */
const textOf = (bytes: Uint8Array): string => {
  const file = PdfFile.open(bytes);
  const objects = file.references().map(({ objectNumber }) => String(file.uncached(objectNumber)?.object));
  return objects.join("\n").replace(/\s+/g, " ");
};

/** Kind of content, what is refused where it is signed, and what must not be left of it. */
const otherwise: [string, FixtureOptions, RegExp][] = [
  ["an annotation that is printed and not seen", annotated(`${seen}/F 36`), /\/F 36/],
  ["an annotation that a pointer brings to sight", annotated(`${seen}/F 292`), /\/F 292/],
  [
    "a layer that is switched on for printing",
    layered(`/AS[<</Event/Print/OCGs[${next} 0 R]/Category[/Print]>>]`),
    /\/AS|\/Usage/,
  ],
  ["a layer with a state for printing", layered(""), /\/Usage/],
  [
    "a layer with a state for printing, of a type that stands elsewhere",
    {
      ...layered(""),
      objects: [`<</Type ${next + 1} 0 R/Name(l)/Usage<</Print<</PrintState/ON>>/View<</ViewState/OFF>>>>>>`, "/OCG"],
    },
    /\/Usage/,
  ],
  ["a layer that exporting switches off", switching("", "/Export<</ExportState/OFF>>"), /\/AS|\/Usage/],
  ["a layer that is switched on while it is off", switching(`/OFF[${next} 0 R]`, ALL_ON), /\/AS/],
  ["layers that are off, and switched on", switching("/BaseState/OFF", ALL_ON), /\/AS/],
  [
    "layers that are off by a word that stands elsewhere, and switched on",
    { ...switchedOn, objects: [...(switchedOn.objects ?? []), "/OFF"] },
    /\/AS/,
  ],
  [
    "a layer that is off, and printed by what it is used for",
    switching(`/OFF[${next} 0 R]`, "/Print<</PrintState/ON>>"),
    /\/AS|\/Usage/,
  ],
  ["layers that are off by a text", { catalog: "/OCProperties<</OCGs[]/D<</BaseState(OFF)>>>>" }, /BaseState/],
  ["a layer that a language switches", switching("", `${ALL_ON}/Language<</Lang(es)>>`), /\/AS|\/Usage/],
  ["a link that switches layers", click(`<</S/SetOCGState/State[/ON ${next} 0 R]>>`), /SetOCGState/],
  ["a link that shows what is hidden", click("<</S/Hide/T(a)/H false>>"), /\/Hide/],
  ["a link that resets fields", click("<</S/ResetForm>>"), /ResetForm/],
  ["one of these after another action", click("<</S/Named/N/NextPage/Next<</S/Hide/T(a)>>>>"), /\/Hide/],
  [
    "an image with another one for printing",
    withObject(streamOf("", "/Subtype/Image/Alternates[<</DefaultForPrinting true>>]")),
    /Alternates/,
  ],
  ["an image of another system", withObject(streamOf("", "/Subtype/Image/OPI<</2.0<<>>>>")), /OPI/],
  ["a program for printers", withObject(streamOf("", "/Type/XObject/Subtype/PS")), /\/PS/],
  [
    "a form with a program for printers",
    withObject(streamOf("", "/Subtype/Form/BBox[0 0 9 9]/Subtype2/PS")),
    /Subtype2/,
  ],
  ["a form with a number for that", withObject(streamOf("", "/Subtype/Form/BBox[0 0 9 9]/Subtype2 1")), /Subtype2/],
  ["a mark of a print shop", annotated(seen, "PrinterMark"), /\/AP/],
  ["a trap of a print shop", annotated(seen, "TrapNet"), /\/AP/],
  [
    "a watermark that is printed elsewhere",
    annotated(`${seen}/F 4/FixedPrint<</Type/FixedPrint/H 1>>`, "Watermark"),
    /FixedPrint/,
  ],
  [
    "a part of a page that is printed alone",
    { catalog: "/ViewerPreferences<</PrintArea/TrimBox/PrintClip/ArtBox>>" },
    /PrintArea|PrintClip/,
  ],
  [
    "a part of a page that is seen alone",
    { catalog: "/ViewerPreferences<</ViewArea/TrimBox/ViewClip/ArtBox>>" },
    /ViewArea|ViewClip/,
  ],
  [
    "a range of pages that is printed alone",
    { catalog: "/ViewerPreferences<</PrintPageRange[1 1]>>" },
    /PrintPageRange/,
  ],
  ["a transfer function", state("/TR<</FunctionType 2/Domain[0 1]/N 1>>"), /\/TR/],
  ["a transfer function of PDF 1.3", state("/TR2<</FunctionType 2/Domain[0 1]/N 1>>"), /\/TR2/],
  ["a thick line around a link", printed("/Border[0 0 9]", "Link"), /\/Border \[ 0 0 9/],
  ["an appearance that is none", printed("/AP<</N 5>>", "Caret"), /\/F 4/],
  [
    "a list of states that is referred to, beside something else",
    annotated(`/FT/Btn/AS/On/F 4/AP<</N ${next + 1} 0 R/X 1>>`, "Widget", `<</On ${next} 0 R>>`),
    /\/X 1/,
  ],
  ["a note without an appearance that is not seen", annotated("/Contents(note)/F 36", "Text"), /\/F 36/],
  ["a note without an appearance that clicks show", annotated("/Contents(note)/F 260", "Text"), /\/F 260/],
  [
    "a note without an appearance in a layer that is off",
    { ...stampInLayer, ...annotated(`/Contents(note)/F 4/OC ${next} 0 R`, "Text"), ...layerOff },
    /\/OC \d|\/F 4/,
  ],
  [
    "a field to be drawn anew, by its text, that has an appearance too",
    fieldsAnew,
    new RegExp(`/N ${next} 0 R|NeedApp`),
  ],
  ["a field that holds text and has no appearance", field("/V(held)"), noAppearance],
  ["a field without an appearance on some ground", field("/MK<</BG[1 0 0]>>"), noAppearance],
  ["a field that holds rich text alone", field("/RV(<p>held</p>)"), noAppearance],
  ["a field for choices without an appearance", printed("/FT/Ch/T(a)/Opt[(one)(two)]", "Widget"), noAppearance],
  ["a button with a caption and no appearance", printed("/FT/Btn/Ff 65536/MK<</CA(push)>>", "Widget"), noAppearance],
  ["a checked box without an appearance", printed("/FT/Btn/AS/On", "Widget"), noAppearance],
  ["a text without an appearance", printed("/Contents(text)/DA(/Helv 9 Tf)", "FreeText"), noAppearance],
  ["a stamp without an appearance", printed("/Name/Approved"), noAppearance],
  ["a line without an appearance", printed("/L[0 0 9 9]/Cap true/Contents(text)", "Line"), noAppearance],
  ["a symbol as large as its place", printed("/C[1 1 1]", "Caret"), /\/F 4/],
  ["a place to be made black", printed("/C[1 1 1]/BS<</W 90>>", "Redact"), /\/F 4/],
  ["a box that is to be drawn anew", boxAnew, /NeedAppearances/],
  ["a box that is off, in a field that is not", printed(`/FT/Btn/V/On${states}/AS/Off`, "Widget"), /\/F 4/],
  ["a button to be pushed in no state", printed(`/FT/Btn/Ff 65536${states}/AS/Off`, "Widget"), /\/F 4/],
  ["a state that there is not", printed(`${states}/AS/Other`), /\/F 4/],
  ["a state that is no name, hidden", annotated(`${states}/AS(On)/F 2`), /\/AS/],
  ["a state that is no name, of one appearance", printed(`${seen}/AS(On)`), /\/AS/],
  ["the ground of a box that is off", printed(`/FT/Btn${states}/AS/Off/MK<</BG[1 0 0]>>`, "Widget"), /\/BG/],
  ["a box without a state", printed(`/FT/Btn${states}`, "Widget"), /\/On \d+ 0 R >> >> >>/],
  ["a box in a state that there is not", printed(`/FT/Btn${states}/AS/Other`, "Widget"), /\/AS \/Other/],
  ["an appearance of a popup", printed(seen, "Popup"), /\/AP/],
  ["an appearance of a link", printed(seen, "Link"), /\/Link/],
  ["a highlight that one reader draws anew", printed(seen, "Highlight"), /\/Highlight/],
  ["a box with one appearance for all states", printed(`/FT/Btn${seen}`, "Widget"), /\/Widget/],
  ["a text in a state that it does not have", printed(`/FT/Tx${states}/AS/Off`, "Widget"), /\/F 4/],
  ["layers for designers, all on", { catalog: "/OCProperties<</OCGs[]/D<</Intent/Design>>>>" }, /Intent/],
  ["a line that goes nowhere", printed(seen, "Line"), /\/Line/],
  ["an annotation of an unknown kind", printed(seen, "Other"), /\/Other/],
  ["an annotation with the flag of unknown ones", annotated(`${seen}/F 5`), /\/F 5/],
  ["flags beyond all", annotated(`${seen}/F 4294967300`), /4294967300/],
  [
    "an annotation that reaches further than readers count",
    {
      pages: [{ entries: `${sized}/Annots[<</Type/Annot/Subtype/Stamp/Rect[0 0 ${"9".repeat(40)} 9]${seen}/F 4>>]` }],
      objects: [appearance],
    },
    /\/F 4/,
  ],
  [
    "an annotation whose place lacks a side",
    {
      pages: [{ entries: `${sized}/Annots[<</Type/Annot/Subtype/Stamp/Rect[0 0 9]${seen}/F 4>>]` }],
      objects: [appearance],
    },
    /\/F 4/,
  ],
  [
    "an annotation without a place",
    { pages: [{ entries: `${sized}/Annots[<</Type/Annot/Subtype/Stamp${seen}/F 4>>]` }], objects: [appearance] },
    /\/F 4/,
  ],
  ...["[(a)]", "null", "99 0 R", "/a"].map((name): [string, FixtureOptions, RegExp] => [
    `a field's name that is ${name}`,
    {
      pages: [{ entries: `${sized}/Annots[<</Type/Annot/Subtype/Widget/FT/Btn/Rect[0 0 9 9]${seen}/F 4/T ${name}>>]` }],
      objects: [appearance],
    },
    /\/T[ /[]/,
  ]),
  ...["null", "99 0 R", "(a)", "<<>>"].map((layer): [string, FixtureOptions, RegExp] => [
    `a file's layer that is ${layer}`,
    { catalog: `/OCProperties<</OCGs[${layer}]/D<</BaseState/OFF>>>>` },
    /\/OCGs ?\[ *[^ \]]/,
  ]),
  ...["[0]", "[null 99 0 R]"].map((off): [string, FixtureOptions, RegExp] => [
    `${off} for layers that are off`,
    { catalog: `/OCProperties<</OCGs[]/D<</OFF ${off}>>>>` },
    /\/OFF ?\[ *[^ \]]/,
  ]),
  [
    "a map to characters that is none",
    { pages: [{ fonts: "/F2<</Type/Font/Subtype/Type1/BaseFont/Courier/ToUnicode/X>>" }] },
    /ToUnicode/,
  ],
  [
    "a shading's colors by the short name of pictures within content",
    {
      pages: [
        {
          resources:
            "/Shading<</S<</ShadingType 2/ColorSpace/DeviceGray/CS/DeviceCMYK/Coords[0 0 9 9]" +
            "/Function<</FunctionType 2/Domain[0 1]/N 1>>>>>>",
        },
      ],
    },
    /DeviceCMYK/,
  ],
  [
    "the same of what is called the encryption, and encrypts nothing",
    { trailer: `/Encrypt ${next} 0 R`, objects: ["[<</Type/ExtGState/TR<</FunctionType 2/Domain[0 1]/N 1>>>>]"] },
    /\/TR /,
  ],
  [
    "a shading of two patterns, of which pdf.js heeds one matrix",
    {
      pages: [
        {
          resources: `/Pattern<</P<</PatternType 2/Shading ${next} 0 R>>/Q<</PatternType 2/Shading ${next} 0 R/Matrix[1 0 0 1 9 9]>>>>`,
        },
      ],
      objects: ["<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 9 9]/Function<</FunctionType 2/Domain[0 1]/N 1>>>>"],
    },
    /\/Shading (\d+) 0 R.*\/Shading \1 0 R/,
  ],
  ["a length of what is no stream", { pages: [{ resources: "/ExtGState<</G<</Length 7777>>>>" }] }, /7777/],
  [
    "a pattern of a shading that says a length",
    {
      pages: [
        {
          resources:
            "/Pattern<</P<</PatternType 2/Length 7777/Shading<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 9 9]" +
            "/Function<</FunctionType 2/Domain[0 1]/N 1>>>>>>>>",
        },
      ],
    },
    /7777/,
  ],
  [
    "what is no layer among those that are off",
    {
      catalog: `/OCProperties<</OCGs[${next} 0 R]/D<</OFF[${next + 1} 0 R]>>>>`,
      objects: ["<</Type/OCG/Name(a)>>", "<<>>"],
    },
    /\/OFF ?\[ *[^ \]]/,
  ],
  [
    "what other layers are made of, of a type that stands elsewhere",
    inLayer("", `<</Type ${next + 4} 0 R/OCGs ${next} 0 R/P/AllOff>>`),
    /AllOff/,
  ],
  ["what other layers are made of, of no type", inLayer("", `<</OCGs ${next} 0 R>>`), /\/OC <<|\/P <</],
  [
    "the text of a list of codes",
    {
      pages: [
        { fonts: "/F2<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding<</BaseEncoding(MacExpertEncoding)>>>>" },
      ],
    },
    /MacExpert/,
  ],
  ["a field's kind that stands elsewhere", fieldOfKindElsewhere, /\/Subtype \d/],
  ["wide lines of a state", { pages: [{ resources: "/ExtGState<</G<</LW 99999999>>>>" }] }, /\/LW/],
  ["an annotation in a layer", stampInLayer, /\/OC \d|\/F 4/],
  ["a layer that is none", inLayer("", "5"), /OC 5/],
  ["a layer that is not there", inLayer("", "99 0 R"), /OC 99/],
  ["a layer for designers", inLayer("/Intent/Design", `${next} 0 R`), /Intent/],
  ["a layer for designers that says a length", inLayer("/Intent/Design/Length 0", `${next} 0 R`), /Intent/],
  ["layers for designers", { catalog: "/OCProperties<</OCGs[]/D<</OFF[]/Intent/Design>>>>" }, /Intent/],
  ["a part of no layers", inMembership("/OCGs[]"), /OCMD/],
  ["a part of layers that there are not", inMembership("/OCGs[99 0 R]"), /OCMD/],
  ["a part of layers that are not listed", unlisted(`[${next + 1} 0 R ${next} 0 R]`), /OCMD/],
  ["a part of all layers", inMembership(`/OCGs[${next} 0 R ${next + 1} 0 R]/P/AllOn`), /OCMD/],
  ["a part of what is off", inMembership(`/OCGs ${next} 0 R/P/AnyOff`), /OCMD/],
  ["an expression of layers", inMembership(`/VE[/And[/Not ${next} 0 R]${next + 1} 0 R]`), /OCMD/],
  ["an expression of shared parts", sharedExpressions(), /OCMD/],
  ["a part of a part of layers", inMembership(`/OCGs[<</Type/OCMD/OCGs[${next} 0 R]>>]`), /OCMD/],
  ["a halftone", state("/HT<</HalftoneType 1>>"), /\/HT/],
  ["a crop beyond the page", { pages: [{ entries: "/MediaBox[0 0 99 99]/CropBox[99 0 200 99]" }] }, /CropBox/],
  ["a crop that is none", { pages: [{ entries: "/MediaBox[0 0 99 99]/CropBox[0 0 9]" }] }, /CropBox/],
  ["a unit of nothing", { pages: [{ entries: "/MediaBox[0 0 99 99]/UserUnit 0" }] }, /UserUnit/],
  ["a note of another size than its appearance", annotated(`${seen}/F 4`, "Text"), /\/Subtype \/Text/],
  [
    "a list of states that is referred to",
    annotated(`/FT/Btn/AS/On/F 4/AP<</N ${next + 1} 0 R>>`, "Widget", `<</On ${next} 0 R>>`),
    /\/N \d+ 0 R/,
  ],
  ["a note on a turned page", onTurnedPage(annotated(`/AP<</N ${next + 1} 0 R>>/F 4`, "Text", ofItsSize)), /\/Text/],
  ["an annotation that stays upright on a turned page", onTurnedPage(annotated(`${seen}/F 20`)), /\/F 20/],
];

/** A field's appearance: a ground, a line around it, and no text. */
const plainly = (content: string) =>
  streamOf(content, `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X ${next} 0 R>>>>`);
const plain = plainly("q 1 g 0 0 9 9 re f 0 G 0 0 9 9 re S Q /Tx BMC EMC");
const drawnPlainly = `/F 4/MK<</BG[1]/BC[0]>>/AP<</N ${next + 1} 0 R>>`;

/** What a signed file may have, too. */
const momentary: [string, FixtureOptions, RegExp][] = [
  ["appearances for a pointer", annotated(`/AP<</N ${next} 0 R/R ${next} 0 R/D ${next} 0 R>>/F 4`), /\/[RD] \d+ 0 R/],
  ["an annotation that is not printed", annotated(`${seen}/F 0`), /\/F 0/],
  [
    "an annotation that is not zoomed",
    annotated(`/AP<</N ${next + 1} 0 R>>/F 12`, "Stamp", streamOf("", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]")),
    /\/F 12/,
  ],
  ["an annotation without flags", annotated(seen), /\/Rect \[ 0 0 9 9 \] \/AP << \/N \d+ 0 R >> >>/],
  ["a field that holds a text", annotated(`/FT/Tx/T(a)/V(held)${drawnPlainly}`, "Widget", plain), /\/Widget/],
  [
    "a field whose parent holds a text",
    annotated(`/Parent ${next + 2} 0 R${drawnPlainly}`, "Widget", plain, "<</FT/Tx/T(a)/V(held)>>"),
    /\/Widget/,
  ],
  ["a field that holds a name", annotated(`/FT/Tx/T(a)/V/held${drawnPlainly}`, "Widget", plain), /\/Widget/],
  [
    "a field that holds a stream",
    annotated(`/FT/Tx/T(a)/V ${next + 2} 0 R${drawnPlainly}`, "Widget", plain, streamOf("held")),
    /\/Widget/,
  ],
  ["a choice that is made", annotated(`/FT/Ch/T(a)/V[(held)]${drawnPlainly}`, "Widget", plain), /\/Widget/],
  ["an empty field that shows a text", annotated(`/FT/Tx/T(a)/F 4${seen}`, "Widget"), /\/Widget/],
  ...["5 5 m 1 2 3 4 5 6 c S", "/X Do", "1 1 2 2 re ".repeat(7), "BI /W 1 /H 1 /IM true ID 0 EI"].map(
    (drawn): [string, FixtureOptions, RegExp] => [
      `an empty field that shows ${drawn.slice(0, 14)}`,
      annotated(`/FT/Tx/T(a)${drawnPlainly}`, "Widget", plainly(`${drawn} f`)),
      /\/Widget/,
    ],
  ),
];

describe("what is seen otherwise on paper, after a click, or by a setting", () => {
  // A seal makes a list of them.
  test("annotations of a node of pages, which one reader has the pages inherit, are taken out", async () => {
    const given = Buffer.from(pdf()).toString("latin1").replace("/Count 1", "/Count 1/Annots[]");
    const start = given.indexOf("\nxref\n") + 1;
    const { bytes } = await admit(Buffer.from(given.replace(/startxref\n\d+/, `startxref\n${start}`), "latin1"));
    expect(Buffer.from(bytes ?? "").toString("latin1")).toMatch(/^(?=[\s\S]*\/Kids)(?![\s\S]*\/Annots)/);
  });

  test.each(["<</A 1>>", "7"])("annotations that are no list are taken out (%s)", async (annotations) => {
    const found = await admit(pdf({ pages: [{ entries: `/MediaBox[0 0 99 99]/Annots ${annotations}` }] }));
    expect(found.disarmed).toContain("shown_otherwise");
    expect(textOf(found.bytes ?? Buffer.from("/Annots"))).not.toMatch(/Annots/);
  });

  test.each(otherwise)("%s is taken out, and refused where it is signed", async (_name, options, left) => {
    const found = await admit(pdf(options));
    expect(found.disarmed).toContain("shown_otherwise");
    expect(textOf(found.bytes ?? pdf(options))).not.toMatch(left);
    expect((await admit(found.bytes ?? pdf(options))).bytes).toBeNull();
    const { bytes } = await engine.seal(pdf(options), { identity, sealedAt: systemClock.now() });
    await expect(admit(bytes)).rejects.toMatchObject({ reason: "shown_otherwise" });
  });

  test.each(momentary)("%s: made the same, and named where it is signed", async (_name, options, left) => {
    const found = await admit(pdf(options));
    expect(found.disarmed).toEqual(["momentary"]);
    expect(textOf(found.bytes ?? pdf(options))).not.toMatch(left);
    const { bytes } = await engine.seal(pdf(options), { identity, sealedAt: systemClock.now() });
    expect((await admit(bytes)).active).toEqual(["momentary"]);
  });

  test("a note as large as its appearance, and an annotation that stays upright on a page that is not turned, stay", async () => {
    for (const options of [annotated(`/AP<</N ${next + 1} 0 R>>/F 20`, "Text", ofItsSize), annotated(`${seen}/F 20`)])
      expect((await admit(pdf(options))).bytes).toBeNull();
  });

  test.each(["0 0 0 842", "0 0 1000000 842"])("a page of %s is refused: some readers draw none of it", async (box) => {
    const given = pdf({ pages: [{ entries: `/MediaBox[${box}]` }] });
    await expect(admit(given)).rejects.toMatchObject({ reason: "shown_otherwise" });
  });

  test("an annotation that is only printed is hidden, and one that is only seen is printed", async () => {
    const [printed, shown] = [await admit(pdf(annotated(`${seen}/F 36`))), await admit(pdf(annotated(`${seen}/F 0`)))];
    expect(textOf(printed.bytes ?? new Uint8Array())).toContain("/F 2 ");
    expect(textOf(shown.bytes ?? new Uint8Array())).toContain("/F 4 ");
  });
});

/** A page in a file with a layer that is off, with a form and a glyph of their own contents. */
const withContents = (content: string, form = "", glyph = ""): FixtureOptions => ({
  catalog: `/OCProperties<</OCGs[${next} 0 R]/D<</OFF[${next} 0 R]>>>>/Glyphs ${next + 3} 0 R`,
  pages: [{ content, resources: `/Properties<</P ${next} 0 R>>/XObject<</X ${next + 1} 0 R>>` }],
  objects: [
    "<</Type/OCG/Name(l)>>",
    streamOf(form, "/Type/XObject/Subtype/Form/BBox[0 0 9 9]"),
    streamOf(glyph),
    `<</Type/Font/Subtype/Type3/FontMatrix[.001 0 0 .001 0 0]/FirstChar 97/LastChar 97/Widths[9]/Encoding<</Differences[97/a]>>/CharProcs<</a ${next + 2} 0 R>>>>`,
  ],
});

test.each<[string, FixtureOptions]>([
  ["writes a layer itself", withContents("/OC <</Type/OCMD/P/AllOff>> BDC 0 0 9 9 re f EMC")],
  ["writes one by another spelling", withContents("/#4fC <</Type/OCMD/VE[/Not/P]>> BDC 0 0 9 9 re f EMC")],
  ["has a form that begins one for what follows it", withContents("/X Do 0 0 9 9 re f", "/OC /P BDC")],
  ["has a form that ends one for what follows it", withContents("/OC /P BDC /X Do 0 0 9 9 re f EMC", "EMC")],
  ["has a form that lacks one of its page's", withContents("/X Do", "/OC /P BDC 0 0 9 9 re f EMC")],
])("a page that %s, where a layer is off, is refused, signed or not", async (_name, options) => {
  await expect(admit(pdf(options))).rejects.toMatchObject({ reason: "shown_otherwise" });
  const { bytes } = await engine.seal(pdf(options), { identity, sealedAt: systemClock.now() });
  await expect(admit(bytes)).rejects.toMatchObject({ reason: "shown_otherwise" });
  expect((await admit(pdf({ ...options, catalog: "" }))).bytes).toBeNull();
});

test("a glyph of a layer that its font lacks is refused, whatever layers there are: pdf.js does not draw it", async () => {
  const options = withContents("", "", "9 0 d0 /OC /P BDC 0 0 9 9 re f EMC");
  for (const given of [options, { ...options, catalog: `/Glyphs ${next + 3} 0 R` }])
    await expect(admit(pdf(given))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test("a part that layers hide, in a file without one that is off for all, is refused, signed or not", async () => {
  const membership = `<</Type/OCMD/OCGs[${next} 0 R]/P/AllOff>>`;
  const options = {
    ...inLayer("", membership),
    catalog: `/OCProperties<</OCGs[${next} 0 R]/D<<>>>>`,
    pages: [{ resources: `/XObject<</X ${next + 2} 0 R>>` }],
  };
  await expect(admit(pdf(options))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

describe("what is seen alike, or by nobody, stays", () => {
  test.each<[string, FixtureOptions]>([
    ["an annotation that is seen and printed", annotated(`${seen}/F 4`)],
    ["an annotation that is hidden", annotated(`${seen}/F 2`)],
    ["a link without an appearance", annotated("/A<</S/URI/URI(https://rubrica.example)>>", "Link")],
    ["a note without an appearance", annotated("/Contents(note)/F 4", "Text")],
    ["a popup without an appearance", annotated("/Contents(note)", "Popup")],
    ["a field that holds nothing", annotated("/FT/Tx/T(a)/F 4", "Widget")],
    ["a field that holds an empty text", annotated("/FT/Tx/T(a)/V()/F 4", "Widget")],
    ["a field that holds nothing, with a ground", annotated(`/FT/Tx/T(a)${drawnPlainly}`, "Widget", plain)],
    ["a field for choices that holds nothing", annotated(`/FT/Ch/T(a)/V[]${drawnPlainly}`, "Widget", plain)],
    ["a place for a signature", annotated("/FT/Sig/T(a)/F 4", "Widget")],
    ["a link with a line around it", annotated("/Border[0 0 1]/C[1 0 0]", "Link")],
    ["a box that is off", annotated(`/FT/Btn/AP<</N<</On ${next + 1} 0 R>>>>/AS/Off/F 4`, "Widget", ofItsSize)],
    ["a part of a layer that is off", inLayer("", `${next} 0 R`)],
    [
      "parts of a page that is marked well",
      withContents("/OC /P BDC /Span <</Lang(es)>> BDC EMC /X Do EMC", "/A BMC EMC"),
    ],
    ["a part of one layer that is not listed", unlisted(`${next + 1} 0 R`)],
    ["a part of some layers", inLayer("", `<</Type/OCMD/OCGs[${next} 0 R]/P/AnyOn>>`)],
    [
      "a layer that is off",
      {
        catalog: `/OCProperties<</OCGs[${next} 0 R]/D<</OFF[${next} 0 R]/AS[]>>>>`,
        objects: ["<</Type/OCG/Name(l)>>"],
      },
    ],
    ["a layer that everything switches on", switching(`/ON[${next} 0 R]`, `${ALL_ON}/PageElement<</Subtype/FG>>`)],
    ["a soft mask with a function", state("/SMask<</S/Luminosity/TR<</FunctionType 2/Domain[0 1]/N 1/C0[1]/C1[0]>>>>")],
    ["colors as they are", state("/TR/Identity/TR2/Default/HT/Default")],
    ["a structure with such words", { catalog: "/StructTreeRoot<</K<</Type/StructElem/S/Hide>>>>" }],
    ["ranges and destinations", { catalog: "/Dests<</D[4 0 R/Fit]>>/Names<</N[(a)]/R[0 1]>>" }],
  ])("%s", async (_name, options) => {
    expect(await admit(pdf(options))).toMatchObject({ bytes: null, active: [], disarmed: [] });
  });
});

test.each([
  [
    "a pattern",
    "/PatternType 2/Shading<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 9 9]/Function<</FunctionType 2/Domain[0 1]/N 1>>>>",
  ],
  ["a shading", "/ShadingType 2/ColorSpace<</DefaultGray[/Indexed/DeviceRGB 0<ff0000>]>>"],
])("resources that say they are %s are refused: they would be judged as one", async (_, resources) => {
  await expect(admit(pdf({ pages: [{ resources }] }))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test("a script whose kind stands elsewhere is taken out as a script", async () => {
  const given = pdf({ catalog: `/Odd<</S ${next} 0 R/JS(app.alert)>>`, objects: ["/JavaScript"] });
  const { bytes, disarmed } = await admit(given);
  expect(disarmed).toContain("javascript");
  expect(textOf(bytes ?? given)).not.toMatch(/app\.alert/);
});

test("a soft mask's function that readers reckon each in their own way is written in straight pieces", async () => {
  const mask = `<</S/Alpha/G ${firstFurtherObject(1)} 0 R/TR<</FunctionType 2/Domain[0 1]/N 1/C1[5]>>>>`;
  const group = streamOf("", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Group<</S/Transparency/CS/DeviceGray>>");
  const found = await admit(pdf({ pages: [{ resources: `/ExtGState<</G<</SMask${mask}>>>>` }], objects: [group] }));
  expect(found.disarmed).toEqual(["shown_otherwise"]);
  expect(Buffer.from(found.bytes ?? []).toString("latin1")).toMatch(/\/TR\s*<<\s*\/FunctionType 3/);
});

test("a group's space becomes one that all readers take", async () => {
  const withGroup = (space: string, entries = "") =>
    pdf({ pages: [{ entries: `${sized} /Group<</S/Transparency/CS${space}>>${entries}` }], objects: ["/Page"] });
  const ofLength = Buffer.from(withGroup("/DeviceCMYK", "/Length 0")).toString("latin1");
  // What it is may stand elsewhere.
  const ofTypeElsewhere = ofLength.replace(/\/Type\/Page(\/.*?) /, "/Type 6 0 R$1");
  expect(ofTypeElsewhere).toContain("/Type 6 0 R/Parent");
  for (const given of [ofLength, ofTypeElsewhere]) {
    const { bytes } = await admit(Buffer.from(given, "latin1"));
    expect(bytes && Buffer.from(bytes).includes("/CS")).toBe(false);
  }
  expect((await admit(withGroup("/DeviceRGB"))).bytes).toBeNull();
  for (const space of ["/DeviceCMYK", "[/Indexed/DeviceGray 0<ff>]"]) {
    const { bytes } = await admit(withGroup(space));
    expect([space, bytes && Buffer.from(bytes).includes("/CS")]).toEqual([space, false]);
  }
});

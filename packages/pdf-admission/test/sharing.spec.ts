import { deflateSync } from "node:zlib";
import { TooComplex } from "@rubrica/pdf-reading/faults";
import { leastThreadSeconds } from "@rubrica/test-kit";
import { type FixtureOptions, firstFurtherObject, pdf } from "@rubrica/test-kit/pdf/fixtures";
import { cff, sfnt } from "@rubrica/test-kit/pdf/font-programs";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test } from "vitest";
import { admit } from "../src/admit.ts";
import { cffGlyphs } from "../src/fonts/cff.ts";

/** Small files of which many parts share a large one: what they cost is bounded, or it is looked through once. */

const many = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join("");
const expectBelow = async (seconds: number, work: () => Promise<unknown>): Promise<void> =>
  expect(await leastThreadSeconds(seconds, work)).toBeLessThan(seconds);
const inflating = (data: Buffer, entries = ""): string =>
  streamOf(deflateSync(data).toString("latin1"), `${entries}/Filter/FlateDecode`);
/** Fonts that are named in no page: each object is looked through. */
const fonts = (count: number, entries: string): string => `[${many(count, () => `<</Type/Font${entries}>>`)}]`;
const picture = streamOf(
  "x",
  "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace[/Indexed/DeviceRGB 255 6 0 R]",
);

test.each<[string, string[]]>([
  [
    "lists of drawn glyphs",
    [
      `[65 ${many(20_000, () => "/a")}]`,
      "<</a 8 0 R>>",
      streamOf("1000 0 0 0 800 800 d1 0 0 800 800 re f"),
      fonts(
        100,
        "/Subtype/Type3/FontMatrix[.001 0 0 .001 0 0]/Encoding<</Differences 6 0 R>>/CharProcs 7 0 R/FirstChar 65/LastChar 65/Widths[9]",
      ),
    ],
  ],
  [
    "names",
    [
      `[65 ${many(20_000, (index) => `/n${index}`)}]`,
      fonts(100, "/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences 6 0 R>>"),
    ],
  ],
  [
    "widths",
    [
      `[${many(20_000, () => "9 ")}]`,
      fonts(100, "/Subtype/Type1/BaseFont/Helvetica/FirstChar 0/LastChar 255/Widths 6 0 R"),
    ],
  ],
  [
    "widths of characters",
    [`[${many(20_000, (index) => `${index} ${index} 9 `)}]`, fonts(100, "/Subtype/CIDFontType2/BaseFont/A/W 6 0 R")],
  ],
  [
    "dashes",
    [`[[${many(20_000, () => "1 ")}] 0]`, `[<</ExtGState<<${many(100, (index) => `/G${index}<</D 6 0 R>>`)}>>>>]`],
  ],
  ["tables of pictures", [inflating(Buffer.alloc(1_000_000)), ...Array.from({ length: 300 }, () => picture)]],
  [
    "samples",
    [
      inflating(Buffer.alloc(2_000_000), "/FunctionType 0/Size[2000000]/BitsPerSample 8/Domain[0 1]/Range[0 1]"),
      `[<</ColorSpace<<${many(300, (index) => `/C${index}[/Separation/X/DeviceGray 6 0 R]`)}>>>>]`,
    ],
  ],
])("a file of which many parts share large %s is too complex", async (_, objects) => {
  await expect(admit(pdf({ objects }))).rejects.toBeInstanceOf(TooComplex);
});

const map = `1 begincodespacerange <0000> <ffff> endcodespacerange 1 begincidrange <0000> <ffff> 0 endcidrange${" ".repeat(2_000_000)}`;

const descendant = "<</CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 0>>>>";

test.each<[string, string[]]>([
  [
    "maps of codes",
    [inflating(Buffer.from(map)), fonts(300, `/Subtype/Type0/Encoding 6 0 R/DescendantFonts[${descendant}]`)],
  ],
  [
    "lists of glyphs",
    [
      inflating(Buffer.alloc(2_000_000)),
      streamOf(sfnt({ maps: [[3, 1, { 49: 1 }]] }).toString("latin1")),
      fonts(300, "/Subtype/CIDFontType2/CIDToGIDMap 6 0 R/FontDescriptor<</FontFile2 7 0 R>>"),
    ],
  ],
])("%s that many fonts share are looked through once", async (_, objects) => {
  expect((await admit(pdf({ objects }))).bytes).toBeNull();
});

test("pages that share states that are settled share them after that", async () => {
  const states = `<<${many(500, (index) => `/G${index}<</ca -1>>`)}>>`;
  const pages = Array.from({ length: 100 }, () => ({ resources: "/ExtGState 204 0 R" }));
  const options: FixtureOptions = { pages, objects: [states] };
  const given = pdf(options);
  const { bytes } = await admit(given);
  expect(bytes?.length).toBeLessThan(2 * given.length);
});

test("a content that many pages share, each with resources of its own, is bounded as that of as many contents", async () => {
  const shared = `${firstFurtherObject(20)} 0 R`;
  const entries = `/MediaBox[0 0 99 99]/Contents ${shared}`;
  const options = {
    pages: Array.from({ length: 20 }, () => ({ entries })),
    objects: [inflating(Buffer.alloc(2_000_000, "q Q "))],
  };
  const given = Buffer.from(pdf(options))
    .toString("latin1")
    .replace(/\/Contents (?!44 )/g, "/Ignored_ ");
  await expect(admit(Buffer.from(given, "latin1"))).rejects.toBeInstanceOf(TooComplex);
});

test("what many forms find by the same names in many pages is gone through once", async () => {
  const [pages, forms, names] = [6_000, 600, 150];
  const first = firstFurtherObject(pages);
  const listed = `<<${many(names, (index) => `/X${index} ${first + 1} 0 R`)}${many(forms, (index) => `/F${index} ${first + 2 + index} 0 R`)}>>`;
  const form = "/Type/XObject/Subtype/Form/BBox[0 0 9 9]";
  const drawing = streamOf(
    many(names, (index) => `/X${index} Do `),
    form,
  );
  const bytes = pdf({
    pages: Array.from({ length: pages }, (_, page) => ({
      content: page === 0 ? `9 Ts ${many(forms, (index) => `/F${index} Do `)}` : "",
      resources: `/XObject ${first} 0 R`,
    })),
    objects: [
      listed,
      streamOf("0 0 9 9 re f", `${form}/Resources<<>>`),
      ...Array.from({ length: forms }, () => drawing),
    ],
  });
  // 1 s; gone through for each page it is 35 s.
  await expectBelow(15, async () => expect((await admit(bytes)).bytes).toBeNull());
});

test("what many forms find by many names, another thing in each page, is bounded", async () => {
  const [pages, forms, names] = [1_000, 400, 50];
  const first = firstFurtherObject(pages);
  const form = "/Type/XObject/Subtype/Form/BBox[0 0 9 9]";
  const drawing = streamOf(
    many(names, (index) => `/X${index} Do `),
    form,
  );
  const bytes = pdf({
    pages: Array.from({ length: pages }, (_, page) => {
      const own = many(names, (index) => `/X${index} ${first + page} 0 R`);
      const shared = many(forms, (index) => `/F${index} ${first + pages + index} 0 R`);
      const content = page === 0 ? many(forms, (index) => `/F${index} Do `) : "";
      return { content, resources: `/XObject<<${own}${page === 0 ? shared : ""}>>` };
    }),
    objects: [
      ...Array.from({ length: pages }, () => streamOf("0 0 9 9 re f", `${form}/Resources<<>>`)),
      ...Array.from({ length: forms }, () => drawing),
    ],
  });
  await expect(admit(bytes)).rejects.toBeInstanceOf(TooComplex);
});

test.each([
  ["forms", 5_000, "/Type/XObject/Subtype/Form/BBox[0 0 9 9]", ""],
  ["forms that begin it otherwise", 5_000, "/Type/XObject/Subtype/Form/BBox[0 0 9 9]", "9 w "],
])("a font of many glyphs in which many %s show text is gone through once", async (_, forms, form, before) => {
  const glyphs = many(40_000, (index) => `/g${index} 7 0 R`);
  const font =
    "<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/FirstChar 97/LastChar 97/Widths[1]" +
    `/Encoding<</Differences[97/g0]>>/CharProcs<<${glyphs}>>/Resources<<>>>>`;
  const showing = streamOf(`${before}BT /T 9 Tf (a) Tj ET`, `${form}/Resources 8 0 R`);
  const bytes = pdf({
    objects: [
      font,
      streamOf("1 0 0 0 1 1 d1 0 0 1 1 re f"),
      "<</Font<</T 6 0 R>>>>",
      ...Array.from({ length: forms }, () => showing),
    ],
  });
  // Less than 1 s; gone through for each form it is 10 s.
  await expectBelow(5, async () => expect((await admit(bytes)).bytes).toBeNull());
});

test("a page of thousands of parts, each changed in many places, is gone through once", async () => {
  const secondsOf = async (count: number): Promise<number> => {
    const parts = many(count, () => "6 0 R ");
    const [entries, resources] = [`/MediaBox[0 0 99 99]/Contents[${parts}]`, "/ExtGState<</Half<</ca .5/CA .5>>>>"];
    const drawing = streamOf(`/Half gs ${many(50, () => "1 1 9 9 re B ")}`);
    const bytes = Buffer.from(pdf({ pages: [{ entries, resources }], objects: [drawing] })).toString("latin1");
    const file = Buffer.from(bytes.replace("/Contents 5 0 R", " ".repeat(15)), "latin1");
    const admitted = async () => expect((await admit(file)).disarmed).toEqual(["shown_otherwise"]);
    return leastThreadSeconds(Number.POSITIVE_INFINITY, admitted);
  };
  const few = await secondsOf(1_000);
  // Eight times as many take some eight times as long; where all changes are looked at for each part it is thirty.
  expect((await secondsOf(8_000)) / few).toBeLessThan(16);
});

test("the letters of many accented glyphs, which stand behind all of these, are looked for once", async () => {
  const accented = Buffer.from([139, 139, 204, 247, 85, 14]);
  const count = 40_000;
  const names = [...Array.from({ length: count }, (_, index) => 391 + index), 34, 124];
  const further = Array.from({ length: count }, () => accented);
  const strings = Array.from({ length: count }, (_, index) => `n${index}`);
  const program = cff(names, { further, strings });
  // Less than 0.2 s; some 2 s where names are gone through for each.
  await expectBelow(1, async () => expect(cffGlyphs(program)?.names.size).toBe(count + 2));
});

test("a long list of dashes that is set again and again is looked at once", async () => {
  const resources = `/ExtGState<</Long<</D[[${many(12_000, () => "1 ")}] 0]>>>>`;
  const file = pdf({ pages: [{ content: many(12_000, () => "/Long gs "), resources }] });
  // Less than 1 s; 12 s where it is looked at each time.
  await expectBelow(4, () => expect(admit(file)).rejects.toMatchObject({ reason: "shown_otherwise" }));
});

import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const ramp = "<</FunctionType 2/Domain[0 1]/N 1/C0[1 1 1]/C1[0 0 0]>>";
const area = "/FunctionType 4/Domain[0 200 0 200]/Range[0 1 0 1 0 1]";
const withShading = (shading: string, further = ramp) =>
  pdf({ pages: [{ resources: `/Shading<</S<<${shading}>>>>` }], objects: [further] });
const withPattern = (shading: string, further = ramp) =>
  pdf({ pages: [{ resources: `/Pattern<</P<</PatternType 2/Shading<<${shading}>>>>>>` }], objects: [further] });
const withMesh = (data: string, entries: string) =>
  pdf({
    pages: [{ resources: "/Shading<</S 6 0 R>>" }],
    objects: [
      streamOf(
        data,
        `/ColorSpace/DeviceGray/BitsPerCoordinate 8/BitsPerComponent 8${entries.includes("/Decode") ? "" : "/Decode[0 9 0 9 0 1]"}${entries}`,
      ),
    ],
  });
const axial = (entries: string) => `/ShadingType 2/ColorSpace/DeviceRGB/Function 6 0 R${entries}`;
const radial = (coords: string) => `/ShadingType 3/ColorSpace/DeviceRGB/Function 6 0 R/Coords[${coords}]`;
const ofArea = "/ShadingType 1/ColorSpace/DeviceRGB/Domain[0 200 0 200]/Function 6 0 R";
const refused = { reason: "shown_otherwise" };

describe("shadings that readers draw each in their own way", () => {
  test("what is behind one that is none's pattern goes", async () => {
    const { bytes } = await admit(withShading(axial("/Coords[0 0 9 0]/Background[1 0 0]")));
    expect(Buffer.from(bytes ?? []).toString("latin1")).not.toContain("/Background");
    expect((await admit(bytes ?? new Uint8Array())).bytes).toBeNull();
    expect((await admit(withPattern(axial("/Coords[0 0 9 0]/Background[1 0 0]")))).bytes).toBeNull();
  });

  test("what cuts off a pattern's goes", async () => {
    const { bytes } = await admit(withPattern(axial("/Coords[0 0 9 0]/BBox[0 0 9 9]")));
    expect(Buffer.from(bytes ?? []).toString("latin1")).not.toMatch(/Shading[^>]*\/BBox/);
    expect((await admit(withShading(axial("/Coords[0 0 9 0]/BBox[0 0 9 9]")))).bytes).toBeNull();
  });

  test("ends by references are refused, which PDFium does not follow", async () => {
    const shading = `/ShadingType 2/ColorSpace/DeviceRGB/Coords[0 0 9 0]/Function${ramp.replaceAll("1 1 1", "1 0 1")}`;
    const ending = (extend: string) => withShading(`${shading}/Extend[${extend}]`, "true");
    await expect(admit(ending("true 6 0 R"))).rejects.toMatchObject(refused);
    expect((await admit(ending("true true"))).bytes).toBeNull();
  });

  test("its space and its function are settled", async () => {
    const profile =
      "/ShadingType 2/ColorSpace[/CalRGB<<>>]/Coords[0 0 9 0]/Function<</FunctionType 2/Domain[0 1]/N 1/C0[0 0 0]/C1[9 9 9]>>";
    const text = Buffer.from((await admit(withShading(profile))).bytes ?? []).toString("latin1");
    expect(text).toContain("/ColorSpace /DeviceRGB");
    expect(text).toContain("/FunctionType 3");
  });

  test.each([
    ["an axis without a length", axial("/Coords[9 0 9 0]")],
    ["an axis of three numbers", axial("/Coords[0 0 9]")],
    ["a domain that goes back", axial("/Coords[0 0 9 0]/Domain[1 0]")],
    ["ends that are no truths", axial("/Coords[0 0 9 0]/Extend[1 1]")],
    ["no function", "/ShadingType 2/ColorSpace/DeviceRGB/Coords[0 0 9 0]"],
    ["fewer functions than colors", "/ShadingType 2/ColorSpace/DeviceRGB/Coords[0 0 9 0]/Function[6 0 R]"],
    ["numbers of a table", "/ShadingType 2/ColorSpace[/Indexed/DeviceGray 0<ff>]/Coords[0 0 9 0]/Function 6 0 R"],
    ["a pattern's space", "/ShadingType 2/ColorSpace/Pattern/Coords[0 0 9 0]/Function 6 0 R"],
    ["a circle smaller than nothing", radial("0 0 -9 0 0 9")],
    ["circles of one size", radial("0 0 9 50 0 9")],
    ["circles that touch and go on", `${radial("0 0 9 9 0 0")}/Extend[true true]`],
    ["circles that nearly touch and go on", `${radial("0 0 9 8.99 0 0")}/Extend[false true]`],
    ["circles apart, of which the larger one goes on", `${radial("0 0 9 50 0 0")}/Extend[true false]`],
    ["circles apart that go on on both sides", `${radial("0 0 9 50 0 1")}/Extend[true true]`],
    ["circles apart, of which the larger one goes on after", `${radial("0 0 0 50 0 9")}/Extend[false true]`],
    ["an axis that leads far away", axial("/Coords[0 0 900000000 0]")],
    ["a circle that is far away", radial("0 0 9 900000000 0 0")],
    ["an unknown kind", "/ShadingType 8/ColorSpace/DeviceRGB"],
    ["a box that is none", axial("/Coords[0 0 9 0]/BBox[9 9 0 0]")],
    ["a box of five numbers", axial("/Coords[0 0 9 0]/BBox[0 0 9 9 9]")],
  ])("%s: refused", async (_, shading) => {
    await expect(admit(withShading(shading))).rejects.toMatchObject(refused);
    await expect(admit(withPattern(shading))).rejects.toMatchObject(refused);
  });

  test.each([
    ["at once", "/Bounds[.5]", 0],
    ["nearly at once", "/Bounds[.504]", 0],
    ["slowly", "/Bounds[.6]", 1],
  ])(
    "a color that changes %s around circles is refused but for slowly, else Poppler prints a mean",
    async (_, bounds, slow) => {
      const color = (from: number, to: number) => `<</FunctionType 2/Domain[0 1]/N 1/C0[${from} 0 0]/C1[${to} 0 0]>>`;
      const parts = `${color(0, 0)}${slow ? color(0, 1) : color(1, 1)}`;
      const steps = `<</FunctionType 3/Domain[0 1]${bounds}/Encode[0 1 0 1]/Functions[${parts}]>>`;
      const admission = admit(withShading(radial("0 0 9 4 0 0"), steps));
      if (slow) expect((await admission).bytes).toBeNull();
      else await expect(admission).rejects.toMatchObject(refused);
      expect((await admit(withShading(axial("/Coords[0 0 9 0]"), steps))).bytes).toBeNull();
    },
  );

  test.each([
    ["circles within each other that go on", `${radial("0 0 9 4 0 0")}/Extend[true true]`],
    ["circles that touch and end", radial("0 0 9 9 0 0")],
    ["an axis of some millions, which a matrix makes smaller", axial("/Coords[6000000 0 6300000 0]")],
    ["circles apart, of which the smaller one goes on", `${radial("0 0 9 50 0 1")}/Extend[false true]`],
  ])("%s stay", async (_, shading) => {
    expect((await admit(withShading(shading))).bytes).toBeNull();
  });

  const code = streamOf("{200 div exch 200 div exch 0}", area);
  test.each([
    ["that is huge", "1000000 0 0 1000000 0 0"],
    ["that is mirrored", "-1 0 0 1 200 0"],
    ["that stands on its head", "1 0 0 -1 0 200"],
    ["that is turned by a right angle", "0 1 -1 0 200 0"],
  ])("a function of an area %s is refused: Poppler does not end to print it", async (_, matrix) => {
    await expect(admit(withPattern(`${ofArea}/Matrix[${matrix}]`, code))).rejects.toMatchObject(refused);
  });

  test.each([1, 2, 3])("data in the place of functions are refused for a shading of kind %i", async (kind) => {
    const entries = `/ShadingType ${kind}/Domain[0 1${kind === 1 ? " 0 1" : ""}]/Coords[0 0 9 4${kind === 3 ? " 0 0" : ""}]`;
    await expect(admit(withMesh("data", entries))).rejects.toMatchObject(refused);
  });

  test("what is behind a pattern of circles apart, or of a function, is refused", async () => {
    const ground = "/Background[0 1 0]";
    await expect(admit(withPattern(`${radial("0 0 9 50 0 0")}${ground}`))).rejects.toMatchObject(refused);
    await expect(admit(withPattern(`${radial("0 0 9 9 0 0")}${ground}`))).rejects.toMatchObject(refused);
    await expect(admit(withPattern(`${ofArea}${ground}`, code))).rejects.toMatchObject(refused);
    for (const turned of ["", "/Matrix[.9 .4 -.4 .9 0 0]"])
      expect((await admit(withPattern(`${ofArea}${turned}`, code))).bytes).toBeNull();
    expect((await admit(withPattern(`${radial("0 0 9 4 0 0")}${ground}`))).bytes).toBeNull();
  });

  test.each([
    ["no shading", "/PatternType 2"],
    ["no kind", `/PatternType 9/Shading<<${axial("/Coords[0 0 9 0]")}>>`],
    ["a matrix that leaves a line", `/PatternType 2/Shading<<${axial("/Coords[0 0 9 0]")}>>/Matrix[1 1 1 1 0 0]`],
    ["a huge matrix", `/PatternType 2/Shading<<${axial("/Coords[0 0 9 0]")}>>/Matrix[1000000 0 0 1 0 0]`],
    ["a matrix of five numbers", `/PatternType 2/Shading<<${axial("/Coords[0 0 9 0]")}>>/Matrix[1 0 0 1 0]`],
  ])("a pattern of %s: refused", async (_, pattern) => {
    const file = pdf({ pages: [{ resources: `/Pattern<</P<<${pattern}>>>>` }], objects: [ramp] });
    await expect(admit(file)).rejects.toMatchObject(refused);
  });

  test("a bound where its function ends is settled", async () => {
    const parts = "/FunctionType 3/Domain[0 1]/Functions[6 0 R 6 0 R]/Bounds[1]/Encode[0 1 0 1]";
    const { bytes } = await admit(
      withShading(`/ShadingType 2/ColorSpace/DeviceRGB/Coords[0 0 9 0]/Function<<${parts}>>`),
    );
    expect(Buffer.from(bytes ?? []).toString("latin1")).toMatch(/\/Bounds \[ \]/);
  });

  test.each([
    ["takes what is not there", "{pop 100 lt {1 0 0} {0 0} ifelse}"],
    ["divides by nothing in a corner", "{add 30 lt {1 0 div 0 0} {1 0 0} ifelse}"],
    ["has a root of less than nothing", "{100 sub exch pop sqrt 10 div 0 0}"],
  ])("a function of an area that %s is refused", async (_, code) => {
    await expect(admit(withShading(ofArea, streamOf(code, area)))).rejects.toMatchObject(refused);
  });

  test.each([
    ["runs evenly", "{200 div exch 200 div exch 0}"],
    ["has stripes", "{pop 20 div dup truncate sub .5 lt {1 0 0} {0 0 1} ifelse}"],
    ["goes around", "{100 sub exch 100 sub exch atan 360 div 0 0}"],
  ])("a function of an area that %s stays", async (_, code) => {
    expect((await admit(withShading(ofArea, streamOf(code, area)))).bytes).toBeNull();
  });

  test.each([
    ["triangles that end early", "\0\0\0\0\0\x09\0\0", "/ShadingType 4/BitsPerFlag 8"],
    ["triangles that go on from none", "\x01\0\0\0", "/ShadingType 4/BitsPerFlag 8"],
    ["an unknown flag", "\0\0\0\0\0\x09\0\0\0\0\x09\0\x05\0\0\0", "/ShadingType 4/BitsPerFlag 8"],
    ["flags of two bits", "\0\0\0\0\0\0\0\0\0\0\0\0", "/ShadingType 4/BitsPerFlag 2"],
    ["colors that there are not", "\0".repeat(12), "/ShadingType 5/VerticesPerRow 2/Decode[0 9 0 9 -1 2]"],
    [
      "a function that jumps",
      "\0".repeat(12),
      "/ShadingType 5/VerticesPerRow 2/Function<</FunctionType 2/Domain[0 1]/N 900>>",
    ],
    ["places far away", "\0".repeat(12), "/ShadingType 5/VerticesPerRow 2/Decode[0 900000000 0 9 0 1]"],
    ["a row and a half", "\0".repeat(9), "/ShadingType 5/VerticesPerRow 2"],
    ["a patch that ends early", "\0".repeat(28), "/ShadingType 6/BitsPerFlag 8"],
  ])("%s: refused", async (_, data, entries) => {
    await expect(admit(withMesh(data, entries))).rejects.toMatchObject(refused);
  });

  test.each([
    ["triangles", "\0\0\0\0\0\x09\0\0\0\0\x09\0\x01\0\0\0", "/ShadingType 4/BitsPerFlag 8"],
    ["a lattice", "\0".repeat(12), "/ShadingType 5/VerticesPerRow 2"],
    ["patches", `${"\0".repeat(29)}\x01${"\0".repeat(18)}`, "/ShadingType 6/BitsPerFlag 8"],
    ["patches with points within", "\0".repeat(37), "/ShadingType 7/BitsPerFlag 8"],
  ])("%s stay", async (_, data, entries) => {
    expect((await admit(withMesh(data, entries))).bytes).toBeNull();
  });
});

describe("what is drawn with a pattern of a shading", () => {
  const code = streamOf("{200 div exch 200 div exch 0}", area);
  const mesh = streamOf(
    "\0".repeat(12),
    "/ShadingType 5/VerticesPerRow 2/ColorSpace/DeviceGray/BitsPerCoordinate 8/BitsPerComponent 8/Decode[0 9 0 9 0 1]",
  );
  const grounded = `<<${axial("/Coords[0 0 9 0]/Background[1 0 0]")}>>`;
  const [fill, lines] = ["/Pattern cs /P scn", "/Pattern CS /P SCN"];
  const [text, box] = ["BT /F1 20 Tf (H) Tj ET", "0 0 99 99 re"];
  const drawing = (content: string, shading: string, further = ramp) =>
    pdf({
      pages: [
        {
          content,
          resources: `/Pattern<</P<</PatternType 2/Shading ${shading}>>>>/ExtGState<</G<</ca .3/CA .3>>>>/XObject<</X 7 0 R>>`,
        },
      ],
      objects: [
        further,
        streamOf(
          `${fill} ${box} f`,
          `/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<</Pattern<</P<</PatternType 2/Shading ${shading}>>>>>>`,
        ),
      ],
    });

  test.each([
    ["letters with a mesh", `${fill} ${text}`, "6 0 R", mesh],
    ["letters with a function", `${fill} ${text}`, `<<${ofArea}>>`, code],
    ["lines with a mesh", `${lines} ${box} S`, "6 0 R", mesh],
    ["lines with a ground", `${lines} ${box} S`, grounded, ramp],
    ["an area with a mesh that is seen through", `/G gs ${fill} ${box} f`, "6 0 R", mesh],
    ["an area with a ground that is seen through", `/G gs ${fill} ${box} f`, grounded, ramp],
    ["a form with a ground that is seen through", "/G gs /X Do", grounded, ramp],
  ])("%s is refused: not all readers draw it", async (_, content, shading, further) => {
    await expect(admit(drawing(content, shading, further))).rejects.toMatchObject(refused);
  });

  test.each([
    ["letters with an axis", `${fill} ${text}`, `<<${axial("/Coords[0 0 9 0]")}>>`, ramp],
    ["letters with a ground", `${fill} ${text}`, grounded, ramp],
    ["lines with an axis", `${lines} ${box} S`, `<<${axial("/Coords[0 0 9 0]")}>>`, ramp],
    ["an area with a mesh", `${fill} ${box} f`, "6 0 R", mesh],
    ["an area with a ground", `${fill} ${box} f`, grounded, ramp],
    ["an area with an axis that is seen through", `/G gs ${fill} ${box} f`, `<<${axial("/Coords[0 0 9 0]")}>>`, ramp],
    ["lines that are seen through, beside a ground", `${fill} /G gs ${box} S`, grounded, ramp],
  ])("%s stays", async (_, content, shading, further) => {
    expect((await admit(drawing(content, shading, further))).bytes).toBeNull();
  });

  test("a mesh with a ground is refused", async () => {
    const grounds = mesh.replace("/ShadingType", "/Background[1]/ShadingType");
    await expect(admit(drawing(`${fill} ${box} f`, "6 0 R", grounds))).rejects.toMatchObject(refused);
  });
});

import { seededRandom } from "@rubrica/runtime/testing";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { curveOf, grayProfile, powerOf, rgbProfile } from "./profiles.ts";

/**
 * Files whose color spaces, functions and shadings were made up by chance. Left out: shadings that end within what is
 * looked at, or jump, whose edges each program draws in its own way, cones, numbers beyond a table, and greys of no power.
 */

type Pick = <Item>(items: readonly Item[]) => Item;

const [ONE, OTHER, TINT, THREE, PROFILE, GRAY, FORM, PICTURE, MESH] = [6, 7, 8, 9, 10, 11, 12, 13, 14] as const;
const RECT = "40 40 120 120 re f";
const power = (entries: string) => `<</FunctionType 2${entries}>>`;
const calculator = (code: string, inputs: number) =>
  streamOf(code, `/FunctionType 4/Domain[${"0 1 ".repeat(inputs)}]/Range[0 1 0 1 0 1]`);
const codes: readonly string[] = [
  ..."{pop} 0 0;1;add 1 1;0 div 0 0;0 0 1 1;7 0 idiv 0 0;-1 sqrt 0 0;1 exch sub dup dup;true 0 0;.5 gt {1 0 0} {0 0 1} ifelse"
    .split(";")
    .map((code) => `{${code}}`),
  "{dup .5 mul exch dup mul 1 exch sub 1}",
  "{dup .3 lt {pop 0 0 1} {1 0} ifelse}",
  "{10 mul truncate 10 div dup 1 exch sub 0}",
  "{pop 1e0 0 0}",
  "{pop 1 0 foo}",
  "{pop 1 0 %\n0}",
  "{dup 360 mul sin abs exch 0}",
  "{dup 2 copy roll}",
];
const tints: readonly string[] = [
  power("/Domain[0 1]/N 1/C0[1 1 1]/C1[1 0 0]"),
  power("/Domain[0 1]/N 2/C0[1 1 1]/C1[0 0 1]/Range[0 1 0 1 0 1]"),
  power("/Domain[0 1]/N 1/C0[1 1 1]/C1[1 0 0]/Range[0 0 0 0 1 1]"),
  power("/Domain[0 1]/N 1/C0[9 9 9]/C1[-9 1 -9]"),
  power("/Domain[0 .5]/N 1/C0[1 1 1]/C1[1 0 0]"),
  power("/Domain[0 1]/N 0/C0[1 1 1]/C1[1 0 0]"),
  power("/Domain[0 1]/N 900/C0[1 1 1]/C1[1 0 0]"),
  power("/Domain[0 1]/N 1/C0[1]/C1[1 0 0]"),
  power("/N 1/C0[1 1 1]/C1[1 0 0]"),
  power("/Domain[0 1]/N 1"),
  ..."[.5]/Encode[0 1 0 1];[.5]/Encode[0 1 1 0];[.5]/Encode[1 0 0 1];[0]/Encode[0 1 0 1];[1]/Encode[0 1 0 1];[]/Encode[0 1 0 1];[.9]/Encode[0 1]"
    .split(";")
    .map((rest) => `<</FunctionType 3/Domain[0 1]/Functions[${ONE} 0 R ${OTHER} 0 R]/Bounds${rest}>>`),
  ...["8", "8/Order 3", "8/Decode[1 0 1 0 1 0]", "8/Encode[1 0]", "4", "32", "5"].map((bits) =>
    streamOf("\xff\xff\xff\xff\0\0", `/FunctionType 0/Domain[0 1]/Range[0 1 0 1 0 1]/Size[2]/BitsPerSample ${bits}`),
  ),
  ...codes.map((code) => calculator(code, 1)),
];
const ofThree: readonly string[] = [
  "{3 -1 roll}",
  "{pop pop dup dup}",
  "{3 copy add add 3 div 4 1 roll pop pop 0}",
  "{.5 gt {0} {1} ifelse}",
  "{add}",
  "{0}",
  "{mul exch 1 exch sub dup}",
].map((code) => calculator(code, 3));
const white = "/WhitePoint[.9505 1 1.089]";
/** Each with colors in it. */
const spaces: readonly (readonly [space: string, ...colors: string[]])[] = [
  ...["X", "None", "All", "Black"].map(
    (ink) => [`[/Separation/${ink}/DeviceRGB ${TINT} 0 R]`, "1", ".5", ".3", "3"] as const,
  ),
  ["[/Separation/X/DeviceCMYK 8 0 R]", "1"],
  ...["/A/B/C", "/None/None/None", "/Cyan/None/Black"].map(
    (inks) => [`[/DeviceN[${inks}]/DeviceRGB ${THREE} 0 R]`, "1 0 .5", "0 0 0", ".2 .9 1"] as const,
  ),
  [`[/ICCBased ${PROFILE} 0 R]`, ".9 .5 .1", "0 0 0", "1 1 1", "1 0 0"],
  [`[/ICCBased ${GRAY} 0 R]`, "0", "1", ".6"],
  ...["/Gamma 2.2", "/Gamma 40", "/BlackPoint[.9 1 1]"].map(
    (measures) => [`[/CalGray<<${white}${measures}>>]`, "0", "1", ".8"] as const,
  ),
  ...[
    "/Gamma[2.2 2.2 2.2]/Matrix[.4124 .2126 .0193 .3576 .7152 .1192 .1805 .0722 .9505]",
    "/Gamma[40 40 40]",
    "/Matrix[.95 1 1.09 0 0 0 0 0 0]",
  ].map((measures) => [`[/CalRGB<<${white}${measures}>>]`, "1 0 0", "1 1 1", ".8 .8 .2"] as const),
  ["[/CalRGB<</WhitePoint[.3 1 .3]>>]", "1 1 1"],
  ...["/Range[-128 127 -128 127]", "/Range[-1 1 -1 1]"].map(
    (range) => [`[/Lab<<${white}${range}>>]`, "50 0 0", "100 0 0", "60 90 0"] as const,
  ),
  ["[/Indexed/DeviceRGB 1<ff00000000ff>]", "0", "1", "2", ".5"],
  [`[/Indexed[/Separation/X/DeviceRGB ${TINT} 0 R]1<00ff>]`, "1"],
  ["/DeviceRGB", "1 0 0"],
  ["[/DeviceGray]", ".5"],
];
const profiles: readonly [string, string, string][] = [
  [rgbProfile(powerOf(2.2)), grayProfile(powerOf(2.2)), ""],
  [rgbProfile(powerOf(1.8)), grayProfile(powerOf(1.8)), ""],
  [rgbProfile(powerOf(40)), grayProfile(powerOf(40)), ""],
  [rgbProfile(curveOf([1, 0])), grayProfile(curveOf([1, 0])), ""],
  [rgbProfile(curveOf([1, 1])), grayProfile(curveOf([1, 1])), ""],
  [grayProfile(powerOf(2.2)), rgbProfile(powerOf(2.2)), ""],
  ["no profile", "no profile", ""],
  ["no profile", "no profile", `/Alternate[/DeviceN[/A/B/C]/DeviceRGB ${THREE} 0 R]`],
  [rgbProfile(powerOf(2.2)), grayProfile(powerOf(2.2)), "/Range[0 .1 0 1 0 1]"],
];
const names = ["C", "C", "C", "DeviceRGB", "DeviceGray", "Pattern", "RGB", "G", "DefaultRGB", "DefaultGray"];
const coords: readonly string[] = [
  ..."[-90 0 310 0] [0 -40 0 260] [250 250 -50 -50] [100 100 100 100] [-100 0 300]"
    .split(/ (?=\[)/)
    .map((list) => `/ShadingType 2/Coords${list}`),
  ..."[100 100 0 100 100 200] [100 100 200 100 100 0] [100 100 -9 100 100 200] [100 100 200 100 100 200]"
    .split(/ (?=\[)/)
    .map((list) => `/ShadingType 3/Coords${list}`),
];
const besides = [
  "",
  "",
  "",
  "/Background[1 0 0]",
  "/BBox[50 50 100 100]",
  "/Domain[0 .5]",
  "/Domain[1 0]",
  "/Extend[1 1]",
];
const areas: readonly string[] = [
  "{200 div exch 200 div 0}",
  "{pop 201 div dup truncate sub dup .5 lt {dup 0} {1 exch dup} ifelse}",
  "{pop 100 lt {1 0 0} {0 0} ifelse}",
  "{100 sub exch pop sqrt 10 div 0 0}",
];
const coons = "\0\0\0\x40\0\xc0\0\xff\0\xff\x40\xff\xc0\xff\xff\xc0\xff\x40\xff\0\xff\0\xc0\0\x40";
const meshes: readonly string[] = [
  streamOf("\0\0\xff\0\0\xff\0\xff\0\0\0\xff\0\0\xff\xff\xff\xff\xff\0", "/ShadingType 5/VerticesPerRow 2"),
  streamOf("\0\0\0\xff\0\0\0\xff\0\0\xff\0\0\0\xff\0\0\xff\x01\xff\xff\xff\xff\xff", "/ShadingType 4/BitsPerFlag 8"),
  streamOf("\0\0\0\xff\0\0\0\xff\0\0\xff\0\0\0\xff\0\0\xff\x05\xff\xff\xff\xff\xff", "/ShadingType 4/BitsPerFlag 8"),
  streamOf(`${coons}\xff\0\0\0\xff\0\0\0\xff\xff\xff\0`, "/ShadingType 6/BitsPerFlag 8"),
  streamOf(`${coons}\xff\0\0\0\xff\0`, "/ShadingType 6/BitsPerFlag 8"),
].map((mesh) =>
  mesh.replace(">>", "/ColorSpace/DeviceRGB/BitsPerCoordinate 8/BitsPerComponent 8/Decode[0 200 0 200 0 1 0 1 0 1]>>"),
);

const shadingOf = (pick: Pick): string => {
  if (pick([true, false, false, false]))
    return `<</ShadingType 1/ColorSpace/DeviceRGB/Domain[0 200 0 200]/Function ${FORM} 0 R>>`;
  const space = pick([
    "/DeviceRGB",
    "/DeviceRGB",
    "/DeviceRGB",
    "/DeviceGray",
    `[/ICCBased ${PROFILE} 0 R]`,
    "[/Indexed/DeviceGray 0<ff>]",
  ]);
  return `<<${pick(coords)}/ColorSpace${space}/Function ${TINT} 0 R/Extend[true true]${pick(besides)}>>`.replace(
    /(\/Extend\[true true\])(.*)(\/Extend)/,
    "$2$3",
  );
};

/** One file, by its seed. */
export const colorsOf = (seed: number): Uint8Array => {
  const random = seededRandom(seed);
  const pick: Pick = (items) => items[Math.floor(random.fraction() * items.length)] as (typeof items)[number];
  const [space, ...colors] = pick(spaces) as [string, ...string[]];
  const name = pick(names);
  const [profile, gray, entries] = pick(profiles);
  const inSpace = name.startsWith("Default")
    ? `${name === "DefaultRGB" ? "1 0 0 rg" : ".2 g"} ${RECT}`
    : `/${name} cs ${pick(colors)} scn ${RECT}`;
  const [drawn, resources] = pick<readonly [string, string]>([
    [inSpace, `/ColorSpace<</${name}${space}>>`],
    [inSpace, `/ColorSpace<</${name}${space}>>`],
    ["q 120 0 0 120 40 40 cm /I Do Q", `/XObject<</I ${PICTURE} 0 R>>`],
    ["/S sh", `/Shading<</S ${shadingOf(pick)}>>`],
    ["/S sh", `/Shading<</S ${MESH} 0 R>>`],
    [`/Pattern cs /P scn ${RECT}`, `/Pattern<</P<</PatternType 2/Shading ${shadingOf(pick)}>>>>`],
  ]);
  const picture = `/Type/XObject/Subtype/Image/Width 2/Height 2/BitsPerComponent 8/ColorSpace${space}`;
  const data = space.startsWith("[/Indexed") ? ["\0", "\x01"] : ["\0", "\x01", "\xff\0\x80", "\xff"];
  // What is not used would have the file refused all the same.
  const isMesh = drawn === "/S sh" && resources.includes(`${MESH} 0 R`);
  return pdf({
    pages: [{ entries: "/MediaBox[0 0 200 200]", content: drawn, resources }],
    objects: [
      power("/Domain[0 1]/N 1/C0[1 1 1]/C1[1 0 0]"),
      power("/Domain[0 1]/N 1/C0[1 0 0]/C1[0 0 1]"),
      pick(tints),
      pick(ofThree),
      streamOf(profile, `/N 3${entries}`),
      streamOf(gray, "/N 1"),
      streamOf(pick(areas), "/FunctionType 4/Domain[0 200 0 200]/Range[0 1 0 1 0 1]"),
      drawn.includes("/I Do") ? streamOf(pick(data).repeat(12).slice(0, 12), picture) : "null",
      isMesh ? pick(meshes) : "null",
    ],
  });
};

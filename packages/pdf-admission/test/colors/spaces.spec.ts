import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const ramp = "<</FunctionType 2/Domain[0 1]/N 1/C0[1 1 1]/C1[1 0 0]>>";
const white = "/WhitePoint[.9505 1 1.089]";
const objects = [
  ramp,
  streamOf("{pop 0 0}", "/FunctionType 4/Domain[0 1 0 1]/Range[0 1 0 1 0 1]"),
  streamOf("no profile", "/N 3"),
  streamOf("no profile", "/N 2"),
];
const [RAMP, CALCULATOR, PROFILE, TWO] = [6, 7, 8, 9];
const withSpaces = (spaces: string) => pdf({ pages: [{ resources: `/ColorSpace<<${spaces}>>` }], objects });
const textOf = (bytes: Uint8Array | null) =>
  Buffer.from(bytes ?? [])
    .toString("latin1")
    .replaceAll(/\s+/g, " ");

describe("color spaces that readers take each in their own way", () => {
  test.each([
    ["a space by the name of a device's", "/DeviceRGB[/Indexed/DeviceGray 0<ff>]/C/DeviceGray", "<< /C /DeviceGray >>"],
    ["patterns by the name of all", "/Pattern/DeviceRGB/C/DeviceGray", "<< /C /DeviceGray >>"],
    [
      "an ink that stands in for a device's grey",
      `/DefaultGray[/Separation/X/DeviceRGB ${RAMP} 0 R]/C/DeviceGray`,
      "<< /C /DeviceGray >>",
    ],
    ["a profile that is none", `/C[/ICCBased ${PROFILE} 0 R]`, "/C /DeviceRGB"],
    ["greys of a power of fifty", `/C[/CalGray<<${white}/Gamma 50>>]`, "/C /DeviceGray"],
    ["colors of another white", "/C[/CalRGB<</WhitePoint[.1 1 .1]>>]", "/C /DeviceRGB"],
    [
      "a table of what is settled",
      `/C[/Indexed[/ICCBased ${PROFILE} 0 R]0<000000>]`,
      "/C [ /Indexed /DeviceRGB 0 <000000> ]",
    ],
    [
      "an ink shown by what is settled",
      `/C[/Separation/X[/ICCBased ${PROFILE} 0 R]${RAMP} 0 R]`,
      `/C [ /Separation /X /DeviceRGB ${RAMP} 0 R ]`,
    ],
    [
      "black that Poppler takes for the contrary",
      "/C[/Separation/Black/DeviceGray<</FunctionType 2/Domain[0 1]/N 1/C0[0]/C1[1]>>]",
      "/C [ /Separation /Ink /DeviceGray",
    ],
  ])("%s: written as all take it", async (_, spaces, settled) => {
    const found = await admit(withSpaces(spaces));
    expect(found.disarmed).toEqual(["shown_otherwise"]);
    expect(textOf(found.bytes)).toContain(settled);
    expect((await admit(found.bytes ?? new Uint8Array())).bytes).toBeNull();
  });

  test.each([
    ["an ink with more than a function", `/C[/Separation/X/DeviceRGB ${RAMP} 0 R null]`],
    ["an ink in a list", `/C[/Separation[/X]/DeviceRGB ${RAMP} 0 R]`],
    ["inks in no list", `/C[/DeviceN/X/DeviceRGB ${RAMP} 0 R]`],
    ["inks of which something else is said", `/C[/DeviceN[/X/Y]/DeviceRGB ${CALCULATOR} 0 R null]`],
    ["inks of which more is said", `/C[/DeviceN[/X/Y]/DeviceRGB ${CALCULATOR} 0 R<<>><<>>]`],
    ["a table with more than colors", "/C[/Indexed/DeviceRGB 0<000000>null]"],
    ["an ink of no name", `/C[/Separation/None/DeviceRGB ${RAMP} 0 R]`],
    ["inks of no name", `/C[/DeviceN[/None/None]/DeviceRGB ${CALCULATOR} 0 R]`],
    ["an ink shown by another one", `/C[/Separation/X[/Separation/Y/DeviceRGB ${RAMP} 0 R]${RAMP} 0 R]`],
    ["an ink without a function", "/C[/Separation/X/DeviceRGB]"],
    ["a function of fewer colors", `/C[/Separation/X/DeviceCMYK ${RAMP} 0 R]`],
    ["a profile of two components", `/C[/ICCBased ${TWO} 0 R]`],
    ["a short name of a device's", "/RGB[/Indexed/DeviceGray 0<ff>]"],
    ["a narrow Lab", "/C[/Lab<</WhitePoint[.9505 1 1.089]/Range[-1 1 -1 1]>>]"],
    ["a table that goes up to a half", "/C[/Indexed/DeviceGray .5<ff>]"],
    ["the name of another space", "/C/D/D/DeviceGray"],
    ["patterns of patterns", "/C[/Pattern[/Pattern/DeviceRGB]]"],
    ["parameters of a device", "/C[/DeviceRGB 1]"],
  ])("%s: refused", async (_, spaces) => {
    await expect(admit(withSpaces(spaces))).rejects.toMatchObject({ reason: "shown_otherwise" });
  });

  test.each([
    ["of devices", "/C/DeviceRGB/D[/DeviceGray]/RGB/DeviceRGB"],
    ["of patterns", "/C/Pattern/D[/Pattern/DeviceRGB]"],
    ["of inks", `/C[/Separation/All/DeviceRGB ${RAMP} 0 R]/D[/DeviceN[/Black/None]/DeviceRGB ${CALCULATOR} 0 R]`],
    [
      "that are measured",
      `/C[/CalRGB<<${white}/Gamma[2.2 2.2 2.2]/Matrix[.4124 .2126 .0193 .3576 .7152 .1192 .1805 .0722 .9505]>>]`,
    ],
    ["of Lab", `/C[/Lab<<${white}/Range[-128 127 -128 127]>>]`],
  ])("spaces %s stay", async (_, spaces) => {
    expect((await admit(withSpaces(spaces))).bytes).toBeNull();
  });

  test.each([
    ["Lab", `[/Lab<<${white}>>]`, ""],
    ["more of an ink than all", `[/Separation/X/DeviceRGB ${RAMP} 0 R]`, "/Decode[0 3]"],
  ])("a picture in %s is refused", async (_, space, entries) => {
    const picture = streamOf(
      "\0\0\0",
      `/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace${space}${entries}`,
    );
    await expect(
      admit(pdf({ pages: [{ resources: "/XObject<</I 10 0 R>>" }], objects: [...objects, picture] })),
    ).rejects.toMatchObject({ reason: "shown_otherwise" });
  });

  test("a picture's own", async () => {
    const picture = streamOf(
      "\0\0\0",
      `/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace[/ICCBased ${PROFILE} 0 R]`,
    );
    const found = await admit(pdf({ pages: [{ resources: "/XObject<</I 10 0 R>>" }], objects: [...objects, picture] }));
    expect(textOf(found.bytes)).toContain("/ColorSpace /DeviceRGB");
  });
});

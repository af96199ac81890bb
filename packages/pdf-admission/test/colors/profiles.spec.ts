import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit } from "../../src/admit.ts";
import { curveOf, grayProfile, powerOf, rgbProfile } from "../system/readers/profiles.ts";

const withProfile = (profile: string, entries: string) =>
  pdf({ pages: [{ resources: "/ColorSpace<</C[/ICCBased 6 0 R]>>" }], objects: [streamOf(profile, entries)] });
const asOutput = (profile: string) =>
  pdf({ catalog: "/OutputIntents[<</S/GTS_PDFA1/DestOutputProfile 6 0 R>>]", objects: [streamOf(profile, "/N 3")] });

describe("profiles, which pdf.js does not heed", () => {
  test.each([
    ["about sRGB", rgbProfile(powerOf(2.2)), "/N 3/Alternate/DeviceRGB"],
    ["of greys", grayProfile(powerOf(1.8)), "/N 1/Range[0 1]"],
  ])("one %s stays", async (_, profile, entries) => {
    expect((await admit(withProfile(profile, entries))).bytes).toBeNull();
  });

  test.each([
    ["that shows black for white", rgbProfile(curveOf([1, 0])), "/N 3"],
    ["that shows white alone", grayProfile(curveOf([1, 1])), "/N 1"],
    ["of a power of forty", rgbProfile(powerOf(40)), "/N 3"],
    ["of greys for three colors", grayProfile(powerOf(2.2)), "/N 3"],
    ["that is cut off", rgbProfile(powerOf(2.2)).slice(0, -60), "/N 3"],
    ["with another space beside", rgbProfile(powerOf(2.2)), "/N 3/Alternate/DeviceCMYK"],
    ["of so many colors with a point", rgbProfile(powerOf(2.2)), "/N 3.0"],
    ["of a narrow range", rgbProfile(powerOf(2.2)), "/N 3/Range[0 .1 0 1 0 1]"],
  ])("one %s gives way to its device", async (_, profile, entries) => {
    const { bytes } = await admit(withProfile(profile, entries));
    expect(Buffer.from(bytes ?? []).toString("latin1")).toMatch(/\/C \/Device(?:RGB|Gray)/);
  });

  test("one for all colors of devices, which MuPDF heeds, goes where it shows others", async () => {
    expect((await admit(asOutput(rgbProfile(powerOf(2.2))))).bytes).toBeNull();
    const { bytes } = await admit(asOutput(rgbProfile(curveOf([1, 0]))));
    expect(Buffer.from(bytes ?? []).toString("latin1")).not.toContain("DestOutputProfile");
  });
});

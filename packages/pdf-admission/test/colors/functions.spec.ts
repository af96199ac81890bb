import { deflateSync } from "node:zlib";
import { TooComplex } from "@rubrica/pdf-reading/faults";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const ofRed = "<</FunctionType 2/Domain[0 1]/N 1/C0[1 1 1]/C1[1 0 0]>>";
const ofBlue = "<</FunctionType 2/Domain[0 1]/N 1/C0[1 0 0]/C1[0 0 1]>>";
const power = (entries: string) => `<</FunctionType 2/Domain[0 1]${entries}>>`;
const stitched = (entries: string) => `<</FunctionType 3/Domain[0 1]/Functions[7 0 R 8 0 R]${entries}>>`;
const samples = (entries: string, data = "\xff\xff\xff\xff\0\0") =>
  streamOf(data, `/FunctionType 0/Domain[0 1]/Range[0 1 0 1 0 1]/Size[2]${entries}`);
const calculator = (code: string) => streamOf(code, "/FunctionType 4/Domain[0 1]/Range[0 1 0 1 0 1]");
const withTint = (tint: string) =>
  pdf({
    pages: [{ resources: "/ColorSpace<</C[/Separation/X/DeviceRGB 6 0 R]>>" }],
    objects: [tint, ofRed, ofBlue, "1"],
  });

describe("functions of colors that readers reckon each in their own way", () => {
  test.each([
    ["bounds that its values pass", power("/N 1/C0[1 1 1]/C1[1 0 0]/Range[.5 1 .5 1 .5 1]")],
    ["colors beyond those that there are", power("/N 1/C0[1 1 1]/C1[5 -5 -5]")],
    ["a narrow domain", "<</FunctionType 2/Domain[0 .5]/N 1/C0[1 1 1]/C1[1 0 0]>>"],
    ["a power by a reference", power("/N 9 0 R/C0[1 1 1]/C1[1 0 0]")],
    ["a power that is a jump", power("/N 1000/C0[1 1 1]/C1[1 0 0]")],
    ["parts that do not meet", stitched("/Bounds[.5]/Encode[0 1 1 0]")],
    ["bounds of its parts", stitched("/Bounds[.5]/Encode[0 1 0 1]/Range[.5 1 .5 1 .5 1]")],
    ["samples of 32 bits", samples("/BitsPerSample 32", "\xff".repeat(16) + "\0".repeat(8))],
    ["one of two values", calculator("{.5 gt {1 0 0} {0 0 1} ifelse}")],
    ["whole numbers", calculator("{10 mul truncate 10 div dup dup}")],
  ])("%s: written in straight pieces", async (_, tint) => {
    const found = await admit(withTint(tint));
    expect(found.disarmed).toEqual(["shown_otherwise"]);
    expect(Buffer.from(found.bytes ?? []).toString("latin1")).toMatch(/\/FunctionType 3\s+\/Domain \[ 0 1 \]/);
    expect((await admit(found.bytes ?? new Uint8Array())).bytes).toBeNull();
  });

  test.each<[string, string]>([
    ["no domain", "<</FunctionType 2/N 1/C0[1 1 1]/C1[1 0 0]>>"],
    ["no colors", power("/N 1")],
    ["fewer colors", power("/N 1/C0[1]/C1[1 0 0]")],
    ["colors as good as a jump", power("/N 1/C0[1 1 1]/C1[2147483647 0 0]")],
    ["a power below zero", power("/N -1/C0[1 1 1]/C1[1 0 0]")],
    ["bounds that go down", stitched("/Bounds[2]/Encode[0 1 0 1]")],
    ["fewer bounds than parts", stitched("/Bounds[]/Encode[0 1 0 1]")],
    ["itself as a part", "<</FunctionType 3/Domain[0 1]/Functions[6 0 R]/Bounds[]/Encode[0 1]>>"],
    ["fewer samples than it says", samples("/BitsPerSample 8", "\xff")],
    ["samples of five bits", samples("/BitsPerSample 5")],
    ["an unknown kind", "<</FunctionType 5/Domain[0 1]>>"],
    ...(
      [
        ["that takes what is not there", "{add 1 1}"],
        ["that leaves too much", "{0 0 1}"],
        ["that leaves too little", "{pop 1}"],
        ["that divides by nothing", "{0 div 0 0}"],
        ["with a root of less than nothing", "{pop -1 sqrt 0 0}"],
        ["with a vertical tab between its words", "{1\vexch sub dup dup}"],
        ["with a NUL between them", "{1\0exch sub dup dup}"],
        ["with a blank of other languages", "{1\xa0exch sub dup dup}"],
        ["with a plus sign", "{pop +1 dup dup}"],
        ["with an unknown operator", "{foo 0 0}"],
        ["with a number in another notation", "{pop 1e0 0 0}"],
        ["with a comment", "{pop 1 0 %\n0}"],
        ["that goes on after its end", "{0 0} {pop}"],
        ["that does not end", "{0 0"],
        ["that takes a number for a truth", "{{1 0 0} {0 0 1} ifelse}"],
        ["that leaves a truth", "{.5 gt 0 0}"],
        ["with bits", "{pop 1 40 bitshift 0 0}"],
        ["that leaves something if it is true", "{dup .5 gt {0 0} if}"],
        ["that rolls by what is not written there", "{dup dup dup roll 0 0}"],
      ] as const
    ).map(([name, code]): [string, string] => [`a calculator ${name}`, calculator(code)]),
  ])("%s: refused", async (_, tint) => {
    await expect(admit(withTint(tint))).rejects.toMatchObject({ reason: "shown_otherwise" });
  });

  test.each([
    ["a power", power("/N 1.5/C0[1 1 1]/C1[1 0 0]/Range[0 1 0 1 0 1]")],
    ["parts that meet", stitched("/Bounds[.5]/Encode[0 1 0 1]")],
    ["samples", samples("/BitsPerSample 8/Order 1/Encode[0 1]/Decode[0 1 1 0 0 1]")],
    ["a calculator with all kinds of blanks", calculator("{1\fexch\tsub\r\ndup dup} ")],
    ["a calculator", calculator("{dup 0.5 mul 1 exch sub exch dup 2 index mul sqrt 3 1 roll}")],
  ])("%s stays", async (_, tint) => {
    expect((await admit(withTint(tint))).bytes).toBeNull();
  });

  test("what jumps for one of several inks is refused, and what does not stays", async () => {
    const withInks = (code: string) =>
      pdf({
        pages: [{ resources: "/ColorSpace<</C[/DeviceN[/X/Y]/DeviceRGB 6 0 R]>>" }],
        objects: [streamOf(code, "/FunctionType 4/Domain[0 1 0 1]/Range[0 1 0 1 0 1]")],
      });
    await expect(admit(withInks("{gt {1 0 0} {0 0 1} ifelse}"))).rejects.toMatchObject({ reason: "shown_otherwise" });
    expect((await admit(withInks("{1 index 1 index mul}"))).bytes).toBeNull();
  });

  test("samples of two inks between which a reader adds up what others weigh are refused", async () => {
    const withTable = (data: string) =>
      pdf({
        pages: [{ resources: "/ColorSpace<</C[/DeviceN[/X/Y]/DeviceGray 6 0 R]>>" }],
        objects: [streamOf(data, "/FunctionType 0/Domain[0 1 0 1]/Range[0 1]/Size[2 2]/BitsPerSample 8")],
      });
    await expect(admit(withTable("\0\xff\xff\0"))).rejects.toMatchObject({ reason: "shown_otherwise" });
    expect((await admit(withTable("\0\x40\x40\x80"))).bytes).toBeNull();
  });
});

test("samples of so many functions that readers are compared on for seconds are too complex", async () => {
  const [side, inputs] = [17, 4];
  const data = deflateSync(Buffer.alloc(side ** inputs)).toString("latin1");
  const tint = streamOf(
    data,
    `/Filter/FlateDecode/FunctionType 0/Domain[${"0 1 ".repeat(inputs)}]/Range[0 1]/Size[${`${side} `.repeat(inputs)}]/BitsPerSample 8`,
  );
  const withTints = (count: number) =>
    pdf({
      pages: [
        {
          resources: `/ColorSpace<<${Array.from({ length: count }, (_, index) => `/C${index}[/DeviceN[/A/B/C/D]/DeviceGray ${6 + index} 0 R]`).join("")}>>`,
        },
      ],
      objects: Array.from({ length: count }, () => tint),
    });
  expect((await admit(withTints(2))).bytes).toBeNull();
  await expect(admit(withTints(8))).rejects.toBeInstanceOf(TooComplex);
});

import { deflateSync } from "node:zlib";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";
import { picture, sound } from "../picture.ts";

const inFax = (parameters: string) => ({
  ...sound,
  BitsPerComponent: "1",
  Filter: "/CCITTFaxDecode",
  DecodeParms: `<</Columns 2${parameters}>>`,
});
/** Codes of nine bits: cleared, two times "a", what these make twice, the end. */
const LZW = "\x80\x18\x4c\x30\x28\x08";

test.each<[string, Readonly<Record<string, string>>, string]>([
  ["a fax with rows by themselves", inFax(""), "\x77"],
  ["a fax with rows by themselves, each from a byte on", inFax("/EncodedByteAlign true"), "\x70\x70"],
  ["a fax of rows by themselves that marks them", inFax("/EndOfLine true"), "\0\x17\0\x17"],
  ["a fax of rows by themselves that marks them and does not say so", inFax(""), "\0\x17\0\x17"],
  ["a fax that marks its rows", inFax("/K 4/EndOfLine true"), "\0\x1b\x80\x0a"],
  ["a fax with a row to spare", inFax("/K -1"), "\xe0"],
  ["a fax in black", inFax("/K -1"), "\x26\xbe"],
  ["LZW", { ...sound, Filter: "/LZWDecode" }, LZW],
  ["filters by their short names", { ...sound, Filter: "[/AHx/Fl]" }, `${deflateSync("abcd").toString("hex")}>`],
])("a picture in %s stays where its data are whole", async (_, entries, data) => {
  expect((await admit(picture(entries, data))).bytes).toBeNull();
  const cut = data.slice(0, (data.length - 1) >> 1);
  await expect(admit(picture(entries, cut))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each<[string, Readonly<Record<string, string>>, string]>([
  ["a fax whose row is too long", inFax(""), "\x88\x88"],
  ["a fax whose rows are filled up with ones", inFax("/EncodedByteAlign true"), "\x71\x70"],
  ["a fax whose codes are none", inFax("/K -1"), "\0\0\0"],
  ["a fax whose change lies before its row", inFax("/K -1"), "\x26\xb8\x40"],
  ["a fax whose marks are missing", inFax("/K 4"), "\x77"],
  ["a fax whose marks are missing though it says them", inFax("/EndOfLine true"), "\x77"],
  ["a fax that says marks of rows that can't have any", inFax("/K -1/EndOfLine true"), "\xe0"],
  ["a fax that marks its first row alone", inFax(""), "\0\x17\x70"],
  ["a fax that marks its second row alone", inFax(""), "\x70\x01\x70"],
  ["a fax of columns below none", { ...inFax(""), DecodeParms: "<</Columns -40/K -1>>" }, "\xff"],
  ["a fax of no whole kind", inFax("/K -0.5"), "\xff"],
  ["a fax whose truth is a number", inFax("/K -1/BlackIs1 1"), "\xff"],
  ["LZW whose code is of nothing", { ...sound, Filter: "/LZWDecode" }, "\x80\x18\x65\x86\x13\x0c\x04"],
  ["LZW that grows in no known way", { ...sound, Filter: "/LZWDecode", DecodeParms: "<</EarlyChange 2>>" }, LZW],
])("a picture in %s is refused", async (_, entries, data) => {
  await expect(admit(picture(entries, data))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test("pictures with more rows than readers count are refused", async () => {
  expect((await admit(picture({ ...inFax("/K -1"), Height: "2" }))).bytes).toBeNull();
  await expect(admit(picture({ ...inFax("/K -1"), Height: "65501" }))).rejects.toMatchObject({
    reason: "shown_otherwise",
  });
});

const faxWithin = (entries: string) =>
  pdf({
    pages: [
      {
        content: `q 9 0 0 9 0 0 cm BI/BPC 1/CS/G/W 2${entries}/F[/AHx/CCF]/DP[null<</K -1/Columns 2>>] ID c0040040>\nEI Q`,
      },
    ],
  });

test("an inline fax stays, and is refused where it has fewer rows", async () => {
  expect((await admit(faxWithin("/H 2"))).bytes).toBeNull();
  await expect(admit(faxWithin("/H 3"))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

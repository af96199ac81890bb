import { pdfWithFont, type1 } from "@rubrica/test-kit/pdf/font-programs";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";

const list = "/Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\n";
const end = "\nreadonly def";
const ofNine = `${list}dup 49 /nine put${end}`;
const withCodes = (encoding: string, entries = "") =>
  pdfWithFont(type1({ encoding }), { subtype: "Type1", entry: "FontFile", flags: 4, entries });

test.each([
  ["behind two blanks", ofNine.replace("256", " 256")],
  ["within a line", ` ${ofNine}`],
  ["after a hundred lines", `${"\n".repeat(100)}${ofNine}`],
  ["of fewer codes than a byte has", ofNine.replace("256", "50").replace("255", "49")],
  ["whose first code follows another word", ofNine.replace(" for\n", " for ")],
  ["of three hundred lines", `${list}${"\n".repeat(300)}dup 49 /nine put${end}`],
  ["of a line of more characters than 255", `${list}${" ".repeat(250)}dup 49 /nine put${end}`],
  ["of a word that stands in the line after its name", ofNine.replace(" put\n", "\nput\n")],
  ["before other codes", `${ofNine}\n/Own 1 array\ndup 49 /one put\ndef`],
])("text by a program's list of codes %s is refused: Poppler does not find it", async (_, encoding) => {
  await expect(admit(withCodes(encoding))).rejects.toMatchObject({ reason: "shown_otherwise" });
  expect((await admit(withCodes(encoding, "/Encoding<</Differences[49/nine]>>"))).bytes).toBeNull();
  expect((await admit(withCodes(encoding.replaceAll("nine", "one")))).bytes).toBeNull();
});

test.each([
  ["a code twice", `${list}dup 49 /one put\ndup 49 /nine put${end}`],
  ["a line that ends in a form feed", ofNine.replace("dup", "\fdup")],
  ["a name with a NUL", ofNine.replace("nine", "nine\0")],
])("a program's list with %s is refused: readers take other codes", async (_, encoding) => {
  await expect(admit(withCodes(encoding))).rejects.toMatchObject({ reason: "shown_otherwise" });
});

test.each([
  ["as programs write it", ofNine],
  ["with the ends of lines that older ones have", ofNine.replaceAll("\n", "\r")],
  ["with those of Windows", ofNine.replaceAll("\n", "\r\n")],
  ["after fewer lines than a hundred", `${"\n".repeat(90)}${ofNine}`],
  ["whose head is in one line", ofNine.replace("array\n", "array ")],
  ["of several codes in a line", `${list}dup 48 /one put dup 49 /nine put${end}`],
])("text by a program's list of codes stays %s", async (_, encoding) => {
  expect((await admit(withCodes(encoding))).bytes).toBeNull();
});

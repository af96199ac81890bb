import { TooComplex } from "@rubrica/pdf-reading/faults";
import { firstFurtherObject, pdf } from "@rubrica/test-kit/pdf/fixtures";
import { describe, expect, test } from "vitest";
import { drawnOnceAdmitted } from "./drawn-page.ts";

/** What is drawn of the first page of a file with one field, as it is taken in. */
const drawn = (field: string, ...objects: string[]): Promise<string> => {
  const widget = `<</Type/Annot/Subtype/Widget/F 4/Rect[10 10 90 60]/DA(/Helv 10 Tf)/MK<</BC[0]>>${field}>>`;
  return drawnOnceAdmitted(pdf({ pages: [{ entries: `/MediaBox[0 0 100 70]/Annots[${widget}]` }], objects }));
};

describe("a list of options without an appearance", () => {
  const list = (options: string, value: string) => drawn(`/FT/Ch/T(a)/Opt[${options}]${value}`);
  const [few, many] = [
    "(one)(two)[(3)(three)]",
    Array.from({ length: 99 }, (_, index) => `(option ${index})`).join(""),
  ];

  test("shows which of them are chosen", async () => {
    const values = ["", "/V(one)", "/V(two)", "/V(3)", "/V[(one)(two)]"];
    expect(new Set(await Promise.all(values.map((value) => list(few, value)))).size).toBe(values.length);
  });

  test("shows the chosen ones where there is no room for all", async () => {
    expect(await list(many, "/V[(option 7)(option 95)]")).toBe(
      await list("(option 7)(option 95)", "/V[(option 7)(option 95)]"),
    );
  });
});

test("one of several buttons of a field is on by its own state alone", async () => {
  const button = (state: string) =>
    drawn(`/Parent ${firstFurtherObject(1)} 0 R${state}`, "<</FT/Btn/Ff 49152/T(a)/V/b>>");
  expect(await button("")).toBe(await button("/AS/Off"));
  expect(await button("")).not.toBe(await button("/AS/b"));
});

describe("a text that a field holds", () => {
  const text = (value: string, entries = "") => drawn(`/FT/Tx/T(a)/V${value}${entries}`);

  test("is the same in each of its encodings", async () => {
    const sent = "\u00bfA\u00f1o? 5 \u20ac";
    const hex = (given: Buffer, mark: string) => `<${mark}${given.toString("hex")}>`;
    const inUtf16 = (given: string) => Buffer.from(given, "utf16le").swap16();
    const shown = await text(hex(inUtf16(sent), "feff"));
    expect(await text(hex(Buffer.from(sent), "efbbbf"))).toBe(shown);
    expect(await text("(\\277A\\361o? 5 \\240)")).toBe(shown);
    expect(await text(hex(inUtf16(`\u001bes\u001b${sent}`), "feff"))).toBe(shown);
    expect(await text(hex(inUtf16("otro"), "feff"))).not.toBe(shown);
  });

  test("is cut where it is too long to be seen", async () => {
    const long = "Debo cien pesos. ".repeat(20_000);
    expect(await text(`(${long})`, "/Ff 4096")).toBe(await text(`(${long.slice(0, 300_000)})`, "/Ff 4096"));
  });
});

test("a text in a size that nobody could read is drawn to be read", async () => {
  const sized = (size: string, flags = "") => drawn(`/FT/Tx/T(a)/V(Debo)/DA(/Helv ${size} Tf)${flags}`);
  for (const flags of ["", "/Ff 4096"]) {
    expect(await sized("0.0000001", flags)).toBe(await sized("4", flags));
    expect(await sized("4", flags)).not.toBe(await sized("12", flags));
  }
  expect(await sized("900")).toBe(await sized("50"));
  expect(await drawn("/FT/Tx/T(a)/V(Debo)/BS<</W 500>>")).not.toBe(await drawn("/FT/Tx/T(a)/BS<</W 500>>"));
});

test("a field deeper than readers look for what is above it is refused", async () => {
  const [first, depth] = [firstFurtherObject(1), 60];
  const parents = Array.from({ length: depth }, (_, index) => `<</Parent ${first + index + 1} 0 R>>`);
  await expect(drawn(`/Parent ${first} 0 R`, ...parents, "<</FT/Tx/T(a)/V(far)>>")).rejects.toThrow(TooComplex);
  const cycle = drawn(`/Parent ${first} 0 R`, `<</Parent ${first} 0 R/FT/Tx/T(a)/V(near)>>`);
  expect(await cycle).toBe(await drawn("/FT/Tx/T(a)/V(near)"));
});

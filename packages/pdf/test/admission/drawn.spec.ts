import { createHash } from "node:crypto";
import { systemClock } from "@rubrica/runtime";
import { firstFurtherObject, pdf } from "@rubrica/test-kit/pdf/fixtures";
import { describe, expect, test } from "vitest";
import { admit } from "../../src/admission/admit.ts";
import { DrawingTime } from "../../src/placing/drawing-time.ts";
import { Renderer } from "../../src/placing/pdfium.ts";
import { pagesOf, seenSize } from "../../src/reading/pages.ts";
import { PdfFile } from "../../src/reading/pdf-file.ts";

/** What is drawn of the first page of a file with one field, as it is taken in. */
const drawn = async (field: string, ...objects: string[]): Promise<string> => {
  const widget = `<</Type/Annot/Subtype/Widget/F 4/Rect[10 10 90 60]/DA(/Helv 10 Tf)/MK<</BC[0]>>${field}>>`;
  const given = pdf({ pages: [{ entries: `/MediaBox[0 0 100 70]/Annots[${widget}]` }], objects });
  const bytes = (await admit(given)).bytes ?? given;
  const renderer = await Renderer.of(bytes, new DrawingTime({ processorMs: 10_000, passingMs: 60_000 }, systemClock));
  try {
    const [size] = pagesOf(PdfFile.open(bytes)).map(seenSize);
    const picture = size && renderer.picture(0, size);
    return createHash("sha256")
      .update(picture?.bgrx ?? "")
      .digest("hex");
  } finally {
    renderer.close();
  }
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

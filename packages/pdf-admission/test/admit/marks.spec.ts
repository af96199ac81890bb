import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { expect, test } from "vitest";
import { admit } from "../../src/admit.ts";
import { drawnOnceAdmitted } from "../drawn-page.ts";

const file = (annotation: string, rectangle = "10 10 90 60") =>
  pdf({
    pages: [
      {
        entries: `/MediaBox[0 0 100 70]/Annots[<</Type/Annot/Rect[${rectangle}]${annotation.includes("/F ") ? "" : "/F 4"}${annotation}>>]`,
        content: "20 20 60 30 re f",
      },
    ],
  });

/** What is drawn of a page with a mark, as it is taken in. */
const drawn = (annotation: string): Promise<string> => drawnOnceAdmitted(file(annotation));

const quads = "/QuadPoints[10 60 90 60 10 30 90 30]";
const marks = {
  Line: "/L[20 20 80 50]",
  PolyLine: "/Vertices[20 20 80 50 80 20]",
  Polygon: "/Vertices[20 20 80 50 80 20]",
  Ink: "/InkList[[20 20 80 50][20 50 80 20]]",
  Square: "",
  Circle: "",
  Highlight: quads,
  Underline: quads,
  Squiggly: quads,
  StrikeOut: quads,
};

test.each(Object.entries(marks))("a %s without an appearance gets one", async (name, entries) => {
  const mark = `/Subtype/${name}${entries}/C[1 0 0]`;
  expect(Buffer.from((await admit(file(mark))).bytes ?? "").toString("latin1")).toMatch(/\/AP/);
  expect(await drawn(mark)).not.toBe(await drawn(`${mark}/F 2`));
});

test("readers that know dashes, ends, wide lines and differences draw no more than others", async () => {
  const line = `/Subtype/Line${marks.Line}/C[1 1 1]`;
  expect(await drawn(`${line}/BS<</W 9/S/D/D[1 9]>>/LE[/Square/Circle]`)).toBe(await drawn(`${line}/Border[0 0 9]`));
  expect(await drawn(`${line}/BS<</W 900>>`)).toBe(await drawn(`${line}/BS<</W 25>>`));
  const square = "/Subtype/Square/IC[1 1 1]/BS<</W 2>>";
  expect(await drawn(`${square}/RD[30 20 30 20]`)).not.toBe(await drawn(square));
});

test("a mark without room is not drawn: some readers would draw it over what is there", async () => {
  const { bytes } = await admit(file(`/Subtype/Line${marks.Line}/BS<</W 40>>`, "10 40 90 40"));
  expect(Buffer.from(bytes ?? "").toString("latin1")).toMatch(/\/F 2\b/);
});

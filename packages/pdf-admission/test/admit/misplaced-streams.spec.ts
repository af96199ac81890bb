import { openDocument } from "@rubrica/pdf-reading/open";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { type FixtureOptions, pdf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { admit, lookedThrough } from "../../src/admit.ts";

const { engine, identity } = await openedEngine();
const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");
const said = textAt(50, 700, "SaidHere");
const fixture = (options: FixtureOptions, page: object = {}) =>
  pdf({ pages: [{ content: said, ...page }], ...options });
/** An object that is a dictionary, or the same as a stream. */
const forms = [(entries: string) => `<<${entries}>>`, (entries: string) => streamOf("", entries)] as const;
type Form = (typeof forms)[number];

const places: [string, (form: Form) => Uint8Array][] = [
  [
    "the resources of a form",
    (form) =>
      fixture(
        { objects: [streamOf("", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources 7 0 R"), form("/ProcSet[/PDF]")] },
        { content: "/X Do", resources: "/XObject<</X 6 0 R>>" },
      ),
  ],
  [
    "a font",
    (form) =>
      fixture(
        { objects: [form("/Type/Font/Subtype/Type1/BaseFont/Helvetica")] },
        { content: "BT /F2 9 Tf (A) Tj ET", fonts: "/F2 6 0 R" },
      ),
  ],
  [
    "a font in a dictionary of its own",
    (form) =>
      fixture({
        catalog: "/Odd 7 0 R",
        objects: [form("/Type/Font/Subtype/Type1/BaseFont/Helvetica"), "<</Font<</A 6 0 R>>>>"],
      }),
  ],
  [
    "an annotation of a list of its own",
    (form) =>
      fixture(
        { objects: ["[7 0 R]", form("/Type/Annot/Subtype/Link/Rect[0 0 9 9]/Border[0 0 0]/F 4")] },
        { entries: "/MediaBox[0 0 595 842]/Annots 6 0 R" },
      ),
  ],
  [
    "a graphics state",
    (form) =>
      fixture(
        { objects: [form("/Type/ExtGState/LW 2")] },
        { content: `/G gs ${said}`, resources: "/ExtGState<</G 6 0 R>>" },
      ),
  ],
  [
    "a shading whose type stands elsewhere",
    (form) => fixture({ catalog: "/Odd 6 0 R", objects: [form("/ShadingType 7 0 R"), "2"] }),
  ],
  ["settings of layers", (form) => fixture({ catalog: "/Odd<</OCGs[]/D 6 0 R>>", objects: [form("/Order[]")] })],
  ["a list of codes", (form) => fixture({ catalog: "/Odd<</Encoding 6 0 R>>", objects: [form("/Differences[65/A]")] })],
  ["a shading", (form) => fixture({ catalog: "/Odd 6 0 R", objects: [form("/ShadingType 2")] })],
  ["a function of powers", (form) => fixture({ catalog: "/Odd 6 0 R", objects: [form("/FunctionType 2/N 1")] })],
];

describe("readers disagree on a stream where a dictionary has to stand", () => {
  test.each(places)("%s: refused, signed or not", async (_, make) => {
    const [dictionary, stream] = forms.map(make) as [Uint8Array, Uint8Array];
    expect((await admit(dictionary)).bytes).toBeNull();
    await expect(admit(stream)).rejects.toMatchObject({ reason: "broken" });
    const { bytes } = await engine.seal(stream, { identity, sealedAt: 0 });
    await expect(admit(bytes)).rejects.toMatchObject({ reason: "ambiguous" });
  });
});

test("appearances of an annotation that are a stream become a dictionary, and are refused where it is signed", async () => {
  const given = fixture(
    { objects: [streamOf("", "/N 7 0 R"), streamOf("", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<>>")] },
    { entries: "/MediaBox[0 0 595 842]/Annots[<</Type/Annot/Subtype/Stamp/Rect[0 0 9 9]/F 4/AP 6 0 R>>]" },
  );
  const { bytes } = await admit(given);
  expect(latin1(bytes ?? given)).toMatch(/\/AP\s*<<\s*\/N 7 0 R\s*>>/);
  const signed = await engine.seal(given, { identity, sealedAt: 0 });
  await expect(admit(signed.bytes)).rejects.toMatchObject({ reason: "ambiguous" });
});

test("streams stay where they may stand: as a map of codes, a shading by its data, a color space's profile", async () => {
  const given = fixture({
    catalog: "/Odd[<</Encoding 6 0 R/DescendantFonts[]>><</PatternType 2/Shading 6 0 R/ExtGState<</TR 6 0 R>>>>7 0 R]",
    objects: [streamOf(""), "<</ColorSpace[/ICCBased 6 0 R]>>"],
  });
  expect(lookedThrough(await openDocument(given)).ambiguity).toBeNull();
});

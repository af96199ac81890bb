import { openDocument } from "@rubrica/pdf-reading/open";
import { type FixtureOptions, pdf } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf } from "@rubrica/test-kit/pdf/update";
import { expect, test, vi } from "vitest";
import { ActiveContentFinder } from "../src/active-content.ts";

const MANY = 200;
const many = (make: (index: number) => string): string =>
  Array.from({ length: MANY }, (_, index) => make(index)).join("");

/** Each of many dictionaries refers to the same list of many. */
const sharing: [string, FixtureOptions][] = [
  ...(
    [
      ["ExtGState", (index: number) => `/G${index}<</ca 1>>`],
      ["ColorSpace", (index: number) => `/G${index}[/Indexed/DeviceRGB 0<000000>]`],
      ["Properties", (index: number) => `/G${index}<</a 1>>`],
    ] as const
  ).map(([name, one]): [string, FixtureOptions] => [
    name,
    { objects: [`<<${many(one)}>>`, `[${many(() => `<</${name} 6 0 R>>`)}]`] },
  ]),
  [
    "states of annotations",
    {
      objects: [
        `<<${many((index) => `/G${index} 8 0 R`)}>>`,
        `[${many(() => "<</Type/Annot/Subtype/Widget/Rect[0 0 9 9]/AS/G1/F 4/AP<</N 6 0 R>>>>")}]`,
        streamOf("", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]"),
      ],
    },
  ],
];

test.each(sharing)("what many share is looked through once: %s", async (_, options) => {
  const { file } = await openDocument(pdf(options));
  const resolve = vi.spyOn(file, "resolve");
  const finder = new ActiveContentFinder(file);
  for (const { objectNumber } of file.references()) {
    const uncached = file.uncached(objectNumber);
    if (uncached) [...finder.in(uncached)];
  }
  expect(resolve.mock.calls.length).toBeGreaterThan(MANY);
  expect(resolve.mock.calls.length).toBeLessThan(MANY * 50);
});

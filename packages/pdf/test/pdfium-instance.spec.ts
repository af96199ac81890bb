import { expect, test } from "vitest";
import { PdfiumInstance } from "../src/room/pdfium-instance.ts";

test("an instance is kept from one file to the next", async () => {
  const instance = await PdfiumInstance.ready();
  expect(instance.attempt(() => "done")).toBe("done");
  instance.rest();
  expect(await PdfiumInstance.ready()).toBe(instance);
});

test.each([
  [
    "whose stack was too deep",
    () => {
      throw new RangeError("Maximum call stack size exceeded");
    },
  ],
  [
    "that asked for too much memory",
    ({ pdfium }: { pdfium: { wasmExports: { malloc(bytes: number): number } } }) => {
      return pdfium.wasmExports.malloc(200 * 1_048_576);
    },
  ],
] as const)("one %s does nothing more, and another one takes its place", async (_what, work) => {
  const instance = await PdfiumInstance.ready();
  expect(instance.attempt(work)).toBeUndefined();
  expect(instance.attempt(() => "done")).toBeUndefined();
  instance.rest();
  const next = await PdfiumInstance.ready();
  expect(next).not.toBe(instance);
  expect(next.attempt(() => "done")).toBe("done");
});

test("what is wrong with our own code is no file's fault", async () => {
  const instance = await PdfiumInstance.ready();
  expect(() =>
    instance.attempt(() => {
      throw new TypeError("undefined is not a function");
    }),
  ).toThrow(TypeError);
});

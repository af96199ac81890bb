import { expect, test } from "vitest";
import { PdfiumInstance } from "../src/room/pdfium-instance.ts";

const A_SECOND = 1_000;

test("an instance is kept from one file to the next", async () => {
  const instance = await PdfiumInstance.ready();
  expect(instance.attempt(A_SECOND, () => "done")).toBe("done");
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
  expect(instance.attempt(A_SECOND, work)).toBeUndefined();
  expect(instance.attempt(A_SECOND, () => "done")).toBeUndefined();
  instance.rest();
  const next = await PdfiumInstance.ready();
  expect(next).not.toBe(instance);
  expect(next.attempt(A_SECOND, () => "done")).toBe("done");
});

test("work without an end is broken off, and another instance takes the place", async () => {
  const instance = await PdfiumInstance.ready();
  const endless = () => {
    for (;;);
  };
  expect(instance.attempt(100, endless)).toBeUndefined();
  expect(instance.attempt(A_SECOND, () => "done")).toBeUndefined();
  expect((await PdfiumInstance.ready()).attempt(A_SECOND, () => "done")).toBe("done");
});

test("without time nothing is begun, and the instance stays", async () => {
  const instance = await PdfiumInstance.ready();
  expect(instance.attempt(0, () => "done")).toBeUndefined();
  expect(instance.attempt(A_SECOND, () => "done")).toBe("done");
});

test("what is wrong with our own code is no file's fault", async () => {
  const instance = await PdfiumInstance.ready();
  expect(() =>
    instance.attempt(A_SECOND, () => {
      throw new TypeError("undefined is not a function");
    }),
  ).toThrow(TypeError);
});

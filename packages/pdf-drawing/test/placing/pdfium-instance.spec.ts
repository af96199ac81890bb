import { getHeapStatistics } from "node:v8";
import { collectGarbage } from "@rubrica/test-kit/garbage";
import { describe, expect, test } from "vitest";
import { PdfiumInstance } from "../../src/placing/pdfium-instance.ts";

const A_SECOND = 1_000;

const MEGABYTE = 1_048_576;
const nothing = (): void => undefined;

/** Of PDFium's functions, the one that takes memory. */
interface Allocator {
  malloc(bytes: number): number;
}

/** What the first instance of this process holds once it has grown, in bytes; it is left then. */
const grown = async (): Promise<number> => {
  const instance = await PdfiumInstance.ready();
  instance.attempt(A_SECOND, ({ pdfium }) => (pdfium.wasmExports as Allocator).malloc(120 * MEGABYTE));
  const held = getHeapStatistics().external_memory;
  instance.rest(nothing);
  return held;
};

test("what an instance that was left held is free", async () => {
  const held = await grown();
  // What a turn still refers to is garbage in a later one.
  const freed = () => {
    collectGarbage({ type: "major", execution: "sync", flavor: "last-resort" });
    return held - getHeapStatistics().external_memory;
  };
  await expect.poll(freed).toBeGreaterThan(100 * MEGABYTE);
});

test("an instance is kept from one file to the next", async () => {
  const instance = await PdfiumInstance.ready();
  expect(instance.attempt(A_SECOND, () => "done")).toBe("done");
  instance.rest(nothing);
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
    ({ pdfium }: { pdfium: { wasmExports: Allocator } }) => pdfium.wasmExports.malloc(200 * MEGABYTE),
  ],
] as const)("one %s does nothing more, and another one takes its place", async (_what, work) => {
  const instance = await PdfiumInstance.ready();
  expect(instance.attempt(A_SECOND, work)).toBeUndefined();
  expect(instance.attempt(A_SECOND, () => "done")).toBeUndefined();
  instance.rest(nothing);
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

describe("work within work", () => {
  test("that fails is alone in that, and nothing more is begun", async () => {
    const instance = await PdfiumInstance.ready();
    const tooDeep = (): string => {
      throw new RangeError("Maximum call stack size exceeded");
    };
    const inner = () => [instance.attempt(A_SECOND, tooDeep), instance.attempt(A_SECOND, () => "done")];
    expect(instance.attempt(A_SECOND, inner)).toEqual([undefined, undefined]);
    expect(instance.attempt(A_SECOND, () => "done")).toBeUndefined();
  });

  test("is broken off with all of it", async () => {
    const instance = await PdfiumInstance.ready();
    const endless = () => {
      for (;;);
    };
    expect(instance.attempt(100, () => [instance.attempt(60_000, endless)])).toBeUndefined();
    expect((await PdfiumInstance.ready()).attempt(A_SECOND, () => "done")).toBe("done");
  });
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

import { HelpersBusy } from "@rubrica/helpers";
import { systemClock } from "@rubrica/runtime";
import { pdf } from "@rubrica/test-kit/pdf/fixtures";
import { afterEach, describe, expect, test } from "vitest";
import { createPdfEngine, PDF_TASK_LIMITS, type PdfEngine, type PdfEngineOptions } from "../../src/index.ts";

const engines: PdfEngine[] = [];
const started = (options: Omit<PdfEngineOptions, "clock">): PdfEngine => {
  const engine = createPdfEngine({ clock: systemClock, ...options });
  engines.push(engine);
  return engine;
};
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

/** A small file that takes a lot of memory: each of the numbers becomes an object. */
const hungry = () => pdf({ catalog: `/Hungry [${"0 ".repeat(4_000_000)}]` });
const refused = { name: "PdfRefused", reason: "too_complex" };

describe("a task that takes too much", () => {
  test("of time is ended, and the next one is served", async () => {
    const engine = started({ processes: 1, limits: { ...PDF_TASK_LIMITS, cpuMs: 100 } });
    await expect(engine.inspect(hungry())).rejects.toMatchObject(refused);
    expect((await engine.inspect(pdf())).pageCount).toBe(1);
  });

  test("of memory is ended, and the next one is served", async () => {
    const engine = started({ processes: 1, limits: { ...PDF_TASK_LIMITS, heapMb: 96 } });
    await expect(engine.inspect(hungry())).rejects.toMatchObject(refused);
    expect((await engine.inspect(pdf())).pageCount).toBe(1);
  });

  test("takes none of the others down with it", async () => {
    const engine = started({ processes: 2, limits: { ...PDF_TASK_LIMITS, heapMb: 96 } });
    const results = await Promise.allSettled([
      engine.inspect(pdf()),
      engine.inspect(hungry()),
      ...Array.from({ length: 10 }, () => engine.inspect(pdf())),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", ...Array(10).fill("fulfilled")]);
  });
});

test("more than may wait are turned away at once", async () => {
  const engine = started({ processes: 1, queued: 4 });
  const asked = Array.from({ length: 4 }, () => engine.inspect(pdf()));
  await expect(asked[3]).rejects.toBeInstanceOf(HelpersBusy);
  expect((await Promise.all(asked.slice(0, 3))).map(({ pageCount }) => pageCount)).toEqual([1, 1, 1]);
});

test("closing rejects what runs and what waits", async () => {
  const engine = started({ processes: 1 });
  const asked = [engine.inspect(pdf()), engine.inspect(pdf())];
  const settled = Promise.allSettled([...asked]);
  await engine.close();
  expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(engine.inspect(pdf())).rejects.toThrow("closed");
});

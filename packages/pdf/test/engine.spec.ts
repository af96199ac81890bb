import { systemClock } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { afterEach, describe, expect, test } from "vitest";
import { createPdfEngine, type PdfEngine, PdfEngineBusy, type PdfEngineOptions } from "../src/index.ts";
import { pdf } from "./fixtures.ts";

const engines: PdfEngine[] = [];
const started = (options: PdfEngineOptions): PdfEngine => {
  const engine = createPdfEngine(options);
  engines.push(engine);
  return engine;
};
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

/** A small file that takes a lot of memory: each of the numbers becomes an object. */
const hungry = () => pdf({ catalog: `/Hungry [${"0 ".repeat(4_000_000)}]` });

describe("a task that takes too much", () => {
  test("of time is ended, and the next one is served", async () => {
    const clock = new ManualClock();
    const engine = started({ clock, workers: 1, timeoutMs: 5_000 });
    const long = engine.inspect(hungry());
    clock.advance(5_000);
    await expect(long).rejects.toMatchObject({ name: "PdfRefused", reason: "too_complex" });
    expect((await engine.inspect(pdf())).pageCount).toBe(1);
  });

  test("of memory is ended, and the next one is served", async () => {
    const engine = started({ clock: systemClock, workers: 1, memoryMb: 96 });
    await expect(engine.inspect(hungry())).rejects.toMatchObject({ name: "PdfRefused", reason: "too_complex" });
    expect((await engine.inspect(pdf())).pageCount).toBe(1);
  });

  test("takes none of the others down with it", async () => {
    const engine = started({ clock: systemClock, workers: 2, memoryMb: 96 });
    const results = await Promise.allSettled([
      engine.inspect(pdf()),
      engine.inspect(hungry()),
      ...Array.from({ length: 10 }, () => engine.inspect(pdf())),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", ...Array(10).fill("fulfilled")]);
  });
});

test("more than may wait are turned away at once", async () => {
  const engine = started({ clock: systemClock, workers: 1, queued: 2 });
  const asked = Array.from({ length: 4 }, () => engine.inspect(pdf()));
  await expect(asked[3]).rejects.toBeInstanceOf(PdfEngineBusy);
  expect((await Promise.all(asked.slice(0, 3))).map(({ pageCount }) => pageCount)).toEqual([1, 1, 1]);
});

test("closing rejects what runs and what waits", async () => {
  const engine = started({ clock: systemClock, workers: 1 });
  const asked = [engine.inspect(pdf()), engine.inspect(pdf())];
  const settled = Promise.allSettled([...asked]);
  await engine.close();
  expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(engine.inspect(pdf())).rejects.toThrow("closed");
});

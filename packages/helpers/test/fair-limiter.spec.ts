import { ManualClock } from "@rubrica/runtime/testing";
import { expect, test } from "vitest";
import { createFairLimiter } from "../src/index.ts";

const QUEUE = { all: 20, ofOne: 10 };
const HEAVY_MS = 2_000;
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A limiter, and what each caller has under way. */
const limited = (width: number) => {
  const clock = new ManualClock();
  const limiter = createFairLimiter({ clock, name: "tests", width, queue: QUEUE });
  const underWay: string[] = [];
  const ends: (() => void)[] = [];
  const begin = async (caller: string, count: number): Promise<void> => {
    for (let number = 0; number < count; number += 1)
      void limiter.run(async () => {
        underWay.push(caller);
        await new Promise<void>((resolve) => ends.push(resolve));
        underWay.splice(underWay.indexOf(caller), 1);
      }, caller);
    await settled();
  };
  /** Ends what began first, after some time. */
  const end = async (ms: number): Promise<void> => {
    clock.advance(ms);
    ends.shift()?.();
    await settled();
  };
  return { begin, end, underWay };
};

test("who is alone has one place until it is known how long its work takes, then all but the last if it takes long", async () => {
  const { begin, end, underWay } = limited(4);
  await begin("a", 6);
  expect(underWay).toEqual(["a"]);
  await end(HEAVY_MS);
  expect(underWay).toEqual(["a", "a", "a"]);
  await begin("b", 1);
  expect(underWay).toEqual(["a", "a", "a", "b"]);
});

test("who has light work has all places, and who used less comes first", async () => {
  const { begin, end, underWay } = limited(2);
  await begin("a", 4);
  await end(10);
  expect(underWay).toEqual(["a", "a"]);
  await begin("b", 1);
  await end(10);
  expect(underWay).toEqual(["a", "b"]);
});

test("what fails gives its place back, and what is too much is refused", async () => {
  const limiter = createFairLimiter({ clock: new ManualClock(), name: "tests", width: 1, queue: { all: 1, ofOne: 1 } });
  const first = limiter.run(() => Promise.reject(new Error("failed")), "a");
  const second = limiter.run(async () => "done", "b");
  await expect(limiter.run(async () => "never", "c")).rejects.toMatchObject({ name: "HelpersBusy" });
  await expect(first).rejects.toThrow("failed");
  expect(await second).toBe("done");
});

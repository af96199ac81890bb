import { beforeEach, expect, test } from "vitest";
import { KeyedLimiter } from "../src/index.ts";

let limit: number;
let limiter: KeyedLimiter;
let begun: string[];

beforeEach(() => {
  limit = 1;
  limiter = new KeyedLimiter(() => limit);
  begun = [];
});

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Asks for work whose key is the first letter of its name. */
const ask = (name: string) => {
  const end = Promise.withResolvers<string>();
  const done = limiter.run(name.charAt(0), () => {
    begun.push(name);
    return end.promise;
  });
  return { ...end, done };
};

test("a key's work waits for what was asked for before, also where that fails, and for no other key's", async () => {
  const [a1, a2, a3, b1] = [ask("a1"), ask("a2"), ask("a3"), ask("b1")];
  await settled();
  expect(begun).toEqual(["a1", "b1"]);
  expect([limiter.waiting("a"), limiter.waiting("b"), limiter.waiting("c")]).toEqual([2, 0, 0]);
  a1.reject(new Error("failed"));
  await expect(a1.done).rejects.toThrow("failed");
  await settled();
  expect(begun).toEqual(["a1", "b1", "a2"]);
  a2.resolve("second");
  expect(await a2.done).toBe("second");
  await settled();
  expect(begun).toEqual(["a1", "b1", "a2", "a3"]);
  a3.resolve("third");
  b1.resolve("other");
  expect(await Promise.all([a3.done, b1.done])).toEqual(["third", "other"]);
});

test("a limit that falls holds back what comes after, and nobody who comes later overtakes who waits", async () => {
  limit = 2;
  const [a1, a2] = [ask("a1"), ask("a2")];
  ask("a3");
  limit = 3;
  ask("a4");
  await settled();
  expect(begun).toEqual(["a1", "a2"]);
  limit = 1;
  a1.resolve("");
  await a1.done;
  await settled();
  expect(begun).toEqual(["a1", "a2"]);
  a2.resolve("");
  await a2.done;
  await settled();
  expect(begun).toEqual(["a1", "a2", "a3"]);
});

test("a limit that rises lets on at once as many as it allows, once it is told to look", async () => {
  for (const name of ["a1", "a2", "a3", "a4"]) ask(name);
  limit = 3;
  await settled();
  expect(begun).toEqual(["a1"]);
  limiter.lookAgain();
  await settled();
  expect(begun).toEqual(["a1", "a2", "a3"]);
});

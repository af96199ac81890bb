import { expect, test } from "vitest";
import { oneAtATime } from "../src/one-at-a-time.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a caller's work waits for what they asked for before, also where it fails, and nobody else's does", async () => {
  const run = oneAtATime();
  const begun: string[] = [];
  const work = (name: string) => {
    const end = Promise.withResolvers<string>();
    const done = run(name.charAt(0), () => {
      begun.push(name);
      return end.promise;
    });
    return { ...end, done };
  };
  const [a1, a2, a3, b1] = ["a1", "a2", "a3", "b1"].map(work) as [
    ReturnType<typeof work>,
    ...ReturnType<typeof work>[],
  ];
  await settled();
  expect(begun).toEqual(["a1", "b1"]);
  a1.reject(new Error("failed"));
  await expect(a1.done).rejects.toThrow("failed");
  await settled();
  expect(begun).toEqual(["a1", "b1", "a2"]);
  a2?.resolve("second");
  expect(await a2?.done).toBe("second");
  await settled();
  expect(begun).toEqual(["a1", "b1", "a2", "a3"]);
  a3?.resolve("third");
  b1?.resolve("other");
  expect(await Promise.all([a3?.done, b1?.done])).toEqual(["third", "other"]);
});

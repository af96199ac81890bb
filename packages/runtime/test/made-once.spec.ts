import { expect, test } from "vitest";
import { madeOnce } from "../src/made-once.ts";

test("what is made of a text is kept, so many at most; what fails is not", () => {
  const asked: string[] = [];
  const lengthOf = madeOnce(2, (text) => {
    asked.push(text);
    if (text === "") throw new Error("nothing is made of nothing");
    return text.length;
  });
  expect([lengthOf("a"), lengthOf("ab"), lengthOf("a"), lengthOf("abc"), lengthOf("abc"), lengthOf("a")]).toEqual([
    1, 2, 1, 3, 3, 1,
  ]);
  expect(asked).toEqual(["a", "ab", "abc", "a"]);
  expect(() => lengthOf("")).toThrow();
  expect(() => lengthOf("")).toThrow();
});

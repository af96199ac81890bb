import { expect, test } from "vitest";
import { atFirstUse } from "../src/at-first-use.ts";

test("is made when it is first asked for, once, whatever it is; what fails is tried again", () => {
  let made = 0;
  const nothing = atFirstUse(() => {
    made += 1;
    if (made === 1) throw new Error("not yet");
    return undefined;
  });
  expect(made).toBe(0);
  expect(nothing).toThrow("not yet");
  expect([nothing(), nothing()]).toEqual([undefined, undefined]);
  expect(made).toBe(2);
});

import { expect, test } from "vitest";
import { yieldToOthers } from "../src/index.ts";

test("of all who wait for an iteration of the event loop one goes on in each, in their order", async () => {
  let turn = 0;
  let counting = true;
  const count = () => {
    turn++;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const went: [who: string, turn: number][] = [];
  const work = async (who: string) => {
    for (let slice = 0; slice < 3; slice++) {
      await yieldToOthers();
      went.push([who, turn]);
    }
  };
  await Promise.all(["a", "b", "c"].map(work));
  counting = false;
  expect(went.map(([who]) => who).join("")).toBe("abcabcabc");
  expect(new Set(went.map(([, at]) => at)).size).toBe(went.length);
});

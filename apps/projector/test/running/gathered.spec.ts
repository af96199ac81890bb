import { ManualClock } from "@rubrica/runtime/testing";
import { expect, test } from "vitest";
import { gathered } from "../../src/running/index.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));
const batch = (caughtUp: boolean) => ({ events: [], position: undefined, caughtUp });

test("a source goes on at once while it is behind, and half a second after nothing was left to read", async () => {
  const clock = new ManualClock();
  const { signal } = new AbortController();
  const source = async function* () {
    yield* [batch(false), batch(true), batch(true)];
  };
  let taken = 0;
  const all = (async () => {
    for await (const _ of gathered(source, clock)(undefined, signal)) taken += 1;
  })();
  await settled();
  expect(taken).toBe(2);
  clock.advance(499);
  await settled();
  expect(taken).toBe(2);
  clock.advance(1);
  await settled();
  expect(taken).toBe(3);
  clock.advance(500);
  await all;
});

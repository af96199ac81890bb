import { ManualClock } from "@rubrica/runtime/testing";
import type { Mongo } from "@rubrica/storage/mongodb";
import { expect, test } from "vitest";
import { Sweeper } from "../../src/mongodb/sweeper.ts";

const MINUTE_MS = 60_000;

const given = () => {
  const clock = new ManualClock();
  const left = new Set<string>();
  const mongo = { db: { dropCollection: async (name: string) => left.delete(name) } } as unknown as Mongo;
  const start = () => new Sweeper({ mongo, clock }, async () => [...left]);
  return { clock, left, start };
};
const settled = () => new Promise(setImmediate);

test("what was replaced stays for 15 minutes, then goes by itself", async () => {
  const { clock, left, start } = given();
  const sweeper = start();
  left.add("a");
  await sweeper.sweep();
  clock.advance(14 * MINUTE_MS);
  left.add("b");
  await sweeper.sweep();
  expect([...left]).toEqual(["a", "b"]);
  clock.advance(MINUTE_MS);
  await settled();
  expect([...left]).toEqual(["b"]);
  clock.advance(15 * MINUTE_MS);
  await settled();
  expect([...left]).toEqual([]);
  sweeper.close();
});

test("who comes after one that died leaves it for as long again", async () => {
  const { clock, left, start } = given();
  left.add("a");
  const first = start();
  await first.sweep();
  first.close();
  clock.advance(60 * MINUTE_MS);
  expect([...left]).toEqual(["a"]);
  const second = start();
  await second.sweep();
  clock.advance(15 * MINUTE_MS);
  await settled();
  expect([...left]).toEqual([]);
  second.close();
});

import { yieldToOthers } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { beforeEach, expect, test } from "vitest";
import { FairShare } from "../src/fair-share.ts";

let clock: ManualClock;
let share: FairShare;
/** What is being worked on, in the order in which it was begun, each with what ends it. */
let begun: { name: string; end: (error?: Error) => void }[];

beforeEach(() => {
  clock = new ManualClock();
  share = new FairShare(clock);
  begun = [];
});

const ask = (account: string, name = account): Promise<void> =>
  share.run(account, () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    begun.push({ name, end: (error) => (error ? reject(error) : resolve()) });
    return promise;
  });

const names = () => begun.map(({ name }) => name);

/** Ends what was begun first. */
const endFirst = async (work: Promise<void>, error?: Error): Promise<void> => {
  begun.shift()?.end(error);
  await work.catch(() => undefined);
  await yieldToOthers();
};

test("whoever is alone is worked for at once, whatever they ask", async () => {
  for (let count = 0; count < 16; count += 1) void ask("first");
  await yieldToOthers();
  expect(begun).toHaveLength(16);
});

test("while another account asks, three of one are worked on at a time, in their order; the other's wait for none", async () => {
  void ask("second");
  const works = ["a", "b", "c", "d", "e"].map((name) => ask("first", name));
  void ask("second");
  await yieldToOthers();
  expect(names()).toEqual(["second", "a", "b", "c", "second"]);
  begun.shift();
  await endFirst(works[0] as Promise<void>, new Error("refused"));
  expect(names()).toEqual(["b", "c", "second", "d"]);
  await endFirst(works[1] as Promise<void>);
  expect(names()).toEqual(["c", "second", "d", "e"]);
});

test("ten seconds after the other one asked last, and no sooner, all that waits goes on", async () => {
  void ask("second");
  const works = ["a", "b", "c", "d", "e", "f"].map((name) => ask("first", name));
  await yieldToOthers();
  begun.shift();
  clock.advance(9_999);
  await endFirst(works[0] as Promise<void>);
  expect(names()).toEqual(["b", "c", "d"]);
  clock.advance(1);
  await endFirst(works[1] as Promise<void>);
  expect(names()).toEqual(["c", "d", "e", "f"]);
});

import { expect, test } from "vitest";
import { SendingBudget } from "../../src/webhooks/sending-budget.ts";

const open = (limits = { totalBytes: 100, receiverBytes: 40 }) => {
  const stopping = new AbortController();
  return { stopping, budget: new SendingBudget(stopping.signal, limits) };
};

test("a receiver's callbacks hold no more than its share, and nobody else's is held up", () => {
  const { budget } = open();
  expect(budget.tryReserve("slow", 30)).toBeDefined();
  expect(budget.tryReserve("slow", 11)).toBeUndefined();
  expect(budget.tryReserve("slow", 10)).toBeDefined();
  expect(budget.tryReserve("other", 40)).toBeDefined();
});

test("all together hold no more than there is", () => {
  const { budget } = open();
  for (const receiver of ["a", "b"]) expect(budget.tryReserve(receiver, 40)).toBeDefined();
  expect(budget.tryReserve("c", 21)).toBeUndefined();
  expect(budget.tryReserve("c", 20)).toBeDefined();
});

test("one that is larger than a share goes alone of its receiver's", () => {
  const { budget } = open();
  const large = budget.tryReserve("a", 60);
  expect(large).toBeDefined();
  expect(budget.tryReserve("a", 1)).toBeUndefined();
  large?.[Symbol.dispose]();
  expect(budget.tryReserve("a", 1)).toBeDefined();
});

test("usually, a receiver has 4 MiB and all together 64 MiB, to the byte", () => {
  const budget = new SendingBudget(new AbortController().signal);
  const [ofOne, receivers] = [4_194_304, 16];
  expect(budget.tryReserve("receiver 0", ofOne - 1)).toBeDefined();
  expect(budget.tryReserve("receiver 0", 2)).toBeUndefined();
  expect(budget.tryReserve("receiver 0", 1)).toBeDefined();
  for (let other = 1; other < receivers - 1; other += 1) budget.tryReserve(`receiver ${other}`, ofOne);
  expect(budget.tryReserve("last", ofOne - 1)).toBeDefined();
  expect(budget.tryReserve("one more", 2)).toBeUndefined();
  expect(budget.tryReserve("one more", 1)).toBeDefined();
});

test("who waits is told once there is budget, and nobody before", async () => {
  const { budget } = open();
  const held = budget.tryReserve("a", 40);
  let entered = false;
  const waiting = budget.wait("a", 10).then(() => {
    entered = true;
  });
  budget.tryReserve("b", 10)?.[Symbol.dispose]();
  await new Promise(setImmediate);
  expect(entered).toBe(false);
  held?.[Symbol.dispose]();
  await waiting;
  held?.[Symbol.dispose]();
  expect(budget.tryReserve("a", 40)).toBeDefined();
  expect(budget.tryReserve("a", 1)).toBeUndefined();
});

test("whoever waits is let go when the service stops", async () => {
  const { budget, stopping } = open();
  budget.tryReserve("a", 40);
  const waiting = budget.wait("a", 10);
  stopping.abort(new Error("stopping"));
  await expect(waiting).rejects.toThrow("stopping");
  await expect(budget.wait("a", 10)).rejects.toThrow("stopping");
});

import { ManualClock } from "@rubrica/runtime/testing";
import { expect, test } from "vitest";
import { FairQueue } from "../src/fair-queue.ts";

/** So many helpers at work of two for all, or of some other number, where there is memory for more. */
const at = (working: number, { shared = 2, spare = 0, room = true } = {}) => ({
  working,
  shared,
  spare,
  hasMemory: () => room,
});
const queueOf = (clock = new ManualClock()) => new FairQueue<string>(clock, { all: 100, ofOne: 100 });

test("who used least lately comes first", () => {
  const queue = queueOf();
  for (const job of ["a1", "a2"]) queue.push("a", job);
  expect(queue.take(at(0, { shared: 1 }))).toBe("a1");
  queue.ended("a", 500);
  queue.push("b", "b1");
  expect(queue.take(at(0, { shared: 1 }))).toBe("b1");
});

test("what was used is forgotten in time", () => {
  const clock = new ManualClock();
  const queue = queueOf(clock);
  queue.push("a", "a1");
  queue.take(at(0, { shared: 1 }));
  queue.ended("a", 5_000);
  clock.advance(120_000);
  queue.push("b", "b1");
  queue.take(at(0, { shared: 1 }));
  queue.ended("b", 100);
  queue.push("b", "b2");
  queue.push("a", "a2");
  expect(queue.take(at(0, { shared: 1 }))).toBe("a2");
});

test("a caller has one helper until a task of theirs has ended, then all", () => {
  const queue = queueOf();
  for (const job of ["a1", "a2", "a3"]) queue.push("a", job);
  expect([queue.take(at(0)), queue.take(at(1))]).toEqual(["a1", undefined]);
  queue.ended("a", 20);
  expect([queue.take(at(0)), queue.take(at(1))]).toEqual(["a2", "a3"]);
});

test("whoever is alone has all shared helpers, however much they used", () => {
  const queue = queueOf();
  for (let index = 0; index < 20; index += 1) {
    queue.push("a", `a${index}`);
    queue.take(at(0));
    queue.ended("a", 150);
  }
  for (const job of ["a20", "a21", "a22"]) queue.push("a", job);
  const taken = [0, 1, 2].map((working) => queue.take(at(working, { spare: 1 })));
  expect(taken).toEqual(["a20", "a21", undefined]);
});

test("more than one task that is not known as light needs memory for it", () => {
  const queue = queueOf();
  queue.push("a", "a1");
  queue.take(at(0, { spare: 1 }));
  queue.ended("a", 4_000);
  for (const job of ["a2", "a3"]) queue.push("a", job);
  expect(queue.take(at(0, { spare: 1 }))).toBe("a2");
  expect(queue.take(at(1, { spare: 1, room: false }))).toBeUndefined();
  expect(queue.take(at(1, { spare: 1 }))).toBe("a3");
});

test("the spare helper is for who has none at work", () => {
  const queue = queueOf();
  for (const job of ["a1", "a2", "a3", "a4"]) queue.push("a", job);
  queue.take(at(0, { spare: 1 }));
  queue.ended("a", 20);
  queue.take(at(0, { spare: 1 }));
  queue.take(at(1, { spare: 1 }));
  expect(queue.take(at(2, { spare: 1 }))).toBeUndefined();
  queue.push("b", "b1");
  expect(queue.take(at(2, { spare: 1 }))).toBe("b1");
});

test.each([0, 1])("callers of heavy tasks never have the last free helper, of two and %d spare", (spare) => {
  const queue = queueOf();
  const most = 2 + spare;
  for (const caller of ["a", "b"]) {
    queue.push(caller, `${caller}1`);
    queue.take(at(0, { spare }));
    queue.ended(caller, 8_000);
    queue.push(caller, `${caller}2`);
  }
  expect(queue.take(at(most - 1, { spare }))).toBeUndefined();
  queue.push("c", "c1");
  expect(queue.take(at(most - 1, { spare }))).toBe("c1");
  queue.ended("c", 10);
  expect(queue.take(at(most - 2, { spare }))).toBe("a2");
});

test("many light tasks beside heavy ones don't hide them", () => {
  const queue = queueOf();
  for (let index = 0; index < 50; index += 1) {
    queue.push("a", "light");
    queue.take(at(0));
    queue.ended("a", 10);
    if (index % 10 > 0) continue;
    queue.push("a", "heavy");
    queue.take(at(0));
    queue.ended("a", 4_000);
  }
  queue.push("c", "c1");
  expect(queue.take(at(0))).toBe("c1");
  queue.push("a", "heavy");
  expect(queue.take(at(1))).toBeUndefined();
});

test("a caller counts among the others while a job is here, and for less than a minute after it", () => {
  const clock = new ManualClock();
  const queue = queueOf(clock);
  expect(queue.hasOthers("b")).toBe(false);
  queue.push("a", "a1");
  clock.advance(3_600_000);
  expect([queue.hasOthers("b"), queue.hasOthers("a")]).toEqual([true, false]);
  queue.take(at(0));
  clock.advance(3_600_000);
  expect(queue.hasOthers("b")).toBe(true);
  queue.ended("a", 20);
  clock.advance(59_999);
  expect(queue.hasOthers("b")).toBe(true);
  clock.advance(1);
  expect(queue.hasOthers("b")).toBe(false);
});

import { ManualClock } from "@rubrica/runtime/testing";
import { expect, test } from "vitest";
import { FairQueue } from "../src/fair-queue.ts";

const queueOf = (clock = new ManualClock()) => new FairQueue<string>(clock, { all: 100, ofOne: 100 });

test("who used least lately comes first", () => {
  const queue = queueOf();
  for (const job of ["a1", "a2"]) queue.push("a", job);
  expect(queue.take(1, 1)).toBe("a1");
  queue.ended("a", 500);
  queue.push("b", "b1");
  expect(queue.take(1, 1)).toBe("b1");
});

test("what was used is forgotten in time", () => {
  const clock = new ManualClock();
  const queue = queueOf(clock);
  queue.push("a", "a1");
  queue.take(1, 1);
  queue.ended("a", 5_000);
  clock.advance(120_000);
  queue.push("b", "b1");
  queue.take(1, 1);
  queue.ended("b", 100);
  queue.push("b", "b2");
  queue.push("a", "a2");
  expect(queue.take(1, 1)).toBe("a2");
});

test("a caller has one helper until its tasks are known as light, then all", () => {
  const queue = queueOf();
  for (const job of ["a1", "a2", "a3"]) queue.push("a", job);
  expect([queue.take(2, 2), queue.take(1, 2)]).toEqual(["a1", undefined]);
  queue.ended("a", 20);
  expect([queue.take(2, 2), queue.take(1, 2)]).toEqual(["a2", "a3"]);
});

test("callers of heavy tasks never have the last free helper", () => {
  const queue = queueOf();
  for (const caller of ["a", "b"]) {
    queue.push(caller, `${caller}1`);
    queue.take(2, 2);
    queue.ended(caller, 8_000);
    queue.push(caller, `${caller}2`);
  }
  queue.push("c", "c1");
  expect(queue.take(2, 2)).toBe("c1");
  expect(queue.take(1, 2)).toBeUndefined();
  queue.ended("c", 10);
  expect(queue.take(2, 2)).toBe("a2");
  expect(queue.take(1, 2)).toBeUndefined();
});

test("a busy caller of light tasks has the last free helper, and no more than one", () => {
  const queue = queueOf();
  const busy = Array.from({ length: 20 }, (_, index) => `b${index}`);
  for (const job of busy) queue.push("b", job);
  for (const _ of busy) {
    queue.take(2, 2);
    queue.ended("b", 150);
  }
  queue.push("a", "a1");
  queue.take(2, 2);
  queue.ended("a", 4_000);
  queue.push("a", "a2");
  expect(queue.take(2, 2)).toBe("a2");
  for (const job of ["b20", "b21"]) queue.push("b", job);
  expect(queue.take(1, 2)).toBe("b20");
  expect(queue.take(1, 2)).toBeUndefined();
});

test("many light tasks beside heavy ones don't hide them", () => {
  const queue = queueOf();
  for (let index = 0; index < 50; index += 1) {
    queue.push("a", "light");
    queue.take(2, 2);
    queue.ended("a", 10);
    if (index % 10 > 0) continue;
    queue.push("a", "heavy");
    queue.take(2, 2);
    queue.ended("a", 4_000);
  }
  queue.push("c", "c1");
  expect(queue.take(2, 2)).toBe("c1");
  queue.push("a", "heavy");
  expect(queue.take(1, 2)).toBeUndefined();
});

import { expect, test } from "vitest";
import { Trust } from "../../src/publishing/trust.ts";

const taken = { isOver: true, tookMs: 10 };

test("a new receiver is told of 2 webhooks at a time, of twice as many after each that it takes, and of 24 at most", () => {
  const trust = new Trust();
  const windows = Array.from({ length: 6 }, () => {
    const window = trust.of("a");
    trust.learn("a", taken);
    return window;
  });
  expect(windows).toEqual([2, 4, 8, 16, 24, 24]);
});

test("one that fails is told of one at a time, and trusted again after two in a row", () => {
  const trust = new Trust();
  const known = () => [trust.of("a"), trust.isTrusted("a")];
  trust.learn("a", taken);
  expect(known()).toEqual([4, true]);
  trust.learn("a", { isOver: false, tookMs: 10 });
  expect(known()).toEqual([1, false]);
  trust.learn("a", taken);
  expect(known()).toEqual([2, false]);
  trust.learn("a", taken);
  expect(known()).toEqual([4, true]);
});

test("one that takes 5 s is slow, as if it failed", () => {
  const trust = new Trust();
  trust.learn("a", { isOver: true, tookMs: 4_999 });
  trust.learn("b", { isOver: true, tookMs: 5_000 });
  expect([trust.of("a"), trust.of("b")]).toEqual([4, 1]);
});

test("50,000 are remembered, and the one heard of longest ago is forgotten first", () => {
  const trust = new Trust();
  for (let number = 0; number < 50_000; number += 1) trust.learn(`lane ${number}`, taken);
  trust.learn("lane 0", taken);
  expect([trust.of("lane 0"), trust.of("lane 1")]).toEqual([8, 4]);
  trust.learn("one more", taken);
  expect([trust.of("lane 0"), trust.of("lane 1"), trust.of("lane 2")]).toEqual([8, 2, 4]);
});

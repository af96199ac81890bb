import { ManualClock } from "@rubrica/runtime/testing";
import { expect, test } from "vitest";
import { progressTeller, stepTeller } from "../src/progress.ts";

const at = (commit: number) => ({ commit: BigInt(commit), prepare: 0n });

test("progress is told every two seconds: done, of about how many, how fast, and what is left", () => {
  const clock = new ManualClock();
  const lines: string[] = [];
  const tell = progressTeller({ clock, last: at(1_000_000), print: (line) => lines.push(line) });
  tell({ events: 500, position: at(5_000) });
  expect(lines).toEqual([]);
  clock.advance(2_000);
  tell({ events: 10_000, position: at(100_000) });
  clock.advance(1_999);
  tell({ events: 20_000, position: at(200_000) });
  clock.advance(6_001);
  tell({ events: 90_000, position: at(900_000) });
  expect(lines).toEqual([
    "10,000 of about 100,000 events, 5,000 a second, about 18 s left.",
    "90,000 of about 100,000 events, 9,000 a second, about 2 s left.",
  ]);
});

test("what was appended meanwhile makes the whole no smaller than what is done", () => {
  const clock = new ManualClock();
  const lines: string[] = [];
  const tell = progressTeller({ clock, last: at(10), print: (line) => lines.push(line) });
  clock.advance(400_000);
  tell({ events: 20, position: at(20) });
  expect(lines).toEqual(["20 of about 20 events, 0 a second, about 0 s left."]);
});

test("a step says how much of it is done, and the next one begins anew", () => {
  const clock = new ManualClock();
  const lines: string[] = [];
  const tell = stepTeller<string>({ clock, print: (line) => lines.push(line), wordsOf: (step) => `Things ${step}` });
  tell("copied", 1, 90_000);
  clock.advance(1_999);
  tell("copied", 900, 90_000);
  clock.advance(1);
  tell("copied", 1_000, 90_000);
  tell("copied", 1_001, 90_000);
  clock.advance(2_000);
  tell("copied", 90_010, 90_000);
  tell("checked", 1, 90_000);
  clock.advance(2_000);
  tell("checked", 45_000, 90_000);
  expect(lines).toEqual([
    "Things copied: 1,000 of 90,000, 500 a second, about 3 min left.",
    "Things copied: 90,010 of 90,010, 22,503 a second, about 0 s left.",
    "Things checked: 45,000 of 90,000, 22,500 a second, about 2 s left.",
  ]);
});

import { systemClock, yieldToOthers } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { expect, onTestFinished, test } from "vitest";
import { Helper } from "../src/helper.ts";
import { createHelperBudget } from "../src/index.ts";

const CPU_MS = 4_000;

/** A helper that goes by a clock which stands still; what it takes is looked at as ever. */
const started = () => {
  const clock = new ManualClock();
  const budget = createHelperBudget({ clock: systemClock, totalMb: 1_000 });
  const limits = { cpuMs: CPU_MS, heapMb: 64, memoryMb: 400 };
  const entry = new URL("./helper.ts", import.meta.url);
  const helper = new Helper(clock, budget, limits, { entry, title: "rubrica: tests" });
  onTestFinished(() => helper.kill());
  return { clock, helper };
};

const done = { kind: "done", result: 1 };

test("a process has half a minute to start", async () => {
  const { clock, helper } = started();
  const answered = helper.run({ do: "echo", value: 1 }, true);
  // It has started no sooner than in a later turn.
  clock.advance(29_999);
  expect((await answered).outcome).toEqual(done);

  const { clock: other, helper: late } = started();
  const overdue = late.run({ do: "echo", value: 1 }, true);
  other.advance(30_000);
  expect((await overdue).outcome).toBe("overdue");
});

test("a task that uses no processor time is cut short after four times what it may use, and twenty seconds", async () => {
  const { clock, helper } = started();
  expect((await helper.run({ do: "echo", value: 1 }, true)).outcome).toEqual(done);
  let outcome: unknown;
  const running = helper.run({ do: "wait" }, true).then((ended) => {
    outcome = ended.outcome;
  });
  await yieldToOthers();
  clock.advance(20_000 + 4 * CPU_MS - 1);
  await yieldToOthers();
  expect(outcome).toBeUndefined();
  clock.advance(1);
  await running;
  expect(outcome).toBe("overdue");
});

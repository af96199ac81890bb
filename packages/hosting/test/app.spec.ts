import { expect, test } from "vitest";
import { compose } from "../src/index.ts";

test("apps close one after the other, the last first, and run together until the signal", async () => {
  const done: string[] = [];
  const app = (name: string) => ({
    run: async (signal: AbortSignal) => void done.push(`${name} ran, ${signal.aborted ? "aborted" : "not aborted"}`),
    close: async () => {
      await Promise.resolve();
      done.push(`${name} closed`);
    },
  });
  const all = compose([app("first"), {}, app("second")]);
  await all.run(new AbortController().signal);
  await all.close();
  expect(done).toEqual(["first ran, not aborted", "second ran, not aborted", "second closed", "first closed"]);
});

test("what one of them can't go on with ends all", async () => {
  const all = compose([
    { run: () => Promise.reject(new Error("the log is gone")) },
    { run: () => new Promise(() => {}) },
  ]);
  await expect(all.run(new AbortController().signal)).rejects.toThrow("the log is gone");
});

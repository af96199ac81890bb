import { describe, expect, test } from "vitest";
import { outcomeOf, resultOf } from "../../src/engine/outcome.ts";
import type { Task } from "../../src/engine/tasks.ts";

const text = (value: string): Uint8Array => Buffer.from(value);
const stamping: Task = { kind: "stamp", bytes: text("a file"), stamps: [] };
const preparing: Task = { ...stamping, kind: "prepareArchive", data: null, contentsBytes: 8 };
const prepared = (bytes: Uint8Array) => ({ bytes, contentsOffset: 7, contentsBytes: 8, digest: text("digest") });

describe("what a helper sends of a file that it made", () => {
  test.each([
    ["a revision", stamping, text("a file and more"), 9],
    ["a revision with what is told of it", preparing, prepared(text("a file and more")), 9],
    ["the file itself", stamping, text("a file"), 0],
    ["another file", stamping, text("another file"), 12],
    ["the beginning of the file", stamping, text("a fil"), 5],
  ])("%s: no more than is new, and it is whole again on the other side", (_what, task, result, sentBytes) => {
    const outcome = outcomeOf(task, result);
    const sent = outcome.kind === "done" ? outcome.result : null;
    expect(sent instanceof Uint8Array ? sent.length : (sent as { bytes: Uint8Array }).bytes.length).toBe(sentBytes);
    expect(resultOf(task, outcome)).toEqual(result);
  });

  test("results without a file, or of tasks without one, are sent as they are", () => {
    const admitted = { bytes: null, active: [], disarmed: [] };
    for (const [task, result] of [
      [{ kind: "admit", bytes: text("a file") }, admitted],
      [{ kind: "undrawable", texts: ["x"] }, [[]]],
    ] as [Task, never][])
      expect(resultOf(task, outcomeOf(task, result))).toBe(result);
  });
});

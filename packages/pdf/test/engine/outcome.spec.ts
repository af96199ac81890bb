import { describe, expect, test } from "vitest";
import { outcomeOf, resultOf } from "../../src/engine/outcome.ts";
import type { Task } from "../../src/engine/tasks.ts";

const text = (value: string): Uint8Array => Buffer.from(value);
const stamping: Task = { kind: "stamp", bytes: text("a file"), stamps: [] };
const preparing = { kind: "prepareArchive", bytes: text("a file"), data: null, contentsBytes: 8 } as const;
const told = { contentsOffset: 7, contentsBytes: 8, digest: text("digest") };

describe("what a helper sends of a file that it made", () => {
  test.each([
    ["a revision", stamping, text("a file and more"), 9],
    ["the file itself", stamping, text("a file"), 0],
    ["another file", stamping, text("another file"), 12],
    ["the beginning of the file", stamping, text("a fil"), 5],
  ])("%s: no more than is new, and it is whole again on the other side", (_what, task, result, sentBytes) => {
    const outcome = outcomeOf(task, result);
    const sent = outcome.kind === "done" ? outcome.result : null;
    expect(sent instanceof Uint8Array ? sent.length : (sent as { bytes: Uint8Array }).bytes.length).toBe(sentBytes);
    expect(resultOf(task, outcome)).toEqual(result);
  });

  test.each([
    ["the task's own file", preparing.bytes, 9],
    ["what it was mended to", text("a file"), 15],
  ])("an update of %s is not joined for it, and is whole on the other side", (_what, base, sentBytes) => {
    const outcome = outcomeOf(preparing, { ...told, bytes: { base, added: text(" and more") } });
    const { result } = outcome as { result: { bytes: Uint8Array } };
    expect(result.bytes).toHaveLength(sentBytes);
    const { bytes, ...rest } = resultOf<"prepareArchive">(preparing, outcome);
    expect(Buffer.from(bytes).toString()).toBe("a file and more");
    expect(rest).toEqual(told);
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

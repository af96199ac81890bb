import { once } from "node:events";
import { readdirSync } from "node:fs";
import { yieldToOthers } from "@rubrica/runtime";
import { takeWarnings, temporaryFolder } from "@rubrica/test-kit";
import { expect, test, vi } from "vitest";
import { HelperProcess } from "../src/process.ts";

/** More often than an emitter may have listeners before the runtime warns of them. */
const TIMES = 20;

test("a helper that has ended is not held on to, however often it is ended again to make room", async () => {
  const warnings: string[] = [];
  const collect = ({ message }: Error) => void warnings.push(message);
  process.on("warning", collect);
  const entry = new URL("./helper.ts", import.meta.url);
  const helper = new HelperProcess({ entry, title: "rubrica: tests", heapMb: 128, user: undefined });
  await helper.ready;
  for (let time = 0; time < TIMES; time++) await helper.kill();
  // The runtime warns a moment later.
  await yieldToOthers();
  process.off("warning", collect);
  expect(warnings).toEqual([]);
});

test("what the runtime warns of in a helper, it warns of where somebody reads it, without what was said", async () => {
  const entry = new URL("./helper.ts", import.meta.url);
  const helper = new HelperProcess({ entry, title: "rubrica: tests", heapMb: 128, user: undefined });
  await helper.ready;
  const warned = once(process, "warning");
  expect(await helper.run({ do: "warn", about: "a text of a file" })).toEqual({ kind: "done", result: undefined });
  const [warning] = await warned;
  expect(warning).toMatchObject({
    name: "TestWarning",
    message: "in a helper (rubrica: tests)",
    detail: expect.stringMatching(/^\s+at /),
  });
  await helper.kill();
  expect(takeWarnings().join()).not.toContain("a text of a file");
});

test("what the runtime compiled for a first task is kept for the next helper, though the process is ended by a signal", async () => {
  using folder = temporaryFolder();
  vi.stubEnv("NODE_COMPILE_CACHE", folder.path);
  try {
    const entry = new URL("./helper.ts", import.meta.url);
    const helper = new HelperProcess({ entry, title: "rubrica: tests", heapMb: 128, user: undefined });
    await helper.ready;
    expect(await helper.run({ do: "echo", value: 1 })).toEqual({ kind: "done", result: 1 });
    // It answers before it writes, and takes the next task after.
    await helper.run({ do: "echo", value: 2 });
    await helper.kill();
    expect(readdirSync(folder.path, { recursive: true }).length).toBeGreaterThan(1);
  } finally {
    vi.unstubAllEnvs();
  }
});

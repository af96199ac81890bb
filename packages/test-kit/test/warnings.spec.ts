import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { Worker } from "node:worker_threads";
import { yieldToOthers } from "@rubrica/runtime";
import { afterEach, expect, test, vi } from "vitest";
import {
  eventually,
  followWarningsOf,
  spawnService,
  startServiceProcess,
  takeWarnings,
  temporaryFolder,
} from "../src/index.ts";
import { asFile, LEFT_VARIABLE, leftWarnings } from "../src/warnings.ts";

afterEach(() => vi.unstubAllEnvs());

// Each test takes what it made: what nobody takes fails the file (test/support/each-file.ts).

test("a warning in the process of the tests is noted, with its stack", async () => {
  const emitter = new EventEmitter();
  for (let count = 0; count < 11; count += 1) emitter.on("told", () => undefined);
  await yieldToOthers();
  expect(takeWarnings()).toEqual([expect.stringMatching(/^MaxListenersExceededWarning: .*\n {4}at /)]);
});

test("a warning that comes when its file is over is told of that file, and kept for the end of the run until it is taken", async () => {
  using folder = temporaryFolder();
  vi.stubEnv(LEFT_VARIABLE, folder.path);
  asFile("another.spec.ts", () => process.emitWarning("late"));
  await yieldToOthers();
  const told = [expect.stringContaining("of another.spec.ts, which was over: Warning: late")];
  expect(leftWarnings(folder.path)).toEqual(told);
  expect(takeWarnings()).toEqual(told);
  expect(leftWarnings(folder.path)).toEqual([]);
});

test("a warning in a thread of the process of the tests is noted", async () => {
  const thread = new Worker(`process.emitWarning("told");`, { eval: true });
  await once(thread, "exit");
  const [warning, ...others] = await eventually("a warning", () => {
    const warnings = takeWarnings();
    return warnings.length > 0 && warnings;
  });
  expect(warning).toMatch(/^a thread: \(node:\d+\) Warning: told/);
  expect(others).toEqual([]);
});

test("what a warning says in detail is noted, as a helper's own stack is", async () => {
  process.emitWarning("in a helper (pdf)", { type: "Warning", detail: "Warning: told\n    at helper.ts:1" });
  await yieldToOthers();
  expect(takeWarnings()).toEqual([expect.stringContaining("\nWarning: told\n    at helper.ts:1")]);
});

test("a warning in a service that a test starts is noted, with its stack", async () => {
  using folder = temporaryFolder();
  // It is loaded by each of the service's threads.
  const program = `import { isMainThread } from "node:worker_threads"; if (isMainThread) process.emitWarning("told");`;
  const warning = encodeURIComponent(program);
  const environment = { NODE_OPTIONS: `--import=data:text/javascript,${warning}` };
  await using service = await startServiceProcess({ dataDir: folder.path, environment });
  await service.end("SIGKILL");
  expect(takeWarnings()).toEqual([expect.stringMatching(/^standalone: \(node:\d+\) Warning: told\n {4}at /)]);
});

test("a warning in another process that a test starts is noted, with its stack, and what else it says is not", async () => {
  const program = `console.error("Warning: of its own"); process.emitWarning("told");`;
  const child = followWarningsOf("program", spawn(process.execPath, ["--trace-warnings", "--eval", program]));
  await once(child, "close");
  expect(takeWarnings()).toEqual([expect.stringMatching(/^program: \(node:\d+\) Warning: told\n {4}at /)]);
});

test("a process whose warnings can't be read is not followed", async () => {
  const child = spawn(process.execPath, ["--eval", ""], { stdio: "ignore" });
  expect(() => followWarningsOf("program", child)).toThrow("the standard error of program is not piped");
  await once(child, "close");
});

test("what a service says of itself is none", async () => {
  using folder = temporaryFolder();
  await using service = await spawnService({ dataDir: folder.path, environment: { MAX_SIGNERS: "many" } });
  await service.ended;
  expect(service.stderr()).not.toBe("");
  expect(takeWarnings()).toEqual([]);
});

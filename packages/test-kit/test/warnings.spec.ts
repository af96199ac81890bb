import { EventEmitter } from "node:events";
import { yieldToOthers } from "@rubrica/runtime";
import { expect, test } from "vitest";
import { spawnService, startServiceProcess, takeWarnings, temporaryFolder } from "../src/index.ts";

// Each test takes what it made: what nobody takes fails the file (test/support/each-file.ts).

test("a warning in the process of the tests is noted, with its stack", async () => {
  const emitter = new EventEmitter();
  for (let count = 0; count < 11; count += 1) emitter.on("told", () => undefined);
  await yieldToOthers();
  expect(takeWarnings()).toEqual([expect.stringMatching(/^MaxListenersExceededWarning: .*\n {4}at /)]);
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

test("what a service says of itself is none", async () => {
  using folder = temporaryFolder();
  await using service = await spawnService({ dataDir: folder.path, environment: { MAX_SIGNERS: "many" } });
  await service.ended;
  expect(service.stderr()).not.toBe("");
  expect(takeWarnings()).toEqual([]);
});

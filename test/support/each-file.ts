// Runs before each file of tests (see vitest.config.ts).
import { yieldToOthers } from "@rubrica/runtime";
import { leftRunning } from "@rubrica/test-kit/left-running";
import { asFile, followWarnings, takeWarnings } from "@rubrica/test-kit/warnings";
import { afterAll, aroundAll, expect } from "vitest";

// What is skipped for want of a tool is told by file.
const file = expect.getState().testPath ?? "";
process.env.RUBRICA_TEST_FILE = file;

// As most shells have it: where others may read what is made, it is seen who keeps them from it.
process.umask(0o022);

// Once in a process: what is to be done after a file is not done where all of its tests are skipped.
followWarnings();
aroundAll(async (runFile) => {
  await asFile(file, runFile);
});

// Registered before any of the file's own, it runs after all of them: the processes that they started are to have ended.
afterAll(async () => {
  // The runtime tells of a warning in a later turn.
  await yieldToOthers();
  expect(takeWarnings(), "what the runtime warned of").toEqual([]);
  expect(await leftRunning(), "services that no test ended").toEqual([]);
});

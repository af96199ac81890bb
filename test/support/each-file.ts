// Runs before each file of tests (see vitest.config.ts).
import { yieldToOthers } from "@rubrica/runtime";
import { noteWarning, takeWarnings } from "@rubrica/test-kit/warnings";
import { afterAll, expect } from "vitest";

// What is skipped for want of a tool is told by file.
process.env.RUBRICA_TEST_FILE = expect.getState().testPath ?? "";

const note = (warning: Error): void => noteWarning(warning.stack ?? String(warning));
process.on("warning", note);

// Registered before any of the file's own, it runs after all of them: the processes that they started have ended.
afterAll(async () => {
  // The runtime tells of a warning in a later turn.
  await yieldToOthers();
  process.off("warning", note);
  expect(takeWarnings(), "what the runtime warned of").toEqual([]);
});

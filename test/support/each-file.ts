// Runs before each file of tests (see vitest.config.ts).
import { expect } from "vitest";

// What is skipped for want of a tool is told by file.
process.env.RUBRICA_TEST_FILE = expect.getState().testPath ?? "";

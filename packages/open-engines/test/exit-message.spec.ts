import { expect, test } from "vitest";
import { exitMessage } from "../src/index.ts";

test("what nobody foresaw is one line that says how to see its stack, and the stack when it is asked for", () => {
  const error = new TypeError("x is not a function\nat once");
  expect(exitMessage(error, { environment: {} })).toBe(
    "Something that was not foreseen went wrong (TypeError: x is not a function); LOG_LEVEL=debug shows where.",
  );
  expect(exitMessage(error, { environment: { LOG_LEVEL: "debug" } })).toContain("    at ");
});

test.each([
  [
    { code: "ENOSPC", syscall: "write" },
    "A file can't be written: no space is left on its disk: make room, or set DATA_DIR to another folder.",
  ],
  [
    { code: "EDQUOT", syscall: "write" },
    "A file can't be written: its quota is used up: make room, or set DATA_DIR to another folder.",
  ],
  [
    { code: "ENOSPC", syscall: "open", path: "/data/secret" },
    "/data/secret can't be used: no space is left on its disk.",
  ],
])("a disk that takes no more is told of, with or without the file's name: %j", (fields, sentence) => {
  expect(exitMessage(Object.assign(new Error(fields.code), fields), { environment: {} })).toBe(sentence);
});

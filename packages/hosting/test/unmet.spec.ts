import { HelpersBusy } from "@rubrica/helpers";
import { UnreadableStreamError } from "@rubrica/journal";
import type { HandlingFailure } from "@rubrica/message-bus";
import { expect, test } from "vitest";
import { causeOf, tellUnmet } from "../src/unmet.ts";

const body = {
  obligation: { id: "e-1:seal", kind: "seal", signerId: null, dueAt: "2026-01-01T00:00:00.000Z", attempts: 0 },
  documentId: "d-1",
  accountId: "a-1",
};

const toldOf = (failure: Partial<HandlingFailure>) => {
  const lines: unknown[][] = [];
  const logger = {
    info: (...line: unknown[]) => void lines.push(["info", ...line]),
    warn: (...line: unknown[]) => void lines.push(["warn", ...line]),
  };
  const common = { subject: "obligations.seal", group: "seal", messageId: "e-1:seal@1#0", body, isEnding: false };
  tellUnmet(logger, { ...common, error: new Error("of Zoraida"), ...failure });
  return lines;
};

const ids = { obligation: "e-1:seal", kind: "seal", documentId: "d-1", accountId: "a-1" };

test("an obligation that was not met is a warning: whose it is, and why, in words", () => {
  const error = new HelpersBusy("too much waits for sealing");
  expect(toldOf({ error })).toEqual([
    ["warn", { ...ids, cause: "too much waits for sealing", err: error }, expect.stringContaining("not met")],
  ]);
});

test("one that the end of the process cut short is none", () => {
  expect(toldOf({ isEnding: true })).toEqual([["info", ids, expect.stringContaining("cut short")]]);
});

test("one whose stream can't be read was told of before", () => {
  expect(toldOf({ error: Object.create(UnreadableStreamError.prototype) })).toEqual([]);
});

test("a message that could not be read is told of without ids", () => {
  const [line] = toldOf({ body: undefined });
  expect(line?.[1]).toEqual({ cause: "something that was not foreseen (Error)", err: expect.any(Error) });
});

test.each([
  [Object.assign(new Error("write /data/x"), { code: "ENOSPC" }), /no space/],
  [Object.assign(new Error("{...}"), { name: "DomainError" }), /does not allow/],
  [new TypeError("reading 'Zoraida'"), /^something that was not foreseen \(TypeError\)$/],
  ["Zoraida", /^something that was not foreseen \(string\)$/],
])("a cause says what happened, and quotes nobody: %s", (error, words) => {
  expect(causeOf(error)).toMatch(words);
  expect(causeOf(error)).not.toMatch(/Zoraida|data/);
});

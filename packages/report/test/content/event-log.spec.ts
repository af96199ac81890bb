import { sample } from "@rubrica/events";
import { event } from "@rubrica/test-kit/document-history";
import { expect, test } from "vitest";
import { eventLog } from "../../src/content/event-log.ts";
import type { Evidence } from "../../src/evidence/evidence.ts";
import { spanish } from "../../src/spanish.ts";

const at = "2026-12-01T12:00:00.000Z";
const by = { accountName: "ACME", keyId: sample.keyId, keyName: null };

/** The history of a document with one event. */
const told = (type: "ReminderScheduled" | "DocumentExpiryChanged", data: object): string => {
  const one = { ...event(type, data as never), revision: 1n, type, at: sample.at };
  const entry = {
    event: one,
    type,
    revision: 1,
    at: sample.at,
    actor: "service/messages",
    hash: sample.sha256,
    simulated: false,
  };
  return JSON.stringify(eventLog({ events: [entry], signers: [], chain: {} } as unknown as Evidence, spanish));
};

test("the history says which time an event sets", () => {
  const { signerId } = sample;
  expect(told("ReminderScheduled", { signerId, dueAt: at })).toContain(" · 01/12/2026 12:00:00.000 UTC");
  expect(told("ReminderScheduled", { signerId, dueAt: null })).not.toMatch(/ · \d/);
  expect(told("DocumentExpiryChanged", { expiresAt: at, by })).toContain(" · 01/12/2026 12:00:00.000 UTC");
});

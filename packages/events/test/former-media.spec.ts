import { describe, expect, test } from "vitest";
import {
  DocumentRequested,
  MessageAttempted,
  MessageFailed,
  MessageSent,
  NoticesReceived,
  restored,
  SignatureLinkSent,
} from "../src/index.ts";

/** An example as it was stored before these fields were. */
const without = (content: Record<string, unknown>, ...fields: string[]) =>
  Object.fromEntries(Object.entries(content).filter(([field]) => !fields.includes(field)));

describe("events from before there was more than the messaging app", () => {
  test.each([
    [MessageSent, ["medium", "withLink"]],
    [SignatureLinkSent, ["medium"]],
    [NoticesReceived, ["medium"]],
  ] as const)("$type is read as the app's", ({ type, example }, fields) => {
    const stored = { data: without(example.data, ...fields), personal: null };
    expect(restored(type, stored, 1)).toEqual({ type, ...example });
  });

  test("MessageAttempted is read as the app's, whether its provider was recorded or not", () => {
    const { type, example } = MessageAttempted;
    const stored = without(example.data, "medium");
    expect(restored(type, { data: stored, personal: null }, 2)).toEqual({ type, ...example });
    const older = restored(type, { data: without(stored, "provider"), personal: null }, 1);
    expect(older).toEqual({ type, data: { ...example.data, provider: null }, personal: null });
  });

  test.each([
    ["2026-11-21T15:04:05.000Z", "wpp"],
    [null, null],
  ])("MessageFailed whose next attempt is at %s is read as followed by %s", (nextAttemptAt, nextMedium) => {
    const { type, example } = MessageFailed;
    const stored = { data: { ...without(example.data, "medium", "nextMedium"), nextAttemptAt }, personal: null };
    const data = { ...example.data, nextAttemptAt, nextMedium };
    expect(restored(type, stored, 1)).toEqual({ type, data, personal: null });
  });

  test("a request's signers have no address, and may be forgotten", () => {
    const { type, example } = DocumentRequested;
    const signers = example.personal.signers.map((signer) => without(signer, "email"));
    for (const version of [1, 2, 3]) {
      const unknown = version < 3 ? ["requester"] : [];
      const data = without(example.data, ...unknown, ...(version === 1 ? ["retentionDays"] : []));
      const personal = { ...without(example.personal, ...(version < 3 ? ["requestIp"] : [])), signers };
      const read = restored(type, { data, personal }, version);
      expect(read).toMatchObject({ personal: { signers: [{ name: "Ana Paz", email: null }] } });
      expect(restored(type, { data, personal: null }, version)).toMatchObject({ personal: null });
    }
  });
});

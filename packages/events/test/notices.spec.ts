import { describe, expect, test } from "vitest";
import { Notice, noticesIdOf, sample } from "../src/index.ts";

const delivered: Notice = { providerMessageId: "wamid.1", messageId: null, at: sample.at, kind: "delivered" };

describe("a notice", () => {
  test.each([
    { ...delivered, kind: "read" },
    { ...delivered, kind: "failed", reason: "whatsapp_131026", permanent: true },
    { ...delivered, kind: "answered", answer: "no_continue" },
  ])("of each kind has its form: $kind", (notice) => {
    expect(Notice.parse(notice)).toEqual(notice);
  });

  test.each([
    { ...delivered, phone: "5491122334455" },
    { ...delivered, kind: "failed", reason: "5491122334455", permanent: true },
    { ...delivered, kind: "failed", reason: "Ana Paz", permanent: true },
    { ...delivered, providerMessageId: "" },
    { ...delivered, providerMessageId: "x".repeat(201) },
    { ...delivered, messageId: "María" },
    { ...delivered, at: "yesterday" },
    { ...delivered, kind: "answered", answer: "maybe" },
  ])("holds nothing else: %j", (notice) => {
    expect(Notice.safeParse(notice).success).toBe(false);
  });
});

test("the same notices are the same stream, whatever the order of their fields; others are others", () => {
  const { kind, ...rest } = delivered;
  expect(noticesIdOf([{ kind, ...rest } as Notice])).toBe(noticesIdOf([delivered]));
  expect(noticesIdOf([{ ...delivered, kind: "read" }])).not.toBe(noticesIdOf([delivered]));
  expect(noticesIdOf([delivered, delivered])).not.toBe(noticesIdOf([delivered]));
});

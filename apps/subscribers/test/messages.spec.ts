import {
  changeExpiry,
  correctSigner,
  recordNotice,
  recordTurnCome,
  requestDocument,
  signerKinds,
} from "@rubrica/domain";
import type { DomainEvent } from "@rubrica/events";
import { sample } from "@rubrica/events";
import { MessagingError, type MessagingProvider } from "@rubrica/messaging";
import { createSecrets, signingTokens } from "@rubrica/secrets";
import { contextOf, documentIds, openWorld, requestOf, signerOfDocument } from "@rubrica/test-kit/commands";
import { requester } from "@rubrica/test-kit/document-history";
import { describe, expect, test } from "vitest";
import { messageSubscribers } from "../src/messages.ts";
import { obligationOf } from "./owed.ts";

const tokens = signingTokens(createSecrets({ current: Buffer.alloc(32) }));
const documentId = documentIds.first;
const signerId = signerOfDocument(documentId);
const messageId = "obligation-1";
const start = "2026-01-01T00:00:00.000Z";
const published = (kind: "send-template" | "send-link" | "send-refusal", id: string) => ({
  documentId,
  accountId: "account",
  obligation: obligationOf(kind, { id, signerId, dueAt: start, since: start }),
});

/** A signer whose turn came, and a provider in the test's hand. */
const asking = async (provider: Partial<MessagingProvider>, ...others: MessagingProvider[]) => {
  const world = openWorld();
  const { runtime, handlers } = world;
  const app: MessagingProvider = {
    provider: sample.provider,
    medium: "wpp",
    sendTemplate: async () => ({ providerMessageId: "p1" }),
    sendLink: async () => ({ providerMessageId: "p2" }),
    sendCopy: async () => ({ providerMessageId: "p3" }),
    sendReminder: async () => ({ providerMessageId: "p5" }),
    sendNote: async () => ({ providerMessageId: "p4" }),
    ...provider,
  };
  await handlers.documents.handle(documentId, requestDocument, requestOf(documentId), contextOf("request"));
  await handlers.documents.handle(documentId, recordTurnCome, { signerId }, contextOf("turn"));
  const subscribers = messageSubscribers({
    handlers,
    runtime,
    messaging: new Map([app, ...others].map((one) => [one.medium, one])),
    tokens,
    publicUrl: "https://sign.example",
    signal: new AbortController().signal,
  });
  const send = (kind: Parameters<typeof published>[0], id: string) =>
    subscribers.find((one) => one.kind === kind)?.meet(published(kind, id));
  return {
    ...world,
    sendTemplate: () => send("send-template", messageId),
    sendLink: () => send("send-link", "obligation-2"),
    sendRefusal: () => send("send-refusal", "obligation-3"),
    tell: (notice: Parameters<typeof recordNotice>[1]) =>
      handlers.documents.handle(documentId, recordNotice, notice, contextOf(`notice-${JSON.stringify(notice)}`)),
    pauseAfter: (failed: DomainEvent | undefined) =>
      failed?.type === "MessageFailed" ? Date.parse(failed.data.nextAttemptAt ?? "") - runtime.clock.now() : undefined,
    news: async () => (await world.eventsOf("document", documentId)).slice(2),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
};

describe("an attempt that was cut before its outcome was known", () => {
  const cutOnce = (settings: Pick<MessagingProvider, "unknownOutcomePauseMs">) => {
    let sent = 0;
    const sendTemplate = async () => {
      sent += 1;
      if (sent === 1) throw new Error("cut");
      return { providerMessageId: `p${sent}` };
    };
    return { provider: { ...settings, sendTemplate }, sent: () => sent };
  };

  test("is made again at once where the provider tells nothing of it", async () => {
    const { provider, sent } = cutOnce({});
    await using world = await asking(provider);
    await expect(world.sendTemplate()).rejects.toThrow("cut");
    await world.sendTemplate();
    expect(sent()).toBe(2);
  });

  test("is given time for the provider's notice, which settles it: nothing is sent twice", async () => {
    const { provider, sent } = cutOnce({ unknownOutcomePauseMs: 60_000 });
    await using world = await asking(provider);
    await expect(world.sendTemplate()).rejects.toThrow("cut");
    await world.sendTemplate();
    const [, failed] = await world.news();
    const data = { reason: "outcome_unknown", attempt: 1 };
    expect(failed).toMatchObject({ type: "MessageFailed", data });
    expect(world.pauseAfter(failed)).toBeGreaterThanOrEqual(60_000);
    await world.tell({ notice: "sent", medium: "wpp", providerMessageId: "p1", messageId });
    await world.sendTemplate();
    expect((await world.news()).map(({ type }) => type)).toEqual(["MessageAttempted", "MessageFailed", "MessageSent"]);
    expect(sent()).toBe(1);
  });

  test("is made again once that time is over", async () => {
    const { provider, sent } = cutOnce({ unknownOutcomePauseMs: 60_000 });
    await using world = await asking(provider);
    await expect(world.sendTemplate()).rejects.toThrow("cut");
    await world.sendTemplate();
    await world.sendTemplate();
    expect(sent()).toBe(2);
    expect((await world.news()).map(({ type }) => type)).toEqual([
      "MessageAttempted",
      "MessageFailed",
      "MessageAttempted",
      "MessageSent",
    ]);
  });
});

test("the pause that a provider wants is kept, where it is longer than the usual one", async () => {
  const pauseMs = 2 * (signerKinds["send-template"].retries.delaysMs[0] ?? 0);
  await using world = await asking({
    sendTemplate: () => Promise.reject(new MessagingError("rate_limited", false, pauseMs)),
  });
  await world.sendTemplate();
  const failed = (await world.news()).at(-1);
  expect(world.pauseAfter(failed)).toBeGreaterThanOrEqual(pauseMs);
});

test("the link is given with when the signer answered, and why it failed before", async () => {
  const given: unknown[] = [];
  await using world = await asking({
    sendLink: async ({ answeredAt, lastFailure }) => {
      given.push({ answeredAt, lastFailure });
      throw new MessagingError("outside_window", false);
    },
  });
  await world.sendTemplate();
  const at = "2025-12-31T23:00:00.000Z";
  await world.tell({ notice: "answered", medium: "wpp", answer: "continue", providerMessageId: "p1", at });
  await world.sendLink();
  await world.sendLink();
  expect(given).toEqual([
    { answeredAt: at, lastFailure: null },
    { answeredAt: at, lastFailure: "outside_window" },
  ]);
});

test("the link that is given is the one since the last correction, with until when it can be signed", async () => {
  const given: { link: string; until?: string | null }[] = [];
  await using world = await asking({
    sendLink: async (message) => {
      given.push(message);
      return { providerMessageId: "p2" };
    },
  });
  const { documents } = world.handlers;
  const correction = { signerId, correctionId: sample.grantId, person: { name: "Ana María Paz" }, by: requester };
  const now = world.runtime.clock.now();
  await documents.handle(documentId, correctSigner, { ...correction, now }, contextOf("correct"));
  const expiry = { expiresAt: "2026-02-01T15:00:00.000Z", by: requester };
  await documents.handle(documentId, changeExpiry, expiry, contextOf("expiry"));
  await documents.handle(documentId, recordTurnCome, { signerId, linkNumber: 1 }, contextOf("turn-again"));
  await world.sendTemplate();
  const at = "2025-12-31T23:00:00.000Z";
  await world.tell({ notice: "answered", medium: "wpp", answer: "continue", providerMessageId: "p1", at });
  await world.sendLink();
  expect(given.map(({ link }) => tokens.read(link.replace("https://sign.example/s/", "")))).toEqual([
    { documentId, signerIndex: 0, linkNumber: 1 },
  ]);
  expect(given[0]?.until).toContain("1 de febrero de 2026");
});

test("what follows from a refusal is given with when that came, and that they have the link", async () => {
  const given: unknown[] = [];
  await using world = await asking({
    sendNote: async (note) => {
      given.push(note);
      return { providerMessageId: "p4" };
    },
  });
  await world.sendTemplate();
  const answer = { notice: "answered", medium: "wpp", providerMessageId: "p1" } as const;
  await world.tell({ ...answer, answer: "continue", at: "2025-12-28T23:00:00.000Z" });
  await world.sendLink();
  const at = "2025-12-31T23:00:00.000Z";
  await world.tell({ ...answer, answer: "no_continue", at });
  await world.sendRefusal();
  expect(given).toMatchObject([{ kind: "refusal", hasContinued: true, answeredAt: at }]);
});

import {
  attemptMessage,
  cancelDocument,
  correctSigner,
  expireDocument,
  openPage,
  recordMessageFailed,
  recordMessageSent,
  recordNotice,
  recordTurnCome,
} from "@rubrica/domain";
import { sample, type WebhookType } from "@rubrica/events";
import { isoTime } from "@rubrica/runtime";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { documentId, fileAt, openSealed, openWorld, signerId, type World, webhookSecret } from "./given.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

const customParameters = { order: 17, nested: { list: ["ñ", null] } };
const bodyOf = ({ received }: Receiver) => JSON.parse(received[0]?.body ?? "");

test("alert, v2: that the document is complete, since when, with the integrator's own parameters", async () => {
  await using receiver = await openReceiver();
  await using world = await openSealed(`${receiver.url}/hooks?for=acme`, { customParameters });
  const document = await world.handlers.documents.load(documentId);
  await world.meetDue();
  expect(bodyOf(receiver)).toEqual({
    type: "alert",
    data: {
      id_seguimiento: documentId,
      is_finished: true,
      finished_at: document.status === "completed" && document.endedAt,
      custom_parameters: customParameters,
    },
  });
  expect(bodyOf(receiver).data.finished_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(receiver.received).toMatchObject([{ method: "POST", path: "/hooks?for=acme" }]);
});

test("alert, legacy: with the addresses of the signed document and the report", async () => {
  await using receiver = await openReceiver();
  await using world = await openSealed(receiver.url, { channel: "legacy", customParameters });
  await world.meetDue();
  const { type, data } = bodyOf(receiver);
  const { documento_url, report_url, ...rest } = data;
  expect(type).toBe("alert");
  expect(rest).toEqual({
    id_seguimiento: documentId,
    is_finished: true,
    finished_at: expect.any(String),
    custom_parameters: customParameters,
  });
  expect([fileAt(documento_url), fileAt(report_url)]).toEqual([
    { documentId, kind: "document" },
    { documentId, kind: "report" },
  ]);
});

test("alert, bulk: as v2's, without parameters", async () => {
  await using receiver = await openReceiver();
  await using world = await openSealed(receiver.url, { channel: "bulk", variables: { city: "Rosario" } });
  await world.meetDue();
  expect(bodyOf(receiver).data).toEqual({
    id_seguimiento: documentId,
    is_finished: true,
    finished_at: expect.any(String),
    custom_parameters: null,
  });
});

test.each(["v2", "bulk"] as const)("report, %s: whose it is, no link", async (channel) => {
  await using receiver = await openReceiver();
  await using world = await openSealed(receiver.url, { channel });
  await world.meetDue();
  await world.report();
  await world.meetDue();
  expect(JSON.parse(receiver.received[1]?.body ?? "")).toEqual({
    type: "report",
    data: { id_seguimiento: documentId, custom_parameters: null },
  });
});

test("report, legacy: with its address", async () => {
  await using receiver = await openReceiver();
  await using world = await openSealed(receiver.url, { channel: "legacy" });
  await world.meetDue();
  await world.report();
  await world.meetDue();
  const { type, data } = JSON.parse(receiver.received[1]?.body ?? "");
  const { report_url, ...rest } = data;
  expect({ type, rest }).toEqual({ type: "report", rest: { id_seguimiento: documentId, custom_parameters: null } });
  expect(fileAt(report_url)).toEqual({ documentId, kind: "report" });
});

/** No message reaches the signer any more. */
const failForGood = async (world: World): Promise<void> => {
  const message = { signerId, kind: "template" as const, messageId: "m" };
  await world.handle(recordTurnCome, { signerId });
  const now = world.clock.now();
  const attempt = { providerBy: () => sample.provider, ...message, attempt: 1, media: ["wpp"] as const, now };
  await world.handle(attemptMessage, attempt);
  const failure = { reason: "unreachable", permanent: true, media: ["wpp"] as const, now, jitter: 0 };
  await world.handle(recordMessageFailed, { ...message, ...failure });
};
const unreached = {
  id_seguimiento: documentId,
  id_custom: "own-1",
  contact: "5491122334455",
  reason: "unreachable",
  custom_parameters: customParameters,
};
/** Whoever was asked anew may be so again. */
const LONG_AFTER = Date.UTC(2100, 0);
const by = { accountName: "ACME", keyId: sample.keyId, keyName: null };

test.each(["v2", "legacy", "bulk"] as const)("msg, %s: whom the message did not reach, and why", async (channel) => {
  await using receiver = await openReceiver();
  await using world = await openWorld();
  await world.request(receiver.url, { channel, customParameters });
  await failForGood(world);
  await world.meetDue();
  expect(bodyOf(receiver)).toEqual({ type: "msg", data: unreached });
});

test("msg names the phone that was not reached, though the signer has another one since", async () => {
  await using receiver = await openReceiver();
  await using world = await openWorld();
  await world.request(receiver.url, { customParameters });
  await failForGood(world);
  for (const [index, phone] of ["5491166667777", "5491166668888"].entries()) {
    const correctionId = `019aa5c0-0000-7000-8000-00000000000${index}`;
    const command = { signerId, correctionId, person: { phone }, by, now: LONG_AFTER };
    await world.handle(correctSigner, command);
  }
  await world.meetDue();
  expect(bodyOf(receiver)).toEqual({ type: "msg", data: unreached });
});

test("rejection, v2: the signer's reason, and who the signers are", async () => {
  await using receiver = await openReceiver();
  await using world = await openWorld();
  await world.request(receiver.url, { customParameters });
  await world.reject("El monto no es correcto");
  await world.meetDue();
  expect(bodyOf(receiver)).toEqual({
    type: "rejection",
    data: {
      id_seguimiento: documentId,
      id_custom: "own-1",
      rejection_reason: "El monto no es correcto",
      custom_parameters: customParameters,
      signersCustomData: [{ id_custom: "own-1", name: "Ana Paz", dni: "30123456", contact: "5491122334455" }],
    },
  });
});

test.each(["legacy", "bulk"] as const)("a rejection is not told of in %s", async (channel) => {
  await using world = await openWorld();
  await world.request("http://127.0.0.1:9", { channel });
  await world.reject("no");
  expect(await world.due()).toEqual([]);
});

const origin = sample.origin;
const choosing = (...webhookEvents: WebhookType[]) => ({
  account: { accountId: sample.accountId, plan: "pro" as const, businessName: null, webhookEvents },
});
const common = { id_seguimiento: documentId, custom_parameters: customParameters };
const ofSigner = { ...common, id_custom: "own-1", contact: "5491122334455" };

describe.each(["v2", "legacy", "bulk"] as const)("of a kind that the account chose, in %s", (channel) => {
  const told = async (type: WebhookType, happen: (world: World) => Promise<unknown>) => {
    await using receiver = await openReceiver();
    await using world = await openWorld();
    const expiresAt = isoTime(world.clock.now() + 60_000);
    await world.request(receiver.url, { channel, customParameters, expiresAt, ...choosing(type) });
    await happen(world);
    const at = isoTime(world.clock.now());
    await world.meetDue();
    expect(receiver.received).toHaveLength(1);
    return { told: bodyOf(receiver), at, expiresAt };
  };

  test("canceled: when, and why", async () => {
    const { told: body, at } = await told("canceled", (world) =>
      world.handle(cancelDocument, { by, text: "called off" }),
    );
    expect(body).toEqual({ type: "canceled", data: { ...common, canceled_at: at, reason: "called off" } });
  });
  test("expired: until when it could be signed", async () => {
    const { told: body, expiresAt } = await told("expired", async (world) => {
      world.clock.advance(60_000);
      await world.handle(expireDocument, {});
    });
    expect(body).toEqual({ type: "expired", data: { ...common, expires_at: expiresAt } });
  });
  test("no_continue: who, and when", async () => {
    const { told: body, at } = await told("no_continue", async (world) => {
      await world.handle(recordTurnCome, { signerId });
      const message = { signerId, kind: "template" as const, messageId: "m" };
      const media = ["wpp"] as const;
      const now = world.clock.now();
      await world.handle(attemptMessage, { providerBy: () => sample.provider, ...message, attempt: 1, media, now });
      await world.handle(recordMessageSent, { ...message, providerMessageId: "p1" });
      const answer = { notice: "answered", providerMessageId: "p1", answer: "no_continue", at: isoTime(now) } as const;
      await world.handle(recordNotice, { messageId: "m", medium: "wpp", ...answer });
    });
    expect(body).toEqual({ type: "no_continue", data: { ...ofSigner, refused_at: at } });
  });
  test("signer_signed: who, and when", async () => {
    const { told: body, at } = await told("signer_signed", (world) => world.sign());
    expect(body).toEqual({ type: "signer_signed", data: { ...ofSigner, signed_at: at } });
  });
  test("page_opened: who, and when", async () => {
    const { told: body, at } = await told("page_opened", (world) => world.handle(openPage, { signerId, origin }));
    expect(body).toEqual({ type: "page_opened", data: { ...ofSigner, opened_at: at } });
  });
});

test("webhook_key goes along as headers, beside those of Standard Webhooks, whose own library verifies them", async () => {
  await using receiver = await openReceiver();
  const webhook = { url: receiver.url, headers: { "X-Api-Token": "s3cret", authorization: "Bearer x" } };
  await using world = await openSealed("", { webhook, customParameters });
  const [published] = await world.due();
  await world.meetDue();
  const [received] = receiver.received;
  expect(received?.headers).toMatchObject({
    "x-api-token": "s3cret",
    authorization: "Bearer x",
    "content-type": "application/json",
    "webhook-id": published?.obligation.id,
    "webhook-timestamp": String(Math.floor(world.clock.now() / 1_000)),
  });
  const receiverSide = new Webhook(webhookSecret);
  const headers = received?.headers as Record<string, string>;
  expect(receiverSide.verify(received?.body ?? "", headers)).toEqual(bodyOf(receiver));
  expect(() => receiverSide.verify(`${received?.body} `, headers)).toThrow();
});

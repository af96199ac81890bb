import { expect, test } from "vitest";
import { DocumentRequested, restored, sample } from "../src/index.ts";

const signer = { signerId: sample.signerId, attempt: 1 };
const message = { ...signer, kind: "template", messageId: "m1" };
const noticed = { signerId: sample.signerId, kind: "template", messageId: "m1" };
const word = { ...signer, result: "approved", reason: null };
/** As seals were before there were copies, and before they were augmented. */
const notKept = { sendCopies: false, toComplete: false, provenUntil: null };
const seal = { file: sample.pdf, level: "B-B", shortfall: null, certificateSha256: sample.sha256 };

test.each([
  // Then there was but one medium, which is known.
  ["MessageAttempted", message, { provider: null, medium: "wpp" }],
  ["SelfieValidated", word, { provider: null }],
  ["IdDocumentValidated", { ...word, side: "front" }, { provider: null }],
  ["MrzValidated", word, { provider: null }],
  ["IdDocumentErrorFound", { ...signer, reason: "expired" }, { provider: null }],
  ["IdentityProviderFailed", { ...signer, reason: "timeout", nextAttemptAt: null }, { provider: null }],
  ["IdentityProviderRejected", { ...signer, reason: "face_mismatch" }, { provider: null }],
  ["EvidenceFetched", { files: [] }, { provider: null }],
  ["DocumentSealed", seal, { ownAuthority: null, timestamp: null, ...notKept }],
  [
    "WebhookAttempted",
    { webhookId: "w", documentId: sample.documentId, webhookType: "alert", attempt: 1 },
    { head: null },
  ],
  ["ApiKeyIssued", { keyId: sample.keyId, keySha256: sample.sha256 }, { name: null }],
])("%s of version 1 is read, and says that it was not recorded", (type, data, notRecorded) => {
  expect(restored(type, { data, personal: null }, 1)).toEqual({
    type,
    data: { ...data, ...notRecorded },
    personal: null,
  });
});

test("evidence of version 2 is read, and says of no photo what it shows", () => {
  const files = [{ signerId: sample.signerId, kind: "photo", file: sample.jpeg }];
  const content = { data: { provider: sample.provider, files }, personal: null };
  expect(restored("EvidenceFetched", content, 2).data).toEqual({
    provider: sample.provider,
    files: [{ ...files[0], shows: null }],
  });
});

test("a signature of version 2 is read, and says that nobody recorded how it came to be", () => {
  const data = {
    signerId: sample.signerId,
    documentSha256: sample.sha256,
    drawing: sample.png,
    drawingJpeg: sample.jpeg,
    timeZone: null,
  };
  for (const version of [1, 2])
    expect(restored("DocumentSigned", { data, personal: null }, version).data).toEqual({ ...data, method: null });
});

test("a seal of version 2 is read as one after which signers are sent no copy", () => {
  const data = { ...seal, ownAuthority: true, timestamp: null };
  const { data: read } = restored("DocumentSealed", { data, personal: null }, 2);
  expect(read).toEqual({ ...data, ...notKept });
});

test("a seal of version 3 is read as one that is not augmented", () => {
  const data = { ...seal, ownAuthority: true, timestamp: null, sendCopies: true };
  const { data: read } = restored("DocumentSealed", { data, personal: null }, 3);
  expect(read).toEqual({ ...data, toComplete: false, provenUntil: null });
});

test.each([
  ["MessageAttempted", 4, { ...message, medium: "sms", provider: sample.provider }],
  ["MessageDelivered", 2, { ...noticed, providerMessageId: "p1" }],
  ["MessageRead", 2, { ...noticed, providerMessageId: "p1" }],
  ["MessageFailed", 3, { ...message, medium: "sms", reason: "unreachable", nextAttemptAt: null, nextMedium: null }],
  ["MessageAttempted", 3, { ...message, medium: "sms", provider: sample.provider }],
  ["MessageDelivered", 1, { ...noticed, providerMessageId: "p1" }],
  ["MessageRead", 1, { ...noticed, providerMessageId: "p1" }],
  ["MessageFailed", 2, { ...message, medium: "sms", reason: "unreachable", nextAttemptAt: null, nextMedium: null }],
])("%s of version %i, from before there were as many kinds of messages, is read as it is", (type, version, data) => {
  expect(restored(type, { data, personal: null }, version).data).toEqual(data);
});

test.each([
  ["MessageSent", { withLink: false }],
  ["SignatureLinkSent", {}],
])("no copy is told as %s", (type, data) => {
  const sent = { ...message, kind: "copy", medium: "sms", providerMessageId: "p1", ...data };
  expect(() => restored(type, { data: sent, personal: null }, 2)).toThrow(/kind/);
});

test("a campaign of version 2 is read as one whose documents have no end", () => {
  const data = {
    campaignId: 1,
    name: "a",
    messageText: null,
    requestPhotos: null,
    validatePhotos: null,
    retentionDays: null,
  };
  expect(restored("CampaignCreated", { data, personal: null }, 2).data).toEqual({
    ...data,
    expiresInDays: null,
    refusalHours: null,
    silenceHours: null,
    reminders: null,
  });
});

test("a refusal of version 1 is read as one that nobody is told of, long after", () => {
  const data = { signerId: sample.signerId, providerMessageId: "p1" };
  expect(restored("ContinueRefused", { data, personal: null }, 1).data).toEqual({ ...data, explained: false });
});

test.each([
  ["TurnReleased", 1],
  ["TurnReleased", 2],
  ["TurnReleased", 3],
  ["TurnWithdrawn", 1],
  ["TurnWithdrawn", 2],
  ["TurnWithdrawn", 3],
])("%s of version %i is read as it is", (type, version) => {
  const data = { documentId: sample.documentId, signerId: sample.signerId, reason: "signed" };
  expect(restored(type, { data, personal: null }, version).data).toEqual(data);
});

test("a withdrawal of version 1 is read as one that no key asked for", () => {
  const data = { reason: "erasure", bulkId: null };
  const content = { type: "DocumentWithdrawn", data: { ...data, by: null }, personal: null };
  expect(restored("DocumentWithdrawn", { data, personal: null }, 1)).toEqual(content);
});

test("a request of version 7 is read as one of which nothing tells whether its file was changed", () => {
  const { personal, data } = DocumentRequested.example;
  const { sentFile: _, ...before } = data;
  const { data: read } = restored("DocumentRequested", { data: before, personal }, 7);
  expect(read).toEqual({ ...before, sentFile: null });
});

test("a request of version 6 is read as of signers who are asked one after the other", () => {
  const { group: _, ...signer } = DocumentRequested.example.data.signers[0] ?? { group: 0 };
  const signers = [0, 1].map((order) => ({ ...signer, order }));
  const { personal, data } = DocumentRequested.example;
  expect(restored("DocumentRequested", { data: { ...data, signers }, personal }, 6).data).toEqual({
    ...data,
    sentFile: null,
    signers: signers.map((each) => ({ ...each, group: each.order })),
  });
});

test("a request of version 2 is read with nobody who asked, and of a forgotten one nothing is made up", () => {
  const request = {
    documentId: sample.documentId,
    accountId: sample.accountId,
    channel: "v2",
    campaignId: null,
    file: sample.pdf,
    pageCount: 1,
    bulk: null,
    authentication: "link",
    requestPhotos: false,
    validatePhotos: false,
    sendMessages: true,
    hasWebhook: false,
    retentionDays: null,
    signers: [{ signerId: sample.signerId, lineId: sample.lineId, order: 0, placement: { pages: "last", x: 1, y: 1 } }],
  };
  const forgotten = restored("DocumentRequested", { data: request, personal: null }, 2);
  expect(forgotten).toMatchObject({
    data: {
      requester: null,
      expiresAt: null,
      refusalHours: 72,
      silenceHours: null,
      reminders: null,
      timeZone: null,
      webhookEvents: null,
    },
    personal: null,
  });
  const person = { idCustom: "1", name: "Ana", idNumber: "1", idNumberCountry: null, phone: "1" };
  const personal = {
    documentName: "a",
    businessName: "b",
    messageText: null,
    customParameters: null,
    webhook: null,
    signers: [person],
    variables: null,
  };
  expect(restored("DocumentRequested", { data: request, personal }, 2)).toMatchObject({
    personal: { requestIp: null },
  });
});

import { documentFold, type Media, type MessageNamed, type RequestDocument } from "@rubrica/domain";
import { given as givenFold } from "@rubrica/domain/testing";
import { type DocumentEvent, type DocumentEventOf, type Medium, sample } from "@rubrica/events";
import { sampleRequest } from "@rubrica/test-kit/bare-request";

const id = (last: string) => `019aa5c0-0000-7000-8000-${last.padStart(12, "0")}`;

export const documentId = sample.documentId;
export const otherDocumentId = sample.otherDocumentId;
export const [ana, ben, cyd] = [id("5a"), id("5b"), id("5c")] as const;
export const lineOf: Readonly<Record<string, string>> = {
  [ana]: "aa".repeat(32),
  [ben]: "bb".repeat(32),
  [cyd]: "cc".repeat(32),
};
export const origin = sample.origin;
export const now = Date.parse("2026-11-21T12:00:00.000Z");
/** The moment so many milliseconds after `now`. */
export const after = (ms: number): string => new Date(now + ms).toISOString();

/** A document event that bears nothing personal. */
export const event = <Type extends DocumentEvent["type"]>(
  type: Type,
  data: DocumentEventOf<Type>["data"],
): DocumentEvent => ({ type, data, personal: null }) as DocumentEvent;

export const person = (signerId: string) => ({
  idCustom: signerId,
  name: `Signer ${signerId.at(-1)}`,
  idNumber: "30123456",
  idNumberCountry: "AR",
  phone: "5491122334455",
  email: null,
});

type RequestedData = DocumentEventOf<"DocumentRequested">["data"];

/** What a request says where nothing is asked for but signatures by message. */
export const plainRequest = {
  channel: "v2",
  campaignId: null,
  bulk: null,
  authentication: "link",
  requestPhotos: false,
  validatePhotos: false,
  sendMessages: true,
  hasWebhook: false,
  webhookEvents: null,
  retentionDays: null,
  expiresAt: null,
  refusalHours: 72,
  silenceHours: null,
  reminders: null,
  timeZone: null,
} as const satisfies Partial<RequestedData>;

/** A request with these signers, in this order, and what is said otherwise; one after the other, or in `groups`. */
export const requested = (
  signerIds: readonly string[] = [ana],
  other: Partial<Omit<RequestedData, "signers">> = {},
  groups: readonly number[] = signerIds.map((_, order) => order),
): DocumentEventOf<"DocumentRequested"> => ({
  type: "DocumentRequested",
  data: {
    ...plainRequest,
    requester: null,
    documentId,
    accountId: sample.accountId,
    file: sample.pdf,
    sentFile: sample.pdf,
    pageCount: 2,
    ...other,
    signers: signerIds.map((signerId, order) => ({
      signerId,
      lineId: other.sendMessages === false ? null : (lineOf[signerId] ?? null),
      order,
      group: groups[order] ?? order,
      placement: { pages: 1, x: 60, y: 700 },
    })),
  },
  personal: {
    requestIp: null,
    documentName: "Lease",
    businessName: "ACME",
    messageText: null,
    customParameters: null,
    webhook: null,
    signers: signerIds.map(person),
    variables: null,
  },
});

export const bulkRow = { bulkId: sample.bulkId, row: 0 };
/** A bulk row's document, whose PDF is still to be made. */
export const requestedInBulk = (signerIds?: readonly string[]) =>
  requested(signerIds, { channel: "bulk", file: null, sentFile: null, pageCount: null, bulk: bulkRow });
export const prepared = event("DocumentPrepared", { bulkId: sample.bulkId, file: sample.pdf, pageCount: 2 });
export const preparationFailed = event("PreparationFailed", {
  bulkId: sample.bulkId,
  reason: "timed_out",
  attempts: 3,
});

export const turnCame = (signerId: string) => event("SignerTurnCame", { signerId, lineId: lineOf[signerId] ?? null });
export const queued = (signerId: string) =>
  event("SignerQueued", { signerId, lineId: lineOf[signerId] ?? "", behindDocumentId: otherDocumentId });

export const template = (signerId: string): MessageNamed => ({
  signerId,
  kind: "template",
  messageId: `t-${signerId}`,
});
export const link = (signerId: string): MessageNamed => ({ signerId, kind: "link", messageId: `l-${signerId}` });
export const copy = (signerId: string): MessageNamed => ({ signerId, kind: "copy", messageId: `c-${signerId}` });
export const cancellation = (signerId: string): MessageNamed => ({
  signerId,
  kind: "cancellation",
  messageId: `x-${signerId}`,
});
export const attempted = (message: MessageNamed, attempt = 1, medium: Medium = "wpp") =>
  event("MessageAttempted", { provider: sample.provider, ...message, medium, attempt });
export const sent = (message: MessageNamed, providerMessageId: string, attempt = 1, medium: Medium = "wpp") => {
  const { kind, ...named } = message;
  const data = { ...named, medium, providerMessageId, attempt };
  if (kind === "template") return event("MessageSent", { ...data, kind, withLink: medium !== "wpp" });
  if (kind === "reminder") return event("ReminderSent", { ...data, kind, withLink: medium !== "wpp" });
  if (kind === "refusal") return event("RefusalExplained", { ...data, kind });
  if (kind === "cancellation") return event("CancellationSent", { ...data, kind });
  return kind === "link" ? event("SignatureLinkSent", { ...data, kind }) : event("SignedCopySent", { ...data, kind });
};
export const delivered = (message: MessageNamed, providerMessageId: string) =>
  event("MessageDelivered", { ...message, providerMessageId });
export const read = (message: MessageNamed, providerMessageId: string) =>
  event("MessageRead", { ...message, providerMessageId });
export const failed = (
  message: MessageNamed,
  attempt: number,
  nextAttemptAt: string | null,
  reason = "unreachable",
  [medium, next]: readonly [Medium, Medium] = ["wpp", "wpp"],
) => {
  const nextMedium = nextAttemptAt === null ? null : next;
  return event("MessageFailed", { ...message, medium, attempt, reason, nextAttemptAt, nextMedium });
};
/** Signers are reached by the messaging app alone. */
export const byApp: Media = ["wpp"];
/** When signers answer, as the provider says. */
export const answeredAt = "2026-01-01T00:00:30.000Z";
export const answered = (signerId: string, providerMessageId: string, at = answeredAt) =>
  event("TemplateAnswered", { signerId, providerMessageId, answeredAt: at });
export const refused = (signerId: string, providerMessageId: string, explained = true, at = answeredAt) =>
  event("ContinueRefused", { signerId, providerMessageId, explained, answeredAt: at });

export const consented = (signerId: string): DocumentEvent => ({
  type: "ConsentGiven",
  data: { signerId, consentVersion: "2026-11", documentSha256: sample.sha256 },
  personal: origin,
});
export const signed = (signerId: string): DocumentEvent => ({
  type: "DocumentSigned",
  data: {
    signerId,
    documentSha256: sample.sha256,
    drawing: sample.png,
    drawingJpeg: sample.jpeg,
    timeZone: "America/Montevideo",
    method: null,
  },
  personal: origin,
});
export const completed = event("DocumentCompleted", {});
export const rejected = (signerId: string, reason = "Wrong amount"): DocumentEvent => ({
  type: "Rejected",
  data: { signerId },
  personal: { ...origin, reason },
});
/** The key by which documents are canceled. */
export const requester = { accountName: "ACME", keyId: sample.keyId, keyName: "billing" };
export const canceled = (text: string | null = null, bulkId: string | null = null): DocumentEvent => ({
  type: "DocumentWithdrawn",
  data: { reason: "canceled", bulkId, by: requester },
  personal: text === null ? null : { text },
});
export const seal = {
  file: { ...sample.pdf, sha256: "5e".repeat(32) },
  level: "B-B" as const,
  shortfall: null,
  ownAuthority: true,
  timestamp: null,
  certificateSha256: sample.sha256,
  sendCopies: true,
  toComplete: false,
  provenUntil: null,
};
export const sealed = event("DocumentSealed", seal);
/** What an augmented seal is recorded as. */
export const augmented = (kind: "complete" | "renew") => ({
  kind,
  file: { ...sample.pdf, sha256: "a6".repeat(32) },
  level: "B-LTA" as const,
  shortfall: null,
  toComplete: false,
  timestamp: { at: "2026-01-01T00:00:00.000Z", authority: "CN=Acme TSA" },
  provenUntil: "2029-01-01T00:00:00.000Z",
});

/** A signer's command to sign what was requested. */
export const signing = (signerId: string) => ({
  signerId,
  consentVersion: "2026-11",
  documentSha256: sample.sha256,
  drawing: sample.png,
  drawingJpeg: sample.jpeg,
  timeZone: "America/Montevideo",
  origin,
});

/** A request of two signers by an account on the pro plan, all options left out. */
export const requestCommand = (other: Partial<RequestDocument> = {}): RequestDocument => ({
  ...sampleRequest,
  documentId,
  signers: [ana, ben].map((signerId) => ({
    ...person(signerId),
    signerId,
    lineId: lineOf[signerId] ?? "",
    placement: { pages: 1, x: 60, y: 700 },
  })),
  ...other,
});

export const given = (...history: DocumentEvent[]) => givenFold(documentFold, ...history);

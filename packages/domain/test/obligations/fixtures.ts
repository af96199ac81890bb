import { type DeliveryEvent, type DomainEvent, type PhoneLineEvent, sample, type WebhookType } from "@rubrica/events";
import { documentId, otherDocumentId } from "@rubrica/test-kit/document-history";
import { evolveObligations, type ObligationsRecord, type ObligingEvent } from "../../src/index.ts";

const MINUTE_MS = 60_000;
const start = Date.parse("2026-11-21T15:00:00.000Z");

/** When the n-th event of a history happens, counting from 1: one a minute. `laterMs` after it. */
export const minute = (n: number, laterMs = 0): string => new Date(start + n * MINUTE_MS + laterMs).toISOString();

const streamKindOf = ({ type }: DomainEvent): ObligingEvent["streamKind"] => {
  if (type.startsWith("Turn")) return "phoneLine";
  if (type.startsWith("Webhook") && type !== "WebhookSecretIssued") return "delivery";
  return type.startsWith("Credits") ? "account" : "document";
};

/** An event as recorded: the n-th has the id `e{n}` and happens at minute `n`. */
export const recorded = (event: DomainEvent, n: number): ObligingEvent => ({
  ...event,
  id: `e${n}`,
  streamKind: streamKindOf(event),
  streamId: documentId,
  metadata: { at: minute(n), accountId: sample.accountId },
});

/** The document's record after this history. */
export const recordAfter = (...history: DomainEvent[]): ObligationsRecord => {
  const record = history.map((event, index) => recorded(event, index + 1)).reduce(evolveObligations, null);
  if (!record) throw new Error("the history does not begin with a request");
  return record;
};

/** The ids of what is open after this history. */
export const openAfter = (...history: DomainEvent[]): string[] => recordAfter(...history).open.map(({ id }) => id);

export const lineTaken = (signerId: string): PhoneLineEvent => ({
  type: "TurnTaken",
  data: { documentId, signerId },
  personal: null,
});
export const lineQueued = (signerId: string): PhoneLineEvent => ({
  type: "TurnQueued",
  data: { documentId, signerId, behindDocumentId: otherDocumentId },
  personal: null,
});
export const lineReleased = (signerId: string): PhoneLineEvent => ({
  type: "TurnReleased",
  data: { documentId, signerId, reason: "signed" },
  personal: null,
});
export const lineWithdrawn = (signerId: string): PhoneLineEvent => ({
  type: "TurnWithdrawn",
  data: { documentId, signerId, reason: "signed" },
  personal: null,
});

const delivery = (webhookId: string, webhookType: WebhookType, attempt: number) => ({
  webhookId,
  documentId,
  webhookType,
  attempt,
});
export const webhookAttempted = (id: string, type: WebhookType, attempt: number): DeliveryEvent => ({
  type: "WebhookAttempted",
  data: { ...delivery(id, type, attempt), head: null },
  personal: null,
});
export const webhookDelivered = (id: string, type: WebhookType): DeliveryEvent => ({
  type: "WebhookDelivered",
  data: { ...delivery(id, type, 1), status: 200, durationMs: 80 },
  personal: null,
});
export const webhookFailed = (
  id: string,
  type: WebhookType,
  attempt: number,
  nextAttemptAt: string,
): DeliveryEvent => ({
  type: "WebhookAttemptFailed",
  data: { ...delivery(id, type, attempt), reason: "status", status: 503, durationMs: 80, nextAttemptAt },
  personal: null,
});
export const webhookAbandoned = (id: string, type: WebhookType): DeliveryEvent => ({
  type: "WebhookAbandoned",
  data: { ...delivery(id, type, 10), reason: "status", status: 503 },
  personal: null,
});
export const webhookAskedFor = (id: string, type: WebhookType, attempt: number): DeliveryEvent => ({
  type: "WebhookRedeliveryRequested",
  data: { ...delivery(id, type, attempt), redeliveryId: sample.grantId },
  personal: null,
});

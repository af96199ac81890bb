import type { WebhookType } from "@rubrica/events";
import type { UploadEvent } from "../document/photo-progress.ts";
import { type Owed, owedBy } from "./owed.ts";
import { progressed, requestedRecord } from "./progress.ts";
import type { Obligation, ObligationsRecord, ObligingEvent } from "./record.ts";

/** How long whoever writes the event is left to do by itself what follows from it, before it is published as owed. */
const GRACE_MS = 5_000;

/** Which record an event belongs to: the document's id, or undefined when it obliges nobody. */
export const obligationsRecordId = (event: ObligingEvent): string | undefined => {
  if (event.streamKind === "document") return event.streamId;
  if (event.streamKind === "phoneLine" || event.streamKind === "delivery" || event.type === "CreditsRefunded") {
    return "documentId" in event.data ? event.data.documentId : undefined;
  }
  return undefined;
};

const later = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString();

/** A request claims its first signer's turn before it answers, and announces the turn when the phone is free. */
const dueAt = (before: ObligationsRecord | null, { kind, signerId }: Owed, event: ObligingEvent): string => {
  const { at } = event.metadata;
  const wasQueued = before?.signers.find((signer) => signer.signerId === signerId)?.line === "queued";
  const doneByWriter =
    (kind === "claim-turn" && event.type === "DocumentRequested") || (kind === "announce-turn" && !wasQueued);
  return doneByWriter ? later(at, GRACE_MS) : at;
};

const newObligation = (before: ObligationsRecord | null, owed: Owed, event: ObligingEvent): Obligation => {
  const { kind, signerId } = owed;
  const target = signerId === null ? "" : `:${signerId}`;
  const isMessage = kind === "send-template" || kind === "send-link";
  // A message that failed after the provider took it is owed again, as the message that it was.
  const id = isMessage && event.type === "MessageFailed" ? event.data.messageId : `${event.id}:${kind}${target}`;
  return { id, kind, signerId, webhookType: null, dueAt: dueAt(before, owed, event), attempts: 0 };
};

const isFor = ({ kind, signerId }: Obligation, owed: Owed): boolean => kind === owed.kind && signerId === owed.signerId;

/** A check that failed is postponed; photos taken anew are checked at once. */
const identityAttempted = (
  obligation: Obligation,
  event: ObligingEvent & { type: UploadEvent["type"] | "IdentityProviderFailed" },
): Obligation => {
  if (obligation.kind !== "check-identity" || obligation.signerId !== event.data.signerId) return obligation;
  if (event.type !== "IdentityProviderFailed") return { ...obligation, attempts: 0, dueAt: event.metadata.at };
  const { attempt, nextAttemptAt } = event.data;
  return nextAttemptAt === null ? obligation : { ...obligation, attempts: attempt, dueAt: nextAttemptAt };
};

/** What an event tells of an attempt at one of the open obligations: postponed, counted. */
const attempted = (obligation: Obligation, event: ObligingEvent): Obligation => {
  switch (event.type) {
    case "MessageAttempted":
      return obligation.id === event.data.messageId ? { ...obligation, attempts: event.data.attempt } : obligation;
    case "MessageFailed": {
      const { messageId, attempt, nextAttemptAt } = event.data;
      if (obligation.id !== messageId || nextAttemptAt === null) return obligation;
      return { ...obligation, attempts: attempt, dueAt: nextAttemptAt };
    }
    case "SealingFailed":
      return obligation.kind === "seal"
        ? { ...obligation, attempts: event.data.attempt, dueAt: event.data.nextAttemptAt }
        : obligation;
    case "SelfieUploaded":
    case "IdFrontUploaded":
    case "IdBackUploaded":
    case "IdentityProviderFailed":
      return identityAttempted(obligation, event);
    case "EvidenceFetchFailed":
      return obligation.kind === "fetch-evidence"
        ? { ...obligation, attempts: event.data.attempt, dueAt: event.data.nextAttemptAt }
        : obligation;
    case "WebhookAttempted":
      return obligation.id === event.data.webhookId ? { ...obligation, attempts: event.data.attempt } : obligation;
    case "WebhookAttemptFailed":
      return obligation.id === event.data.webhookId
        ? { ...obligation, attempts: event.data.attempt, dueAt: event.data.nextAttemptAt }
        : obligation;
    default:
      return obligation;
  }
};

/** The callback that an event obliges to, if any. Legacy and bulk know no callback of a rejection. */
const webhookTypeOf = ({ channel }: ObligationsRecord, event: ObligingEvent): WebhookType | null => {
  switch (event.type) {
    case "DocumentSealed":
      return "alert";
    case "ReportGenerated":
      return "report";
    case "MessageFailed":
      return event.data.nextAttemptAt === null ? "msg" : null;
    case "Rejected":
      return channel === "v2" ? "rejection" : null;
    default:
      return null;
  }
};

const openWebhooks = (record: ObligationsRecord, event: ObligingEvent): Obligation[] => {
  const open = record.open.filter(({ kind }) => kind === "webhook");
  if (event.type === "WebhookDelivered" || event.type === "WebhookAbandoned") {
    return open.filter(({ id }) => id !== event.data.webhookId);
  }
  const webhookType = record.hasWebhook ? webhookTypeOf(record, event) : null;
  if (!webhookType) return open;
  const signerId = event.type === "MessageFailed" || event.type === "Rejected" ? event.data.signerId : null;
  const id = `${event.id}:webhook:${webhookType}`;
  return [...open, { id, kind: "webhook", signerId, webhookType, dueAt: event.metadata.at, attempts: 0 }];
};

/**
 * A document's record after one more event, or null before the document was requested. Pure: the same events in the same
 * order make the same record; apply each event once (the projection's store sees to that).
 */
export const evolveObligations = (record: ObligationsRecord | null, event: ObligingEvent): ObligationsRecord | null => {
  if (!record && event.type !== "DocumentRequested") return null;
  if (record && event.type === "DocumentRequested") return record;
  const after = event.type === "DocumentRequested" ? requestedRecord(event) : record && progressed(record, event);
  if (!after) return null;
  const owed = owedBy(after).map(
    (one) => after.open.find((obligation) => isFor(obligation, one)) ?? newObligation(record, one, event),
  );
  const open = [...owed, ...openWebhooks(after, event)].map((obligation) => attempted(obligation, event));
  const nextDueAt = open.reduce<string | null>((next, { dueAt }) => (next && next < dueAt ? next : dueAt), null);
  return { ...after, open, nextDueAt };
};

import { renewalDueAt } from "../document/augmentation.ts";
import type { UploadEvent } from "../document/photo-progress.ts";
import { type Owed, owedBy } from "./owed.ts";
import { progressed, requestedRecord } from "./progress.ts";
import { fresh, type Obligation, type ObligationsRecord, type ObligingEvent, postponed } from "./record.ts";
import { openWebhooks, webhooksAfter } from "./webhooks.ts";

/** How long whoever writes the event is left to do by itself what follows from it, before it is published as owed. */
const GRACE_MS = 5_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** What a seal lacks could not be had a moment ago: `complete-seal` waits for so long. */
const COMPLETE_SEAL_AFTER_MS = 10 * 60_000;

/** Which record an event belongs to: the document's id, or undefined when it obliges nobody. */
export const obligationsRecordId = (event: ObligingEvent): string | undefined => {
  if (event.streamKind === "document") return event.streamId;
  if (event.streamKind === "phoneLine" || event.streamKind === "delivery" || event.type === "CreditsRefunded") {
    return "documentId" in event.data ? event.data.documentId : undefined;
  }
  return undefined;
};

const later = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString();

/** So many hours after the signer refused, or the first message reached them; also where they got the phone's turn later. */
const holdEndsAt = (
  before: ObligationsRecord | null,
  signerId: string | null,
  hours: number | null | undefined,
  event: ObligingEvent,
): string => {
  const known = before?.signers.find((signer) => signer.signerId === signerId)?.heldSince;
  const since = event.type === "ContinueRefused" ? null : known;
  return later(since ?? event.metadata.at, (hours ?? 0) * HOUR_MS);
};

/** By ReminderScheduled. Another event may open it again (who refused continues after all): then as it was scheduled last. */
const reminderDueAt = (before: ObligationsRecord | null, signerId: string | null, event: ObligingEvent): string => {
  const { at } = event.metadata;
  if (event.type === "ReminderScheduled") return event.data.dueAt ?? at;
  const known = before?.signers.find((signer) => signer.signerId === signerId)?.reminderDueAt;
  return known ?? at;
};

/**
 * When what the event opens is due. Most is due at once, or at its own time (a reminder, an expiry, an erasure). What the
 * writer of the event goes on to do by itself gets a grace period: a request, a resend or a correction claims the turn,
 * whoever finds the phone free announces it, whoever erases goes on to forget.
 */
const dueAt = (before: ObligationsRecord | null, { kind, signerId }: Owed, event: ObligingEvent): string => {
  const { at } = event.metadata;
  if (kind === "complete-seal") return later(at, COMPLETE_SEAL_AFTER_MS);
  if (kind === "renew-timestamp" && (event.type === "DocumentSealed" || event.type === "SealAugmented")) {
    const { timestamp, provenUntil } = event.data;
    return provenUntil === null ? at : renewalDueAt(timestamp?.at ?? at, provenUntil);
  }
  if (kind === "send-reminder") return reminderDueAt(before, signerId, event);
  if (kind === "end-refusal") return holdEndsAt(before, signerId, before?.refusalHours, event);
  if (kind === "end-silence") return holdEndsAt(before, signerId, before?.silenceHours, event);
  if (kind === "expire" && "expiresAt" in event.data) return event.data.expiresAt ?? at;
  if (kind === "erase") return later(at, (before?.retentionDays ?? 0) * DAY_MS);
  const wasQueued = before?.signers.find((signer) => signer.signerId === signerId)?.line === "queued";
  const doneByWriter =
    (kind === "claim-turn" && (event.type === "DocumentRequested" || isAskedAnew(event))) ||
    (kind === "leave-line" && event.type === "SignerCorrected") ||
    (kind === "announce-turn" && !wasQueued) ||
    kind === "forget";
  return doneByWriter ? later(at, GRACE_MS) : at;
};

const newObligation = (before: ObligationsRecord | null, owed: Owed, event: ObligingEvent): Obligation => {
  const { kind, signerId } = owed;
  const target = signerId === null ? "" : `:${signerId}`;
  const isMessage = kind.startsWith("send-");
  // A message that failed after the provider took it is owed again, as the message that it was.
  const id = isMessage && event.type === "MessageFailed" ? event.data.messageId : `${event.id}:${kind}${target}`;
  return { ...fresh, id, kind, signerId, dueAt: dueAt(before, owed, event), since: event.metadata.at };
};

const isFor = ({ kind, signerId }: Obligation, owed: Owed): boolean => kind === owed.kind && signerId === owed.signerId;

/** Whether the event has a signer begin anew: a resend, or a correction. */
const isAskedAnew = (event: ObligingEvent): event is ObligingEvent & { type: "ResendRequested" | "SignerCorrected" } =>
  event.type === "ResendRequested" || event.type === "SignerCorrected";

const isAugmentation = ({ kind }: Obligation): boolean => kind === "complete-seal" || kind === "renew-timestamp";

/** What a signer is owed anew, under other ids, once all is to be sent anew. */
const SENT_ANEW = new Set<string>([
  "send-reminder",
  "send-template",
  "send-link",
  "send-refusal",
  "end-refusal",
  "end-silence",
]);

/**
 * The open obligations that go on after the event. The others are closed, and opened again as new ones (another id and due
 * time) if they are still owed: of a seal that was augmented, of a signer who is asked anew, a reminder that has a new time.
 */
const stillOpen = (open: readonly Obligation[], event: ObligingEvent): readonly Obligation[] => {
  if (event.type === "SealAugmented") return open.filter((obligation) => !isAugmentation(obligation));
  if (event.type === "ReminderScheduled") {
    return open.filter(({ kind, signerId }) => signerId !== event.data.signerId || kind !== "send-reminder");
  }
  if (!isAskedAnew(event)) return open;
  return open.filter(({ kind, signerId }) => signerId !== event.data.signerId || !SENT_ANEW.has(kind));
};

/** A check that failed is postponed; photos taken anew are checked at once. */
const identityAttempted = (
  obligation: Obligation,
  event: ObligingEvent & { type: UploadEvent["type"] | "IdentityProviderFailed" },
): Obligation => {
  if (obligation.kind !== "check-identity" || obligation.signerId !== event.data.signerId) return obligation;
  const { at } = event.metadata;
  if (event.type !== "IdentityProviderFailed")
    return { ...obligation, attempts: 0, reason: null, dueAt: at, since: at };
  return postponed(obligation, event);
};

/** What an event tells of an attempt at one of the open obligations: postponed, counted. */
const attempted = (obligation: Obligation, event: ObligingEvent): Obligation => {
  switch (event.type) {
    case "MessageAttempted":
      return obligation.id === event.data.messageId ? { ...obligation, attempts: event.data.attempt } : obligation;
    case "MessageFailed":
      return obligation.id === event.data.messageId ? postponed(obligation, event) : obligation;
    case "SealingFailed":
      return obligation.kind === "seal" ? postponed(obligation, event) : obligation;
    case "SealAugmentationFailed":
      return isAugmentation(obligation) ? postponed(obligation, event) : obligation;
    case "SelfieUploaded":
    case "IdFrontUploaded":
    case "IdBackUploaded":
    case "IdentityProviderFailed":
      return identityAttempted(obligation, event);
    case "DocumentExpiryChanged": {
      if (obligation.kind !== "expire") return obligation;
      return { ...obligation, dueAt: event.data.expiresAt, since: event.metadata.at };
    }
    case "EvidenceFetchFailed":
      return obligation.kind === "fetch-evidence" ? postponed(obligation, event) : obligation;
    default:
      return obligation;
  }
};

/**
 * A document's record after one more event, or null before the document was requested. Pure: the same events in the same
 * order make the same record; apply each event once (the projection's store sees to that).
 */
export const evolveObligations = (record: ObligationsRecord | null, event: ObligingEvent): ObligationsRecord | null => {
  if (!record && event.type !== "DocumentRequested") return null;
  if (record && (record.setAside || event.type === "DocumentRequested")) return record;
  const after = event.type === "DocumentRequested" ? requestedRecord(event) : record && progressed(record, event);
  if (!after) return null;
  const owed = owedBy(after).map(
    (one) =>
      stillOpen(after.open, event).find((obligation) => isFor(obligation, one)) ?? newObligation(record, one, event),
  );
  const webhooks = webhooksAfter(after, event);
  const open = [...owed.map((obligation) => attempted(obligation, event)), ...openWebhooks(webhooks)];
  return { ...after, webhooks, open };
};

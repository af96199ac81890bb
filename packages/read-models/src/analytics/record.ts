import { receiverOf, takenBackAt, webhookOwedFor } from "@rubrica/domain";
import { type Channel, namedSigners, type WebhookType } from "@rubrica/events";
import { countryOfPhone } from "@rubrica/identity";
import type { JournalEvent } from "@rubrica/journal";
import { arrivalOf, type LogEntry, logEntryOf } from "../log-entries.ts";
import { type AnalyticMessage, messagesAfter } from "./message.ts";
import { type AnalyticSigner, requestedSigner, signerAfter } from "./signer.ts";
import type { documentStates } from "./tables.ts";
import { type AnalyticWebhook, owedWebhook, webhooksAfter } from "./webhook.ts";

/** What is known of a document for analysts. Names nobody. */
export type AnalyticsRecord = {
  documentId: string;
  accountId: string;
  campaignId: number | null;
  channel: Channel;
  requestedAt: string;
  /** What it is found by: {@link analyticsWithin}. */
  byAccount: string;
  bulkCallId: string | null;
  state: (typeof documentStates)[number];
  endedBecause: "signed" | "rejected" | "canceled" | "expired" | "erased" | "failed" | null;
  completedAt: string | null;
  sealedAt: string | null;
  endedAt: string | null;
  expiresAt: string | null;
  pages: number | null;
  bytes: number | null;
  identityRequired: boolean;
  sendsMessages: boolean;
  hasWebhook: boolean;
  webhookEvents: readonly WebhookType[] | null;
  erased: boolean;
  receiver: string | null;
  /** In the order of the request. */
  signers: AnalyticSigner[];
  messages: AnalyticMessage[];
  webhooks: AnalyticWebhook[];
  entries: LogEntry[];
  /** Messages (by the provider's id) whose arrival is in the log. */
  logged: string[];
};

/** The field that an account's documents are found by, in the order of their requests. */
export const ANALYTICS_FIELD = "byAccount";

/** Of an account, those asked for from one moment (UTC, ISO 8601 with milliseconds) on, before another. */
export const analyticsWithin = (accountId: string, from: string, before: string) => ({
  after: `${accountId}/${from}`,
  upTo: `${accountId}/${before}`,
});

/** A document that was just asked for. */
export const requestedRecord = ({
  data,
  personal,
  metadata,
}: Extract<JournalEvent, { type: "DocumentRequested" }>): AnalyticsRecord => ({
  documentId: data.documentId,
  accountId: metadata.accountId,
  campaignId: data.campaignId,
  channel: data.channel,
  requestedAt: metadata.at,
  byAccount: `${metadata.accountId}/${metadata.at}/${data.documentId}`,
  bulkCallId: data.bulk?.bulkId ?? null,
  state: "requested",
  endedBecause: null,
  completedAt: null,
  sealedAt: null,
  endedAt: null,
  expiresAt: data.expiresAt,
  pages: data.pageCount,
  bytes: data.file?.size ?? null,
  identityRequired: data.validatePhotos,
  sendsMessages: data.sendMessages,
  hasWebhook: data.hasWebhook,
  webhookEvents: data.webhookEvents,
  erased: false,
  receiver: receiverOf(metadata.accountId, personal?.webhook?.url),
  signers: namedSigners({ data, personal }).map(({ person, ...signer }) =>
    requestedSigner(signer, person && countryOfPhone(person.phone)),
  ),
  messages: [],
  webhooks: [],
  entries: [],
  logged: [],
});

/** The record after one more event; the same object where it changes nothing. */
export const recordAfter = (before: AnalyticsRecord, event: JournalEvent): AnalyticsRecord => {
  let record = documentAfter(before, event);
  const changed = <Key extends keyof AnalyticsRecord>(key: Key, value: AnalyticsRecord[Key]): void => {
    if (record[key] !== value) record = { ...record, [key]: value };
  };
  changed("messages", messagesAfter(record.messages, event));
  changed("webhooks", webhooksAfter(record.webhooks, event));
  if (event.streamKind !== "document") return record;
  changed("signers", signersAfter(record, event));
  const owed = webhookOwedFor(record, event);
  if (owed) changed("webhooks", [...record.webhooks, owedWebhook(owed, event.metadata.at)]);
  return withEntry(record, event);
};

const ended = (
  record: AnalyticsRecord,
  endedAt: string,
  state: AnalyticsRecord["state"],
  endedBecause: AnalyticsRecord["endedBecause"],
): AnalyticsRecord => ({ ...record, state, endedBecause, endedAt });

/** When the document ended by this event: one whose time was over had ended before that was recorded. */
const withdrawnAt = (
  { expiresAt }: AnalyticsRecord,
  { data, metadata }: Extract<JournalEvent, { type: "DocumentWithdrawn" }>,
): string => takenBackAt(data.reason, { expiresAt }, metadata.at);

const documentAfter = (record: AnalyticsRecord, event: JournalEvent): AnalyticsRecord => {
  const { at } = event.metadata;
  switch (event.type) {
    case "DocumentPrepared":
      return { ...record, pages: event.data.pageCount, bytes: event.data.file.size };
    case "DocumentExpiryChanged":
      return { ...record, expiresAt: event.data.expiresAt };
    case "PreparationFailed":
      return ended(record, at, "failed", "failed");
    case "SignerQueued":
      return record.endedAt ? record : { ...record, state: "waiting" };
    case "SignerTurnCame":
    case "SigningPageOpened":
    case "DocumentSigned":
      return record.endedAt || record.state === "in_progress" ? record : { ...record, state: "in_progress" };
    case "DocumentCompleted":
      return { ...ended(record, at, "completed", "signed"), completedAt: at };
    case "DocumentSealed":
      return { ...record, state: "sealed", sealedAt: record.sealedAt ?? at };
    case "Rejected":
      return ended(record, at, "rejected", "rejected");
    case "DocumentWithdrawn": {
      const { reason } = event.data;
      return ended(record, withdrawnAt(record, event), "withdrawn", reason === "erasure" ? "erased" : reason);
    }
    case "DocumentErased":
      return { ...record, erased: true, receiver: null };
    default:
      return record;
  }
};

/** The signers after an event: all of them change, or the one whom it is about. */
const signersAfter = (record: AnalyticsRecord, event: JournalEvent): AnalyticSigner[] => {
  const { signers, identityRequired } = record;
  if (event.type === "DocumentErased") return signers.map((signer) => ({ ...signer, country: null }));
  if (event.type === "DocumentWithdrawn") {
    const at = withdrawnAt(record, event);
    return signers.map((signer) => (signer.signedAt ? signer : { ...signer, withdrawnAt: at }));
  }
  if (!("signerId" in event.data)) return signers;
  const { signerId } = event.data;
  const index = signers.findIndex((signer) => signer.signerId === signerId);
  const signer = signers[index];
  const after = signer && signerAfter(signer, event, identityRequired);
  return after === undefined || after === signer ? signers : signers.with(index, after);
};

/** With what the event log tells of the event, once for each message that arrived. */
const withEntry = (record: AnalyticsRecord, event: JournalEvent): AnalyticsRecord => {
  const entry = logEntryOf(record.signers[0]?.signerId, event);
  const arrival = arrivalOf(event);
  if (!entry || (arrival !== undefined && record.logged.includes(arrival))) return record;
  const logged = arrival === undefined ? record.logged : [...record.logged, arrival];
  return { ...record, entries: [...record.entries, entry], logged };
};

import { obligationsRecordId, webhookOwedFor } from "@rubrica/domain";
import type { Channel, WebhookType } from "@rubrica/events";
import type { JournalEvent } from "@rubrica/journal";
import type { Projection } from "../projection.ts";
import { LAST } from "./owed.ts";

/** The latest attempts of each webhook that are kept. */
const MAX_ATTEMPTS = 30;

/** An attempt at a webhook. */
export type WebhookAttemptEntry = {
  /** From 1. */
  attempt: number;
  at: string;
  /** What it was answered with, or null. */
  status: number | null;
  /** Why it failed, by the name that its event gives; null when it did not, or is under way. */
  reason: string | null;
  /** Null while it is under way, and where no event tells. */
  durationMs: number | null;
  result: "under_way" | "delivered" | "failed";
};

/** Open and not failed, open and failed, or over. */
export type WebhookState = "pending" | "failing" | "delivered" | "abandoned";

/** A webhook of a document, and what became of it. */
export type WebhookEntry = {
  webhookId: string;
  webhookType: WebhookType;
  createdAt: string;
  state: WebhookState;
  attempts: readonly WebhookAttemptEntry[];
  /** Null when none is to come. One that waits for an older webhook comes after that is over. */
  nextAttemptAt: string | null;
};

/** A document's webhooks, oldest first. Its id is the document's. */
export type WebhooksRecord = {
  documentId: string;
  accountId: string;
  channel: Channel;
  hasWebhook: boolean;
  webhookEvents: readonly WebhookType[] | null;
  webhooks: readonly WebhookEntry[];
};

/** A webhook that failed, as a record of its own. */
export type ListedWebhook = WebhookEntry & {
  documentId: string;
  accountId: string;
  /** What it is found by: {@link listedKey}. */
  listed: string;
};

/** The index by which webhooks are listed. */
export const LISTED_FIELD = "listed";

/** `{state}/{account}/{time}/{webhook}`, or the beginning of it. */
const listedKey = (state: WebhookState, accountId: string, ...rest: readonly string[]): string =>
  [state, accountId, ...rest].join("/");

/** All of an account's webhooks in that state, after one that was listed. */
export const listedRange = (state: WebhookState, accountId: string, after = "") => ({
  after: listedKey(state, accountId, after),
  upTo: listedKey(state, accountId, LAST),
});

const attemptOf = (event: JournalEvent): WebhookAttemptEntry | null => {
  const { at } = event.metadata;
  switch (event.type) {
    case "WebhookAttempted":
      return { attempt: event.data.attempt, at, status: null, reason: null, durationMs: null, result: "under_way" };
    case "WebhookDelivered": {
      const { attempt, status, durationMs } = event.data;
      return { attempt, at, status, reason: null, durationMs, result: "delivered" };
    }
    case "WebhookAttemptFailed": {
      const { attempt, status, reason, durationMs } = event.data;
      return { attempt, at, status, reason, durationMs, result: "failed" };
    }
    case "WebhookAbandoned": {
      const { attempt, status, reason } = event.data;
      return { attempt, at, status, reason, durationMs: null, result: "failed" };
    }
    default:
      return null;
  }
};

/** An attempt's outcome takes the place of its beginning, whose time it keeps. */
const withAttempt = (attempts: readonly WebhookAttemptEntry[], told: WebhookAttemptEntry): WebhookAttemptEntry[] => {
  const begun = attempts.find(({ attempt }) => attempt === told.attempt);
  const others = attempts.filter((one) => one !== begun);
  return [...others, { ...told, at: begun?.at ?? told.at }].slice(-MAX_ATTEMPTS);
};

const standingAfter = (entry: WebhookEntry, event: JournalEvent): Pick<WebhookEntry, "state" | "nextAttemptAt"> => {
  switch (event.type) {
    case "WebhookAttemptFailed":
      return { state: "failing", nextAttemptAt: event.data.nextAttemptAt };
    case "WebhookDelivered":
      return { state: "delivered", nextAttemptAt: null };
    case "WebhookAbandoned":
      return { state: "abandoned", nextAttemptAt: null };
    case "WebhookRedeliveryRequested":
      return { state: "pending", nextAttemptAt: event.metadata.at };
    default:
      return entry;
  }
};

const told = (entry: WebhookEntry, event: JournalEvent): WebhookEntry => {
  if (!("webhookId" in event.data) || event.data.webhookId !== entry.webhookId) return entry;
  const attempt = attemptOf(event);
  const { state, nextAttemptAt } = standingAfter(entry, event);
  return { ...entry, state, nextAttemptAt, attempts: attempt ? withAttempt(entry.attempts, attempt) : entry.attempts };
};

const evolve = (record: WebhooksRecord, event: JournalEvent): WebhooksRecord => {
  if (event.streamKind === "delivery") {
    return { ...record, webhooks: record.webhooks.map((entry) => told(entry, event)) };
  }
  const owed = webhookOwedFor(record, event);
  if (!owed) return record;
  const { webhookId, webhookType } = owed;
  const { at } = event.metadata;
  const entry = { webhookId, webhookType, createdAt: at, state: "pending" as const, attempts: [], nextAttemptAt: at };
  return { ...record, webhooks: [...record.webhooks, entry] };
};

/** Each document's webhooks, with their attempts; those that failed as records of their own too. */
export const webhooks: Projection<WebhooksRecord> = {
  name: "webhooks",
  version: 2,
  sparse: true,
  indexes: [{ field: LISTED_FIELD }],
  keysOf: (event) => {
    const id =
      event.streamKind === "document" || event.streamKind === "delivery" ? obligationsRecordId(event) : undefined;
    return id === undefined ? [] : [id];
  },
  project: (record, event) => {
    if (event.type !== "DocumentRequested") return record && evolve(record, event);
    if (record) return record;
    const { documentId, channel, hasWebhook, webhookEvents } = event.data;
    return { documentId, accountId: event.metadata.accountId, channel, hasWebhook, webhookEvents, webhooks: [] };
  },
  partsOf: ({ documentId, accountId, webhooks: entries }) =>
    entries
      .filter(({ state }) => state === "failing" || state === "abandoned")
      .map((entry) => {
        const { state, createdAt, webhookId } = entry;
        const listed = listedKey(state, accountId, createdAt, webhookId);
        const document: ListedWebhook = { ...entry, documentId, accountId, listed };
        return { id: `listed/${webhookId}`, document };
      }),
};

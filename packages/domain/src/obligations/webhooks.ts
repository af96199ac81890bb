import { DEFAULT_WEBHOOK_TYPES, derivedId, type WebhookType } from "@rubrica/events";
import { retriedOnceAfterEach } from "../backoff.ts";
import { isAsking } from "../standing/due.ts";
import type { AttemptPolicy } from "./kind.ts";
import {
  fresh,
  type Obligation,
  type ObligationsRecord,
  type ObligingEvent,
  postponed,
  type WebhookProgress,
} from "./record.ts";

/** How often a webhook is sent at most, each time that it is asked for: the first time at once. */
export const webhookRetries = retriedOnceAfterEach(
  [5, "s"],
  [5, "min"],
  [30, "min"],
  [2, "h"],
  [5, "h"],
  [10, "h"],
  [14, "h"],
  [20, "h"],
  [24, "h"],
);

/** What a document owes by single events. */
export const webhookKinds = {
  // They wait for receivers, who may be slow.
  webhook: { retries: webhookRetries, limits: { inAll: 512, anAccount: 128 } },
} satisfies Readonly<Record<string, AttemptPolicy>>;

/** An account's receiver: an id made of the host and port of the URL, which does not show them. Null without a URL. */
export const receiverOf = (accountId: string, url: string | undefined): string | null =>
  url !== undefined && URL.canParse(url) ? derivedId(accountId, "receiver", new URL(url).host) : null;

/** The callback that an event obliges to, if any. Legacy and bulk know no callback of a rejection. */
const webhookTypeOf = ({ channel }: Pick<ObligationsRecord, "channel">, event: ObligingEvent): WebhookType | null => {
  switch (event.type) {
    case "DocumentSealed":
      return "alert";
    case "ReportGenerated":
      return "report";
    case "MessageFailed":
      return event.data.nextAttemptAt === null && isAsking(event.data.kind) ? "msg" : null;
    case "Rejected":
      return channel === "v2" ? "rejection" : null;
    case "DocumentWithdrawn":
      return event.data.reason === "erasure" ? null : event.data.reason;
    case "ContinueRefused":
      // From which nothing follows calls nobody back: they have signed, or the document has ended.
      return event.data.explained ? "no_continue" : null;
    case "DocumentSigned":
      return "signer_signed";
    case "SigningPageOpened":
      return "page_opened";
    default:
      return null;
  }
};

/** A webhook as the event names it that obliges to it. */
export interface OwedWebhook {
  webhookId: string;
  webhookType: WebhookType;
  /** Whom it is about, or null. */
  signerId: string | null;
}

/** The webhook that an event of a document obliges to, or null. */
export const webhookOwedFor = (
  record: Pick<ObligationsRecord, "channel" | "hasWebhook" | "webhookEvents">,
  event: ObligingEvent,
): OwedWebhook | null => {
  const webhookType = record.hasWebhook ? webhookTypeOf(record, event) : null;
  if (!webhookType || !(record.webhookEvents ?? DEFAULT_WEBHOOK_TYPES).includes(webhookType)) return null;
  const signerId = "signerId" in event.data ? event.data.signerId : null;
  return { webhookId: `${event.id}:webhook:${webhookType}`, webhookType, signerId };
};

const obligationOf = ({ webhookId, ...webhook }: OwedWebhook, record: ObligationsRecord, at: string): Obligation => ({
  ...fresh,
  ...webhook,
  id: webhookId,
  kind: "webhook",
  dueAt: at,
  since: at,
  receiver: record.receiver,
});

/** What an event tells of one webhook's delivery. */
const toldOf = (webhook: WebhookProgress, event: ObligingEvent): WebhookProgress => {
  const { obligation } = webhook;
  switch (event.type) {
    case "DocumentErased":
      return { ...webhook, obligation: { ...obligation, receiver: null } };
    case "WebhookAttempted":
      if (obligation.id !== event.data.webhookId) return webhook;
      return { ...webhook, obligation: { ...obligation, attempts: event.data.attempt } };
    case "WebhookAttemptFailed":
      return obligation.id === event.data.webhookId
        ? { ...webhook, obligation: postponed(obligation, event), tookMs: event.data.durationMs }
        : webhook;
    case "WebhookRedeliveryRequested": {
      if (obligation.id !== event.data.webhookId) return webhook;
      const { at } = event.metadata;
      return { ...webhook, isOver: false, obligation: { ...obligation, dueAt: at, since: at, reason: null } };
    }
    case "WebhookDelivered":
      return obligation.id === event.data.webhookId
        ? { ...webhook, isOver: true, tookMs: event.data.durationMs }
        : webhook;
    case "WebhookAbandoned":
      return obligation.id === event.data.webhookId ? { ...webhook, isOver: true } : webhook;
    default:
      return webhook;
  }
};

const firstOpen = (webhooks: readonly WebhookProgress[]): number => webhooks.findIndex(({ isOver }) => !isOver);

/**
 * A document's webhooks after one more event. They are told of in the order in which they came: the oldest that is not
 * over is due, and one that waited for it falls due no sooner than that ended.
 */
export const webhooksAfter = (record: ObligationsRecord, event: ObligingEvent): WebhookProgress[] => {
  const webhooks = record.webhooks.map((webhook) => toldOf(webhook, event));
  const owed = webhookOwedFor(record, event);
  const { at } = event.metadata;
  if (owed) webhooks.push({ obligation: obligationOf(owed, record, at), isOver: false, tookMs: null });
  const first = firstOpen(webhooks);
  const next = webhooks[first];
  if (!next || record.open.some(({ id }) => id === next.obligation.id) || next.obligation.dueAt >= at) return webhooks;
  return webhooks.with(first, { ...next, obligation: { ...next.obligation, dueAt: at, since: at } });
};

/** The webhook that is due, or will be: the oldest one that is not over, alone. So a document's webhooks keep their order. */
export const openWebhooks = (webhooks: readonly WebhookProgress[]): Obligation[] => {
  const next = webhooks[firstOpen(webhooks)];
  return next ? [next.obligation] : [];
};

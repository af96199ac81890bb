import type { OwedWebhook } from "@rubrica/domain";
import type { DeliveryEvent, WebhookType } from "@rubrica/events";
import type { JournalEvent } from "@rubrica/journal";

/** A webhook, and what became of it. */
export type AnalyticWebhook = {
  webhookId: string;
  kind: WebhookType;
  outcome: "pending" | "failing" | "delivered" | "abandoned";
  attempts: number;
  status: number | null;
  createdAt: string;
  firstAttemptAt: string | null;
  takenAt: string | null;
  msFirstAttempt: number | null;
};

export const owedWebhook = ({ webhookId, webhookType: kind }: OwedWebhook, createdAt: string): AnalyticWebhook => ({
  webhookId,
  kind,
  outcome: "pending",
  attempts: 0,
  status: null,
  createdAt,
  firstAttemptAt: null,
  takenAt: null,
  msFirstAttempt: null,
});

type Told = JournalEvent & DeliveryEvent;
const isTold = (event: JournalEvent): event is Told => event.streamKind === "delivery";

/** The webhooks after one more event of a delivery; the same array where it changes nothing. */
export const webhooksAfter = (webhooks: AnalyticWebhook[], event: JournalEvent): AnalyticWebhook[] => {
  if (!isTold(event)) return webhooks;
  const { webhookId } = event.data;
  const index = webhooks.findIndex((webhook) => webhook.webhookId === webhookId);
  const webhook = webhooks[index];
  return webhook ? webhooks.with(index, told(webhook, event)) : webhooks;
};

const told = (webhook: AnalyticWebhook, event: Told): AnalyticWebhook => {
  const { at } = event.metadata;
  const msFirst = (durationMs: number): number | null =>
    webhook.msFirstAttempt ?? (event.data.attempt === 1 ? durationMs : null);
  switch (event.type) {
    case "WebhookAttempted":
      return { ...webhook, attempts: event.data.attempt, firstAttemptAt: webhook.firstAttemptAt ?? at };
    case "WebhookDelivered": {
      const { status, durationMs } = event.data;
      const takenAt = webhook.takenAt ?? at;
      return { ...webhook, outcome: "delivered", status, takenAt, msFirstAttempt: msFirst(durationMs) };
    }
    case "WebhookAttemptFailed": {
      const { status, durationMs } = event.data;
      return { ...webhook, outcome: "failing", status, msFirstAttempt: msFirst(durationMs) };
    }
    case "WebhookAbandoned":
      return { ...webhook, outcome: "abandoned", status: event.data.status };
    case "WebhookRedeliveryRequested":
      return { ...webhook, outcome: "pending" };
    default:
      return event satisfies never;
  }
};

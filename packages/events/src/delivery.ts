import { z } from "zod";
import { defineEvent, type EventOf } from "./define.ts";
import { TreeHead } from "./heads.ts";
import { IsoTime, sample, Uuid, WebhookType } from "./shared.ts";

const delivery = {
  /** The webhook's stable id: its obligation's. */
  webhookId: z.string().max(200),
  documentId: Uuid,
  webhookType: WebhookType,
  attempt: z.int().positive(),
};
const deliverySample = {
  webhookId: `${sample.keyId}:alert`,
  documentId: sample.documentId,
  webhookType: "alert" as const,
  attempt: 1,
};

/** The webhook is about to be sent. */
export const WebhookAttempted = defineEvent({
  type: "WebhookAttempted",
  version: 2,
  upcasts: { 1: ({ data, personal }) => ({ data: { ...data, head: null }, personal }) },
  data: z.strictObject({
    ...delivery,
    /** The log's newest head at the first attempt, which each attempt tells; null where there was none. */
    head: TreeHead.nullable(),
  }),
  personal: null,
  example: { data: { ...deliverySample, head: { size: 3, root: sample.sha256 } }, personal: null },
});

/** The receiver answered 2xx. */
export const WebhookDelivered = defineEvent({
  type: "WebhookDelivered",
  data: z.strictObject({ ...delivery, status: z.int(), durationMs: z.int().nonnegative() }),
  personal: null,
  example: { data: { ...deliverySample, status: 200, durationMs: 80 }, personal: null },
});

/** The receiver did not take it; it is tried again at `nextAttemptAt`. */
export const WebhookAttemptFailed = defineEvent({
  type: "WebhookAttemptFailed",
  data: z.strictObject({
    ...delivery,
    reason: z.string().max(200),
    status: z.int().nullable(),
    durationMs: z.int().nonnegative(),
    nextAttemptAt: IsoTime,
  }),
  personal: null,
  example: {
    data: { ...deliverySample, reason: "status", status: 503, durationMs: 80, nextAttemptAt: sample.at },
    personal: null,
  },
});

/** The receiver never took it: no more attempts. */
export const WebhookAbandoned = defineEvent({
  type: "WebhookAbandoned",
  data: z.strictObject({ ...delivery, reason: z.string().max(200), status: z.int().nullable() }),
  personal: null,
  example: { data: { ...deliverySample, attempt: 10, reason: "status", status: 503 }, personal: null },
});

/** Somebody asks for the webhook to be sent again, under its id; `attempt` is its last one. */
export const WebhookRedeliveryRequested = defineEvent({
  type: "WebhookRedeliveryRequested",
  data: z.strictObject({ ...delivery, redeliveryId: Uuid }),
  personal: null,
  example: { data: { ...deliverySample, attempt: 10, redeliveryId: sample.grantId }, personal: null },
});

export const deliveryEvents = [
  WebhookAttempted,
  WebhookDelivered,
  WebhookAttemptFailed,
  WebhookAbandoned,
  WebhookRedeliveryRequested,
] as const;
export type DeliveryEvent = EventOf<(typeof deliveryEvents)[number]>;

import type { DeliveryEvent, TreeHead, WebhookType } from "@rubrica/events";
import { retryAtMost } from "./backoff.ts";
import { DomainError, type Fold } from "./decider.ts";
import { webhookRetries } from "./obligations/webhooks.ts";

const MAX_REMEMBERED_REDELIVERIES = 20;

/** Which webhook. `webhookId` is the id of the obligation to send it, which receivers see. */
export interface WebhookNamed {
  webhookId: string;
  documentId: string;
  webhookType: WebhookType;
}

/** Which attempt at which webhook. */
export interface WebhookAttempt extends WebhookNamed {
  /** From 1. */
  attempt: number;
  /** The log's newest head, which the first attempt freezes; null where there is none. */
  head: TreeHead | null;
}

/** A webhook on its way to its receiver. */
export type Delivery =
  | { status: "none" }
  | ({
      /** An attempt is under way, the last one failed, it is over, or it was asked for again. */
      status: "attempted" | "failed" | "delivered" | "abandoned" | "asked_for";
      /** Attempts begun so far. */
      attempts: number;
      /** How many of the attempts were made before it was last asked for again. */
      attemptsBefore: number;
      /** What each attempt tells of the log: its newest head at the first attempt. */
      head: TreeHead | null;
      /** The last times that it was asked for again, by their ids. */
      redeliveryIds: readonly string[];
    } & WebhookNamed);

const evolve = (delivery: Delivery, event: DeliveryEvent): Delivery => {
  const { type, data } = event;
  const { webhookId, documentId, webhookType, attempt } = data;
  const known = delivery.status === "none" ? { attemptsBefore: 0, redeliveryIds: [], head: null } : delivery;
  const status = {
    WebhookAttempted: "attempted",
    WebhookAttemptFailed: "failed",
    WebhookDelivered: "delivered",
    WebhookAbandoned: "abandoned",
    WebhookRedeliveryRequested: "asked_for",
  } as const;
  const { attemptsBefore, redeliveryIds } = known;
  const head = event.type === "WebhookAttempted" ? event.data.head : known.head;
  const told = { webhookId, documentId, webhookType, attempts: attempt, status: status[type], head };
  if (type !== "WebhookRedeliveryRequested") return { ...told, attemptsBefore, redeliveryIds };
  const ids = [...redeliveryIds, data.redeliveryId].slice(-MAX_REMEMBERED_REDELIVERIES);
  return { ...told, attemptsBefore: attempt, redeliveryIds: ids };
};

/** A webhook's delivery as its stream tells it. */
export const deliveryFold: Fold<Delivery, DeliveryEvent> = { initial: { status: "none" }, evolve };

const isOver = ({ status }: Delivery): boolean => status === "delivered" || status === "abandoned";

/**
 * Begins an attempt: the webhook may be sent once WebhookAttempted is stored. Nothing when it was delivered or
 * abandoned, nor when this attempt was begun before: whoever did is at it. When every attempt was cut before its
 * outcome was known, WebhookAbandoned comes instead of one more.
 */
export const attemptDelivery = (
  delivery: Delivery,
  { webhookId, documentId, webhookType, attempt, head: newest }: WebhookAttempt,
): DeliveryEvent[] => {
  if (isOver(delivery)) return [];
  if (attempt !== (delivery.status === "none" ? 0 : delivery.attempts) + 1) return [];
  const named = { webhookId, documentId, webhookType };
  const last = webhookRetries.maxAttempts + (delivery.status === "none" ? 0 : delivery.attemptsBefore);
  if (attempt > last) {
    const data = { ...named, attempt: last, reason: "attempts_exhausted", status: null };
    return [{ type: "WebhookAbandoned", data, personal: null }];
  }
  const head = delivery.status === "none" ? newest : delivery.head;
  return [{ type: "WebhookAttempted", data: { ...named, attempt, head }, personal: null }];
};

const attemptedDelivery = (delivery: Delivery): Exclude<Delivery, { status: "none" }> => {
  if (delivery.status === "none") throw new DomainError("unknown_delivery", "no attempt was recorded");
  return delivery;
};

const named = ({ webhookId, documentId, webhookType, attempts }: Exclude<Delivery, { status: "none" }>) => ({
  webhookId,
  documentId,
  webhookType,
  attempt: attempts,
});

/**
 * The receiver took it (2xx), once; also when the attempt was believed to have failed.
 * @throws {DomainError} unknown_delivery when it was not attempted.
 */
export const recordDelivered = (
  delivery: Delivery,
  { status, durationMs }: { status: number; durationMs: number },
): DeliveryEvent[] => {
  const known = attemptedDelivery(delivery);
  if (isOver(known)) return [];
  return [{ type: "WebhookDelivered", data: { ...named(known), status, durationMs }, personal: null }];
};

/** How an attempt failed; `status` is null when no answer came. */
export interface DeliveryFailure {
  reason: string;
  /** Trying again is of no use. */
  permanent: boolean;
  status: number | null;
  durationMs: number;
  /** The pause that the receiver asked for, in milliseconds; undefined when it asked for none. */
  notBeforeMs?: number | undefined;
  /** Milliseconds since the UNIX epoch. */
  now: number;
  /** A fraction in [0, 1). */
  jitter: number;
}

/**
 * The receiver did not take it: it is tried again, or abandoned after the last attempt or when that is of no use.
 * Nothing when this attempt's outcome is known.
 * @throws {DomainError} unknown_delivery when it was not attempted.
 */
export const recordDeliveryFailed = (delivery: Delivery, failure: DeliveryFailure): DeliveryEvent[] => {
  const known = attemptedDelivery(delivery);
  if (known.status !== "attempted") return [];
  const { reason, permanent, status, durationMs, notBeforeMs, now, jitter } = failure;
  const attempt = known.attempts - known.attemptsBefore;
  const nextAttemptAt = permanent ? null : retryAtMost(webhookRetries, { attempt, now, jitter, notBeforeMs });
  const data = { ...named(known), reason, status };
  return nextAttemptAt === null
    ? [{ type: "WebhookAbandoned", data, personal: null }]
    : [{ type: "WebhookAttemptFailed", data: { ...data, durationMs, nextAttemptAt }, personal: null }];
};

/**
 * Has the webhook sent again, under its own id and with ten attempts more, whatever came of it; once for each
 * `redeliveryId`. Nothing while an attempt is under way, or when it is about to be sent anyway.
 * @throws {DomainError} unknown_delivery when it was not attempted.
 */
export const requestRedelivery = (delivery: Delivery, { redeliveryId }: { redeliveryId: string }): DeliveryEvent[] => {
  const known = attemptedDelivery(delivery);
  const isUnderWay = known.status === "attempted" || known.status === "asked_for";
  if (isUnderWay || known.redeliveryIds.includes(redeliveryId)) return [];
  return [{ type: "WebhookRedeliveryRequested", data: { ...named(known), redeliveryId }, personal: null }];
};

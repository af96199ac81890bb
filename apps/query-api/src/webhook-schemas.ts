import { WebhookType } from "@rubrica/events";
import { z } from "zod";

const at = z.string().describe("ISO 8601, UTC.");

const Attempt = z.object({
  attempt: z.int().describe("From 1."),
  at,
  status: z.int().nullable().describe("What it was answered with; null when no answer came, or is still to come."),
  error: z.string().nullable().describe("Why it failed, in words; null when it did not."),
  duration_ms: z
    .int()
    .nullable()
    .describe("Until the answer, or until there was none; null where its host is unknown, or not public."),
});

const WebhookBody = z.object({
  webhook_id: z.string().describe("The same in each attempt: the header `webhook-id`."),
  type: WebhookType,
  created_at: at,
  state: z
    .enum(["pending", "failing", "delivered", "abandoned"])
    .describe("Not sent yet; tried and to be tried again; taken; tried for the last time."),
  attempts: z.array(Attempt).describe("The latest thirty."),
  next_attempt: at.nullable().describe("When it is tried next, at the earliest; null when it is not, or waits."),
});
export type WebhookBody = z.infer<typeof WebhookBody>;

const id = "019aa5c0-0000-7000-8000-0000000000d1";
const example = {
  webhook_id: "019aa5c0-0000-7000-8000-0000000000e1:webhook:alert",
  type: "alert" as const,
  created_at: "2026-11-21T15:04:05.000Z",
  state: "failing" as const,
  attempts: [
    {
      attempt: 1,
      at: "2026-11-21T15:04:05.200Z",
      status: 503,
      error: "The receiver answered 503, not 2xx.",
      duration_ms: 80,
    },
  ],
  next_attempt: "2026-11-21T15:04:10.500Z",
};

export const DocumentWebhooks = z
  .object({ id_seguimiento: z.string(), webhooks: z.array(WebhookBody) })
  .meta({ examples: [{ id_seguimiento: id, webhooks: [example] }] })
  .describe("Oldest first.");

export const FailedWebhooks = z
  .object({
    webhooks: z.array(WebhookBody.extend({ id_seguimiento: z.string() })),
    next: z
      .string()
      .nullable()
      .describe("What to give as `after` for those that follow; null when these are the last."),
  })
  .meta({ examples: [{ webhooks: [{ id_seguimiento: id, ...example }], next: null }] })
  .describe("Oldest first.");

export const ListQuery = z.object({
  state: z.enum(["failing", "abandoned"]).describe("Which of them."),
  limit: z.coerce.number().int().min(1).max(100).default(100).describe("How many at most."),
  after: z.string().max(300).default("").describe("The `next` of the answer before."),
});

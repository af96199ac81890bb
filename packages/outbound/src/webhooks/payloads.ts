import type { WebhookType } from "@rubrica/events";
import { z } from "zod";

const trackingId = z.string().describe("The document's id");
const customParameters = z
  .record(z.string(), z.unknown())
  .nullable()
  .describe("What the request gave as `custom_parameters`");
const reportUrl = z.string().describe("The report's public address; of legacy requests only");

const ofSigner = {
  id_seguimiento: trackingId,
  id_custom: z.string().describe("The signer"),
  contact: z.string().describe("Their phone number then"),
};

/** What each callback's `data` holds. */
export const webhookData = {
  alert: z.strictObject({
    id_seguimiento: trackingId,
    is_finished: z.literal(true),
    finished_at: z.iso.datetime().describe("When the last signer signed"),
    custom_parameters: customParameters,
    documento_url: z.string().describe("The signed PDF's public address; of legacy requests only").optional(),
    report_url: reportUrl.optional(),
  }),
  report: z.strictObject({
    id_seguimiento: trackingId,
    custom_parameters: customParameters,
    report_url: reportUrl.optional(),
  }),
  msg: z.strictObject({
    id_seguimiento: trackingId,
    id_custom: z.string().describe("The signer whom no message reached"),
    contact: z.string().describe("Their phone number"),
    reason: z.string().describe("Why, by the name that the event log has"),
    custom_parameters: customParameters,
  }),
  rejection: z.strictObject({
    id_seguimiento: trackingId,
    id_custom: z.string().describe("The signer who rejected"),
    rejection_reason: z.string().describe("Why, in the signer's words"),
    custom_parameters: customParameters,
    signersCustomData: z
      .array(
        z.looseObject({
          id_custom: z.string(),
          name: z.string(),
          dni: z.string(),
          contact: z.string(),
        }),
      )
      .describe("All signers"),
  }),
  canceled: z.strictObject({
    id_seguimiento: trackingId,
    canceled_at: z.iso.datetime(),
    reason: z.string().nullable().describe("What was given as `reason`"),
    custom_parameters: customParameters,
  }),
  expired: z.strictObject({
    id_seguimiento: trackingId,
    expires_at: z.iso.datetime().describe("Until when it could be signed"),
    custom_parameters: customParameters,
  }),
  no_continue: z.strictObject({
    ...ofSigner,
    refused_at: z.iso.datetime(),
    custom_parameters: customParameters,
  }),
  signer_signed: z.strictObject({
    ...ofSigner,
    signed_at: z.iso.datetime(),
    custom_parameters: customParameters,
  }),
  page_opened: z.strictObject({
    ...ofSigner,
    opened_at: z.iso.datetime(),
    custom_parameters: customParameters,
  }),
} satisfies Record<WebhookType, z.ZodType>;

/** What a callback carries: the contract's `{type, data}`. */
export type WebhookPayload = {
  [Type in WebhookType]: { type: Type; data: z.infer<(typeof webhookData)[Type]> };
}[WebhookType];

export const webhookTypes = Object.keys(webhookData) as WebhookType[];

const tracked = { id_seguimiento: "019aa5c0-0000-7000-8000-0000000000d1", custom_parameters: { order: 17 } };
const at = "2026-11-21T15:04:05.000Z";
const signer = { id_custom: "019aa5c0-0000-7000-8000-000000000051", contact: "5491122334455" };

/** One callback of each type, as a v2 document's. */
export const webhookExamples: { readonly [Type in WebhookType]: Extract<WebhookPayload, { type: Type }> } = {
  alert: {
    type: "alert",
    data: { ...tracked, is_finished: true, finished_at: at },
  },
  report: { type: "report", data: tracked },
  msg: { type: "msg", data: { ...tracked, ...signer, reason: "unreachable" } },
  rejection: {
    type: "rejection",
    data: {
      ...tracked,
      id_custom: signer.id_custom,
      rejection_reason: "El monto no es correcto",
      signersCustomData: [{ ...signer, name: "Ana Paz", dni: "30123456" }],
    },
  },
  canceled: { type: "canceled", data: { ...tracked, canceled_at: at, reason: "The lease was called off" } },
  expired: { type: "expired", data: { ...tracked, expires_at: "2027-01-31T21:00:00.000Z" } },
  no_continue: { type: "no_continue", data: { ...tracked, ...signer, refused_at: at } },
  signer_signed: { type: "signer_signed", data: { ...tracked, ...signer, signed_at: at } },
  page_opened: { type: "page_opened", data: { ...tracked, ...signer, opened_at: at } },
};

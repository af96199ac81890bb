export { describedWebhooks, EXAMPLE_SECRET } from "./describe.ts";
export { type WebhookPayload, webhookData, webhookExamples, webhookTypes } from "./payloads.ts";
export {
  type Callback,
  type SignedCallback,
  sendWebhook,
  type WebhookFailureReason,
  type WebhookOutcome,
} from "./send.ts";
export { signatureHeaders } from "./signature.ts";

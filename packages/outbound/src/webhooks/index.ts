// What integrators are told: payloads, their description, their signature, one attempt.
// It must not know what is owed or when to try again: the domain does.
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

export type { RegisteredTemplate, WhatsAppTemplates } from "./bodies.ts";
export { WHATSAPP_ERRORS } from "./errors.ts";
export {
  type SubmissionOptions,
  type SubmissionOutcome,
  submitTemplates,
  type TemplateDefinition,
  templateDefinitions,
} from "./submission.ts";
export { challengeOf, isSignature, isSignedByApp, noticesOf, type WebhookReader } from "./webhook.ts";
export { createWhatsAppProvider, type WhatsAppOptions } from "./whatsapp.ts";

// The environment, read once into one checked configuration.
// It must not open or reach anything that it names.

export * from "./config.ts";
export { defaultOf, MAX_RETENTION_DAYS, type TrustedProxies, type VariableName, variableNames } from "./environment.ts";
export { ConfigError } from "./error.ts";
export {
  type EmailConfig,
  type MessagingEngine,
  requireEmail,
  requireSms,
  type SmsConfig,
} from "./messaging.ts";
export { type Setting, settings } from "./settings.ts";
export { requireWhatsApp, type TemplateSetting, type WhatsAppConfig } from "./whatsapp.ts";

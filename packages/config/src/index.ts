export * from "./config.ts";
export { ConfigError } from "./error.ts";
export { requireWhatsApp, type TemplateSetting, type WhatsAppConfig } from "./whatsapp.ts";

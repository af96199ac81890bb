// What signers are written, and by which provider: the port, WhatsApp, text messages, e-mail, the simulated phone.
// It must not decide to whom, or when: the domain does.

export { createHttpMessagingProvider, MAX_MESSAGE_BYTES, MessageJson } from "./http/http.ts";
export * from "./port.ts";
export { createSmsProvider, type SmsOptions } from "./sms/sms.ts";
export * from "./texts.ts";

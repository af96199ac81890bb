export { type Fault, startWhatsAppDouble, type WhatsAppDouble, type WhatsAppDoubleOptions } from "./double.ts";
export { MetaError } from "./errors.ts";
export type { ShownButton, TakenMessage } from "./messages.ts";
export { callOf, pressedValue, statusValue, textValue } from "./payloads.ts";
export { waIdOf } from "./phones.ts";

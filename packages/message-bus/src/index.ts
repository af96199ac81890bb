export { createEmbeddedMessageBus, type HandlingFailure } from "./embedded.ts";
export type { JsonValue } from "./json.ts";
export * from "./port.ts";

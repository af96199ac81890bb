export { createEmbeddedMessageBus } from "./embedded.ts";
export type { HandlingFailure } from "./failure.ts";
export { type JetStreamOptions, openJetStreamMessageBus } from "./jetstream/bus.ts";
export { MessageBusError } from "./jetstream/errors.ts";
export type { JsonValue } from "./json.ts";
export * from "./port.ts";

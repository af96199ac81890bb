export { createEmbeddedMessageBus } from "./embedded.ts";
export type { HandlingFailure } from "./failure.ts";
export { type JetStreamOptions, openJetStreamMessageBus } from "./jetstream/bus.ts";
export { MessageBusError, NatsUrlError } from "./jetstream/errors.ts";
export { readNatsUrl } from "./jetstream/url.ts";
export type { JsonValue } from "./json.ts";
export * from "./port.ts";

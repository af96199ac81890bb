// Brings obligations to who meets them, at least once: the port, an embedded engine, and JetStream at `/jetstream`.
// It must not know what a message means.

export { createEmbeddedMessageBus } from "./embedded.ts";
export type { HandlingFailure } from "./failure.ts";
export { MessageBusError, NatsUrlError } from "./jetstream/bus-error.ts";
export { readNatsUrl } from "./jetstream/url.ts";
export type { JsonValue } from "./json.ts";
export * from "./port.ts";

// The log of events, as a port: streams appended at an expected revision, read and followed in one order.
// It must not know what an event means, nor load an engine: those are at `/embedded` and `/eventstoredb`.

export { EventStoreFailedError, type EventStoreFailure } from "./embedded/errors.ts";
export { EventStoreDbError, type EventStoreDbFailure } from "./eventstoredb/failure.ts";
export * from "./port.ts";
export { type PreparedAppend, prepareAppend, type StoredForm } from "./prepare-append.ts";

export { EventStoreFailedError, type EventStoreFailure } from "./embedded/errors.ts";
export { type EmbeddedEventStoreOptions, openEmbeddedEventStore } from "./embedded/store.ts";
export { EventStoreDbError, type EventStoreDbFailure } from "./eventstoredb/failure.ts";
export * from "./port.ts";
export { type PreparedAppend, prepareAppend, type StoredForm } from "./prepare-append.ts";

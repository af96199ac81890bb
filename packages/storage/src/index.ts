// What is kept outside the event log, as ports: leases, the keys of subjects, encrypted files.
// It must not know what any of it means, nor load a database: who opens one imports `/embedded` or `/mongodb`.

export type { FileStoreOptions } from "./files/encrypted.ts";
export { openMemoryFileStore } from "./files/memory.ts";
export * from "./files/port.ts";
export type { KnownEnd, KnownHead, KnownLog } from "./keys/known-log.ts";
export type { FoundLine, LineRow, Lines } from "./keys/lines.ts";
export * from "./keys/port.ts";
export { KeyUnreadableError } from "./keys/wrapping.ts";
export { createLease, type Lease, type LeaseOptions, STANDSTILL_MS } from "./lease/lease.ts";
export type { LeaseRecord, LeaseStore } from "./lease/port.ts";

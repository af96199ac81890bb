export { openEmbeddedLeaseStore } from "./embedded.ts";
export { createLease, type Lease, type LeaseOptions, STANDSTILL_MS } from "./lease.ts";
export type { LeaseRecord, LeaseStore } from "./port.ts";

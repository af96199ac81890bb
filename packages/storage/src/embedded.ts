// The ports on files and SQLite, in the folder of one machine.
export { openDiskFileStore } from "./files/disk.ts";
export { openEmbeddedKeyStore, openEmbeddedKnownLog } from "./keys/embedded.ts";
export { openEmbeddedLeaseStore } from "./lease/embedded.ts";

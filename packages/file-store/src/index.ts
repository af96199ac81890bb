export { openDiskFileStore } from "./disk.ts";
export type { FileStoreOptions } from "./encrypted.ts";
export { openMemoryFileStore } from "./memory.ts";
export * from "./port.ts";

export { openEmbeddedKeyStore } from "./embedded.ts";
export type { KnownEnd, KnownLog } from "./known-log.ts";
export * from "./port.ts";
export { KeyUnreadableError } from "./wrapping.ts";

export { openEmbeddedKeyStore } from "./embedded.ts";
export * from "./port.ts";
export { KeyUnreadableError } from "./wrapping.ts";

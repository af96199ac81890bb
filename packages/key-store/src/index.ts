export { openEmbeddedKeyStore } from "./embedded.ts";
export { openMongoKeyStore } from "./mongodb/store.ts";
export * from "./port.ts";
export { KeyUnreadableError } from "./wrapping.ts";

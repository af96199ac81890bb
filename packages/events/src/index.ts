// The language of the log: each event with its schema, version, upcasters and example; the hash chain and the tree of
// heads.
// It must not know who decides on events, or who stores them.

export * from "./account.ts";
export * from "./bulk.ts";
export * from "./catalogue.ts";
export * from "./define.ts";
export * from "./delivery.ts";
export * from "./document/index.ts";
export * from "./event-id.ts";
export * from "./hash-chain.ts";
export * from "./heads.ts";
export { ipAddress } from "./ip-address.ts";
export * from "./merkle-tree.ts";
export * from "./metadata.ts";
export * from "./notices.ts";
export { Origin } from "./origin.ts";
export * from "./phone-line.ts";
export * from "./request.ts";
export * from "./shared.ts";
export * from "./streams.ts";

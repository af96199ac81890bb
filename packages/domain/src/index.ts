export * from "./account/index.ts";
export * from "./bulk.ts";
export * from "./consent.ts";
export * from "./decider.ts";
export * from "./delivery.ts";
export * from "./document/index.ts";
export * from "./obligations/index.ts";
export * from "./phone-line.ts";

export type { JsonValue } from "./json.ts";
export * from "./port.ts";

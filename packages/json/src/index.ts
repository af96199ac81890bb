export { canonicalPieces, type JsonObject } from "./canonical.ts";
export { type JsonBound, JsonBoundExceeded, NotUnicode } from "./errors.ts";
export { type ParseJson, readJson } from "./read.ts";
export type { JsonBounds, RowBounds } from "./scan.ts";

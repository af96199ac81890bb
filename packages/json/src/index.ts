// Reads JSON within bounds of size, depth and count, and writes it, giving way to other work of the process.
// It must not know what it holds.

export { type JsonBound, JsonBoundExceeded, NotUnicode } from "./errors.ts";
export { type ParseJson, readJson, readOwnJson } from "./read.ts";
export type { JsonBounds, RowBounds } from "./scan.ts";
export { weightOf } from "./weight.ts";
export { canonicalPieces, inSlices, type JsonObject, jsonPieces } from "./write.ts";

import type { Position } from "@rubrica/event-store";
import type { IndexDefinition, ReadModelDocument } from "../port.ts";

/** What a document is looked up by: field, string, and whether the field is the string itself (1) or an array (0). */
export type LookupEntry = [field: string, value: string, plain: 0 | 1];

/** A position as 16 bytes that sort as positions do. */
export const positionToBytes = ({ commit, prepare }: Position): Buffer => {
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeBigUInt64BE(commit, 0);
  bytes.writeBigUInt64BE(prepare, 8);
  return bytes;
};

/** Reads what {@link positionToBytes} wrote. */
export const positionFromBytes = (bytes: Uint8Array): Position => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { commit: view.getBigUint64(0), prepare: view.getBigUint64(8) };
};

/** Every string of the document that is indexed, each once. */
export const entriesOf = (document: ReadModelDocument | null, indexes: readonly IndexDefinition[]): LookupEntry[] =>
  indexes.flatMap(({ field }): LookupEntry[] => {
    const value = document && valueAt(document, field);
    if (typeof value === "string") return [[field, value, 1]];
    if (!Array.isArray(value)) return [];
    return [...new Set(value)].filter((item) => typeof item === "string").map((item) => [field, item, 0]);
  });

/** What stands at a dotted path; undefined when the path leads nowhere. */
const valueAt = (document: ReadModelDocument, field: string): unknown => {
  let value: unknown = document;
  for (const name of field.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
};

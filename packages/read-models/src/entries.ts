import type { IndexDefinition, ReadModelDocument } from "./port.ts";

/** What a document is looked up by: a field, and the string that it is. */
export type LookupEntry = [field: string, value: string];

/** Every string of the document that is indexed. */
export const entriesOf = (document: ReadModelDocument | null, indexes: readonly IndexDefinition[]): LookupEntry[] =>
  indexes.flatMap(({ field }): LookupEntry[] => {
    const value = document && valueAt(document, field);
    return typeof value === "string" ? [[field, value]] : [];
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

import { formatPosition } from "@rubrica/event-store";
import type { Random } from "@rubrica/runtime";
import { type AnyBulkWriteOperation, type Filter, ObjectId } from "mongodb";
import type { TableLayout } from "../analytics/field.ts";
import type { DocumentChange, IndexDefinition } from "../port.ts";
import { type AnyRecord, commitOf, type DocumentRecord, type PartRecord, partKey, recordOf } from "./records.ts";
import type { StoredVersion } from "./stored-versions.ts";
import { typedFields } from "./typed-fields.ts";

/** No document is there: one that has the id makes the insertion fail. */
const NOWHERE = "";

/** A document's change as it is to be written. */
export interface Write {
  id: string;
  before: DocumentChange["before"];
  record: Omit<DocumentRecord, "_id" | "parts">;
  /** What analysts ask of it. */
  fields: Record<string, unknown>;
  /** Versions of parts, made for this write alone. */
  made: PartRecord[];
  /** Keys of the parts that go. */
  gone: string[];
}

/** What a change is made into records with. */
export interface WriteLayout {
  indexes: readonly IndexDefinition[];
  tables: readonly TableLayout[];
  random: Random;
}

/** A change as it is to be written; what can fail without the server fails here. */
export const writeOf = (change: DocumentChange, { indexes, tables, random }: WriteLayout): Write => {
  const position = formatPosition(change.position);
  const parts = change.parts ?? [];
  return {
    id: change.id,
    before: change.before,
    record: recordOf(change.document, position, indexes),
    fields: typedFields(tables, change),
    made: parts.flatMap(({ id, document }) => {
      if (!document) return [];
      const _id = new ObjectId(random.bytes(12));
      const { entries } = recordOf(document, position, indexes);
      return [{ _id, part: id, of: change.id, position, document: JSON.stringify(document), entries }];
    }),
    gone: parts.flatMap(({ id, document }) => (document ? [] : [partKey(id)])),
  };
};

/** Whether the document is not yet where the write brings it. */
export const isBelow = (stored: StoredVersion | undefined, { record }: Write): boolean =>
  !stored || commitOf(stored.position) < commitOf(record.position);

/** Whether another version is stored than the change was made from, where that is known. */
export const hasChanged = (stored: StoredVersion | undefined, { before }: Write): boolean =>
  before !== undefined && (before && commitOf(formatPosition(before))) !== (stored ? commitOf(stored.position) : null);

/** One operation that writes the document from its stored version: it changes nothing where another one is stored by now. */
export const operationOf = (
  { id, record, fields, made, gone }: Write,
  stored: StoredVersion | undefined,
): AnyBulkWriteOperation<AnyRecord> => {
  const named = made.map(({ part, _id }) => [partKey(part), _id] as const);
  if (!stored) return { insertOne: { document: { _id: id, ...record, ...fields, parts: Object.fromEntries(named) } } };
  const changed = Object.fromEntries(named.map(([key, version]) => [`parts.${key}`, version]));
  const $unset = Object.fromEntries(gone.map((key) => [`parts.${key}`, "" as const]));
  const update = { $set: { ...record, ...fields, ...changed }, ...(gone.length > 0 ? { $unset } : {}) };
  return { updateOne: { filter: { _id: id, position: stored.position }, update } };
};

/** What inserts as an update that finds nothing, and inserts: all of a command is of one kind. */
export const asUpdate = (operation: AnyBulkWriteOperation<AnyRecord>): AnyBulkWriteOperation<AnyRecord> => {
  if (!("insertOne" in operation)) return operation;
  const { _id, ...replacement } = operation.insertOne.document;
  return { replaceOne: { filter: { _id, position: NOWHERE } as Filter<AnyRecord>, replacement, upsert: true } };
};

/** Where a document is once it was written from its stored version. */
export const versionAfter = (
  { id, record, made, gone }: Write,
  storedVersions: ReadonlyMap<string, StoredVersion>,
): StoredVersion => {
  const parts = { ...storedVersions.get(id)?.parts };
  for (const { part, _id } of made) parts[partKey(part)] = _id;
  for (const key of gone) delete parts[key];
  return { position: record.position, parts };
};

/** Versions that a document names no more once it is written from this stored version. */
export const replacedBy = ({ made, gone }: Write, stored: StoredVersion | undefined): ObjectId[] =>
  [...made.map(({ part }) => partKey(part)), ...gone].flatMap((key) => stored?.parts?.[key] ?? []);

/** The versions of parts that a document does not name. */
export const unnamed = (stored: StoredVersion | undefined, versions: readonly ObjectId[]): ObjectId[] => {
  const named = new Set(Object.values(stored?.parts ?? {}).map(String));
  return versions.filter((version) => !named.has(String(version)));
};

import { parsePosition } from "@rubrica/event-store";
import { findByIds } from "@rubrica/storage/mongodb";
import type { Collection, FindOptions, ObjectId } from "mongodb";
import { entriesOf } from "../entries.ts";
import type { IndexDefinition, ReadModelDocument, StoredDocument } from "../port.ts";

/**
 * A document or a part as it is kept. Its JSON is text, so that nothing in it is read as MongoDB's; `entries` has the
 * strings that are indexed.
 */
interface StoredRecord {
  /** As `formatPosition` writes it: it sorts. */
  position: string;
  document: string | null;
  entries: Record<string, string>;
}

/** A document, by its id. `parts` names the version that each of its parts has now; a removed one is not there. */
export interface DocumentRecord extends StoredRecord {
  _id: string;
  parts?: Record<string, ObjectId>;
}

/**
 * A version of a part, written before its document and never changed. It is there only while the document names it: so a
 * document and all of its parts change by one write of one document, which MongoDB makes whole or not at all.
 */
export interface PartRecord extends StoredRecord {
  _id: ObjectId;
  /** Its id. */
  part: string;
  /** The document that it is of. */
  of: string;
  document: string;
}

export type AnyRecord = DocumentRecord | PartRecord;
export type Records = Collection<AnyRecord>;

/** The documents with these ids, those that there are. */
export const findDocuments = (records: Records, ids: readonly string[], options?: FindOptions) =>
  findByIds(records, ids, options) as unknown as Promise<DocumentRecord[]>;

/** The versions of parts with these ids, those that there are. */
export const findVersions = (records: Records, ids: readonly ObjectId[]) =>
  findByIds(records, ids) as unknown as Promise<PartRecord[]>;

export const isPart = (record: AnyRecord): record is PartRecord => "part" in record;

/** A part's id as the name of a field: it may hold dots and dollars. */
export const partKey = (id: string): string => Buffer.from(id).toString("base64url");

/** A path as the name of one field. */
const entryKey = (field: string): string => encodeURIComponent(field).replaceAll(".", "%2E");

/** Where a field's string is in a record. */
export const entryPath = (field: string): string => `entries.${entryKey(field)}`;

export const entryOf = ({ entries }: AnyRecord, field: string): string | undefined => entries[entryKey(field)];

/** What is kept of a document, beside its ids. @throws when it is no JSON. */
export const recordOf = (
  document: ReadModelDocument | null,
  position: string,
  indexes: readonly IndexDefinition[],
): StoredRecord => ({
  position,
  document: document && JSON.stringify(document),
  entries: Object.fromEntries(entriesOf(document, indexes).map(([field, value]) => [entryKey(field), value])),
});

/** The document or part that a record holds, which is not a removed one's. */
export const storedOf = <D extends ReadModelDocument>(record: AnyRecord): StoredDocument<D> => ({
  id: isPart(record) ? record.part : record._id,
  position: parsePosition(record.position),
  document: JSON.parse(record.document ?? "null") as D,
});

/** The part of a written position that positions are compared by. */
export const commitOf = (position: string): string => position.slice(0, 20);

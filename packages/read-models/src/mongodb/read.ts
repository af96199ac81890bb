import type { Filter, FindCursor } from "mongodb";
import type { Range, StoredDocument } from "../port.ts";
import {
  type AnyRecord,
  type DocumentRecord,
  entryOf,
  entryPath,
  findDocuments,
  findVersions,
  isPart,
  type PartRecord,
  partKey,
  type Records,
  storedOf,
} from "./records.ts";

/** How often a part that is changed while it is read is looked for again. */
const ATTEMPTS = 10;
const BATCH_RECORDS = 1_000;

/** A document, or a part, as it is now. */
export const readOne = async (records: Records, id: string): Promise<StoredDocument | undefined> => {
  const document = await records.findOne<DocumentRecord>({ _id: id });
  if (document) return document.document === null ? undefined : storedOf(document);
  const versions = await records.find<PartRecord>({ part: id }).toArray();
  const [part] = await currentOf(records, versions);
  return part && storedOf(part);
};

/** All documents, some at a time. */
export async function* scanAll(records: Records): AsyncGenerator<StoredDocument[], void, undefined> {
  const projection = { position: 1, document: 1, part: 1 };
  let some: StoredDocument[] = [];
  for await (const record of records.find<AnyRecord>({}, { projection, batchSize: BATCH_RECORDS })) {
    if (!isPart(record) && record.document !== null) some.push(storedOf(record));
    if (some.length < BATCH_RECORDS) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

/** The documents and parts whose field is in the range, in its order. */
export const readRange = async (records: Records, field: string, range: Range): Promise<StoredDocument[]> => {
  const { after, upTo, limit } = range;
  const path = entryPath(field);
  const filter = { [path]: { ...(after === undefined ? { $gte: "" } : { $gt: after }), $lte: upTo } };
  const cursor = records.find<AnyRecord>(filter as Filter<AnyRecord>).sort({ [path]: 1, _id: 1 });
  try {
    return (await firstOf(records, cursor.batchSize(Math.min(limit, BATCH_RECORDS)), field, range)).map((one) =>
      storedOf(one),
    );
  } finally {
    await cursor.close();
  }
};

/**
 * As many records as are asked for. The index also finds old versions of parts, which no document names any more: one
 * page may not be enough.
 */
const firstOf = async (
  records: Records,
  cursor: FindCursor<AnyRecord>,
  field: string,
  { after, upTo, limit }: Range,
): Promise<AnyRecord[]> => {
  const bytesOf = (record: AnyRecord): Buffer => Buffer.from(entryOf(record, field) ?? "");
  const [first, last] = [after === undefined ? undefined : Buffer.from(after), Buffer.from(upTo)];
  const isInRange = (record: AnyRecord): boolean =>
    entryOf(record, field) !== undefined &&
    (!first || Buffer.compare(bytesOf(record), first) > 0) &&
    Buffer.compare(bytesOf(record), last) <= 0;
  const given = new Map<string, AnyRecord>();
  const found = new Map<string, AnyRecord>();
  for (;;) {
    const wanted = limit - given.size;
    const page = await nextOf(cursor, wanted);
    for (const record of await currentOf(records, page)) if (isInRange(record)) found.set(idOf(record), record);
    const end = page.length < wanted ? undefined : page.at(-1);
    // A record whose current value lies behind the page's end is given once the pages come to it.
    const reached = [...found.values()].filter((one) => !end || Buffer.compare(bytesOf(one), bytesOf(end)) <= 0);
    for (const record of reached.sort((a, b) => Buffer.compare(bytesOf(a), bytesOf(b)))) {
      found.delete(idOf(record));
      if (!given.has(idOf(record))) given.set(idOf(record), record);
    }
    if (!end || given.size >= limit) return [...given.values()].slice(0, limit);
  }
};

const nextOf = async (cursor: FindCursor<AnyRecord>, count: number): Promise<AnyRecord[]> => {
  const page: AnyRecord[] = [];
  while (page.length < count) {
    const record = await cursor.next();
    if (!record) break;
    page.push(record);
  }
  return page;
};

/** The records as they are now: documents as they were found; of a part, the version that its document names. */
const currentOf = async (records: Records, found: readonly AnyRecord[]): Promise<AnyRecord[]> => {
  const versions = new Map(found.filter(isPart).map((part) => [String(part._id), part]));
  const current: AnyRecord[] = found.filter((record) => !isPart(record));
  let left = new Map([...versions.values()].map((part) => [part.part, part]));
  for (let attempt = 1; left.size > 0 && attempt <= ATTEMPTS; attempt++) {
    const named = await namedBy(records, [...left.values()]);
    const unknown = [...named.values()].filter((version) => !versions.has(String(version)));
    if (unknown.length > 0)
      for (const part of await findVersions(records, unknown)) versions.set(String(part._id), part);
    const known = (id: string) => versions.get(String(named.get(id)));
    current.push(...[...left.keys()].flatMap((id) => known(id) ?? []));
    // The version was named a moment ago and is gone: by now its document names another one.
    left = new Map([...left].filter(([id]) => named.has(id) && !known(id)));
  }
  return current;
};

/** The versions that their documents name of these parts, by the parts' ids. */
const namedBy = async (records: Records, parts: readonly PartRecord[]) => {
  const ids = [...new Set(parts.map(({ of }) => of))];
  const documents = await findDocuments(records, ids, { projection: { parts: 1 } });
  const byId = new Map(documents.map((document) => [document._id, document.parts]));
  return new Map(
    parts.flatMap(({ part, of }) => {
      const version = byId.get(of)?.[partKey(part)];
      return version ? [[part, version] as const] : [];
    }),
  );
};

const idOf = (record: AnyRecord): string => (isPart(record) ? record.part : record._id);

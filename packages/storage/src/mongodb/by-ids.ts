import type { Collection, Document, Filter, FindOptions, WithId } from "mongodb";

/** So few are looked up one by one: FerretDB goes through all documents for several, and finds one by its index. */
const ONE_BY_ONE = 4;
const IDS_AT_ONCE = 1_000;

/** The documents with these ids, those that there are. */
export const findByIds = async <T extends Document>(
  collection: Collection<T>,
  ids: readonly T["_id"][],
  options: FindOptions = {},
): Promise<WithId<T>[]> => {
  const find = (filter: object) => collection.find(filter as Filter<T>, options).toArray();
  if (ids.length <= ONE_BY_ONE) return (await Promise.all(ids.map((_id) => find({ _id })))).flat();
  const found: WithId<T>[] = [];
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE)
    found.push(...(await find({ _id: { $in: ids.slice(at, at + IDS_AT_ONCE) } })));
  return found;
};

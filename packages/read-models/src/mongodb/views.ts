import type { Db } from "mongodb";
import type { Table } from "../analytics/field.ts";

/** A view for analysts, over a generation's collection. */
export interface View {
  name: string;
  pipeline: readonly object[];
}

/** The views of a collection's tables: the declared fields of what is there, and nothing else. */
export const viewsOf = (tables: readonly Table[]): View[] =>
  tables.map((table) => ({ name: table.name, pipeline: table.pipeline ?? pipelineOf(table) }));

const pipelineOf = ({ name, one, fields }: Table): object[] => {
  if (!one) return [{ $unwind: `$rows.${name}` }, { $replaceRoot: { newRoot: `$rows.${name}` } }];
  const shown = Object.fromEntries(fields.map((field) => [field.name, 1]));
  // A document that is gone has null, what is no document has nothing.
  return [{ $match: { [fields[0]?.name ?? ""]: { $ne: null } } }, { $project: { _id: 0, ...shown } }];
};

/** A generation that is read, and the views that are to be over it. */
export interface Viewed {
  /** The name of the collection that holds the documents. */
  name: string;
  version: number;
  /** Where its records are. */
  records: string;
  views: readonly View[];
}

/** How often what another process changes at the same moment is looked at again. */
const ATTEMPTS = 20;
const NAMESPACE_EXISTS = 48;

interface Existing {
  name: string;
  options: { viewOn: string; pipeline: object[] };
}

/**
 * Points each view at its collection's live generation. Several processes may do this at once: each looks again after what
 * it changed, until there is nothing to change.
 *
 * A view stays on a version as long as that exists. A higher version drops the lower ones once it has caught up; the view
 * moves then.
 * @param live gives the generations that are registered now
 */
export const mendViews = async (
  db: Pick<Db, "listCollections" | "createCollection" | "command">,
  live: () => Promise<readonly Viewed[]>,
): Promise<void> => {
  const taken = new Set<string>();
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const existing = (await db.listCollections({ type: "view" }).toArray()) as unknown as Existing[];
    let changed = false;
    for (const { records, views } of chosen(await live(), existing))
      for (const view of views) {
        const found = existing.find(({ name }) => name === view.name);
        if (taken.has(view.name) || (found && isSame(found, view, records))) continue;
        changed = true;
        if (found) await db.command({ collMod: view.name, viewOn: records, pipeline: view.pipeline });
        else if (!(await made(db, view, records))) taken.add(view.name);
      }
    if (!changed) return;
  }
};

const isSame = ({ options }: Existing, { pipeline }: View, records: string): boolean =>
  options.viewOn === records && JSON.stringify(options.pipeline) === JSON.stringify(pipeline);

/** False where somebody else has a collection of that name, which stays as it is. */
const made = async (db: Pick<Db, "createCollection" | "listCollections">, view: View, viewOn: string) => {
  try {
    await db.createCollection(view.name, { viewOn, pipeline: [...view.pipeline] });
    return true;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === NAMESPACE_EXISTS)) throw error;
    const [there] = await db.listCollections({ name: view.name }, { nameOnly: true }).toArray();
    return there?.type === "view";
  }
};

/** One version of each collection: the one that its views are to show. */
const chosen = (live: readonly Viewed[], existing: readonly Existing[]): Viewed[] => {
  const shown = new Set(existing.map(({ options }) => versionOf(options.viewOn)));
  return [...Map.groupBy(live, ({ name }) => name).values()].flatMap((versions) => {
    const [lowest] = versions.toSorted((a, b) => a.version - b.version);
    return versions.find(({ records }) => shown.has(versionOf(records))) ?? lowest ?? [];
  });
};

/** A generation's collection without its number, which stands last. */
const versionOf = (records: string): string => records.slice(0, records.lastIndexOf("."));

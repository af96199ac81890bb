import { DatabaseSync } from "node:sqlite";
import { IN_MEMORY } from "@rubrica/storage/sqlite";
import type { StoredDocument } from "../port.ts";
import { documentOf } from "./rows.ts";
import { LIVE } from "./statements.ts";

const AT_ONCE = 500;
const SCAN = `SELECT id, position, document FROM records
  WHERE generation = ${LIVE} AND document IS NOT NULL ORDER BY row`;

/** The live generation's documents at one moment: by a connection of its own, so that writers go on meanwhile. */
export async function* scanned(
  path: string,
  database: DatabaseSync,
  collection: readonly [name: string, version: number],
): AsyncGenerator<readonly StoredDocument[], void, undefined> {
  // Nobody else sees what is in memory.
  const own = path === IN_MEMORY ? undefined : new DatabaseSync(path, { readOnly: true });
  try {
    const rows = (own ?? database).prepare(SCAN);
    let some: StoredDocument[] = [];
    for (const row of own ? rows.iterate(...collection) : rows.all(...collection)) {
      some.push(documentOf(row));
      if (some.length < AT_ONCE) continue;
      yield some;
      some = [];
    }
    if (some.length > 0) yield some;
  } finally {
    own?.close();
  }
}

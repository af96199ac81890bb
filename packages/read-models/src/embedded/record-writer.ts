import { comparePositions } from "@rubrica/event-store";
import { entriesOf, type LookupEntry } from "../entries.ts";
import {
  type DocumentChange,
  type Generation,
  type IndexDefinition,
  OvertakenError,
  type Part,
  type ReadModelDocument,
} from "../port.ts";
import type { Layout } from "./generations.ts";
import { positionFromBytes, positionToBytes } from "./rows.ts";
import type { Statements } from "./statements.ts";
import type { Tables } from "./tables.ts";

/** Writes what events change of a generation's records, as part of the transaction that it is called in. */
export class RecordWriter {
  readonly #statements: Statements;
  readonly #tables: Tables;

  constructor(statements: Statements, tables: Tables) {
    this.#statements = statements;
    this.#tables = tables;
  }

  /**
   * Writes a document with its parts, rows and lookups. Nothing where the stored one has that position or a later one.
   * @throws {OvertakenError} when another process changed it since it was loaded
   */
  write(generation: Generation, { indexes, tables }: Layout, change: DocumentChange): void {
    const { id, position, document, parts, rows, before } = change;
    const { number } = generation;
    const old = this.#statements.find.get(number, id);
    const oldPosition = old && positionFromBytes(old.position as Uint8Array);
    if (oldPosition && comparePositions(position, oldPosition) <= 0) return;
    if (before !== undefined && before?.commit !== oldPosition?.commit) throw new OvertakenError(generation);
    const bytes = positionToBytes(position);
    for (const part of parts ?? []) this.#writePart(number, indexes, part, bytes);
    const record = this.#writeRecord(number, old, { id, position: bytes, document }, entriesOf(document, indexes));
    if (rows) this.#tables.write(number, tables, record, rows);
    if (document === null) this.#tables.remove(number, tables, record);
  }

  #writePart(generation: number, indexes: readonly IndexDefinition[], { id, document }: Part, position: Buffer): void {
    const old = this.#statements.find.get(generation, id);
    if (document) this.#writeRecord(generation, old, { id, position, document }, entriesOf(document, indexes));
    else if (old) {
      for (const entry of entriesIn(old)) this.#statements.removeLookup.run(generation, ...entry, old.row as number);
      this.#statements.remove.run(old.row as number);
    }
  }

  #writeRecord(
    generation: number,
    old: Record<string, unknown> | undefined,
    { id, position, document }: { id: string; position: Buffer; document: ReadModelDocument | null },
    entries: readonly LookupEntry[],
  ): number | bigint {
    const columns = [position, document && JSON.stringify(document), JSON.stringify(entries)] as const;
    const before = old ? entriesIn(old) : [];
    let row = old?.row as number | bigint | undefined;
    if (row === undefined) row = this.#statements.insert.run(generation, id, ...columns).lastInsertRowid;
    else this.#statements.update.run(...columns, row);
    for (const entry of before)
      if (!hasEntry(entries, entry)) this.#statements.removeLookup.run(generation, ...entry, row);
    for (const entry of entries)
      if (!hasEntry(before, entry)) this.#statements.addLookup.run(generation, ...entry, row);
    return row;
  }
}

const entriesIn = (row: Record<string, unknown>): LookupEntry[] => JSON.parse(row.entries as string) as LookupEntry[];

const hasEntry = (entries: readonly LookupEntry[], [field, value]: LookupEntry): boolean =>
  entries.some((entry) => entry[0] === field && entry[1] === value);

import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Rows, Table } from "../analytics/field.ts";
import { columnDefinitions, sqliteValue } from "./tables.ts";

/** An SQLite file of tables for analysts, of its own: nothing else of the service is in it. To be disposed of. */
export class SnapshotFile implements Disposable {
  readonly #tables: readonly Table[];
  readonly #database: DatabaseSync;
  readonly #writers: ReadonlyMap<string, StatementSync>;

  /** @param path where no file is. */
  constructor(path: string, tables: readonly Table[]) {
    this.#tables = tables;
    this.#database = new DatabaseSync(path);
    // Cut, it is thrown away: nothing of it has to be taken back.
    this.#database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
    for (const table of tables)
      this.#database.exec(
        table.select
          ? `CREATE VIEW "${table.name}" AS ${table.select}`
          : `CREATE TABLE "${table.name}" (${columnDefinitions(table)}) STRICT`,
      );
    const kept = tables.filter(({ select }) => select === undefined);
    this.#writers = new Map(kept.map((table) => [table.name, this.#writerOf(table)]));
  }

  write(rows: Rows): void {
    for (const { name, fields } of this.#tables)
      for (const row of rows[name] ?? [])
        this.#writers.get(name)?.run(...fields.map((field) => sqliteValue(row[field.name])));
  }

  /** The file is whole from now on, durable. */
  finish(): void {
    this.#database.exec("COMMIT; PRAGMA synchronous = FULL; PRAGMA journal_mode = DELETE");
    // A write that is synced syncs those before it.
    this.#database.exec("PRAGMA user_version = 1");
    this.#database.close();
  }

  [Symbol.dispose](): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #writerOf({ name, fields }: Table): StatementSync {
    return this.#database.prepare(`INSERT INTO "${name}" VALUES (${fields.map(() => "?").join(", ")})`);
  }
}

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type FieldType, type Row, snakeCase, type TableLayout } from "../analytics/field.ts";
import type { TableRows } from "../port.ts";

/** Tables of which rows are kept. */
const keptOf = (tables: readonly TableLayout[]): TableLayout[] => tables.filter(({ select }) => select === undefined);

const columnTypes: Readonly<Record<FieldType, string>> = {
  id: "TEXT",
  time: "TEXT",
  int: "INTEGER",
  flag: "INTEGER",
  enum: "TEXT",
  text: "TEXT",
};

/** Where a generation's rows are. Views have no number in their names, so that none is called like it. */
export const storedName = (generation: number, { name }: Pick<TableLayout, "name">): string =>
  `"${name}_${generation}"`;

/** A column's name; some are words of SQL, as `order` is. */
const columnOf = ({ name }: { name: string }): string => `"${snakeCase(name)}"`;

const columnsOf = ({ fields }: TableLayout): string => fields.map(columnOf).join(", ");

/** The columns of a table as SQLite declares them. */
export const columnDefinitions = ({ fields }: TableLayout): string =>
  fields.map((field) => `${columnOf(field)} ${columnTypes[field.type]}`).join(", ");

/** A value as SQLite keeps it. */
export const sqliteValue = (value: Row[string] | undefined): string | number | null =>
  typeof value === "boolean" ? Number(value) : (value ?? null);

/**
 * The tables of generations whose collections have any: a column a field, keyed by the record's row and the number of the
 * row among the record's. Every change here is part of the transaction that it is called in.
 */
export class Tables {
  readonly #database: DatabaseSync;
  /** By generation, then by table. */
  readonly #writers = new Map<number, Map<string, (record: number | bigint, index: number, row: Row) => void>>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  make(generation: number, tables: readonly TableLayout[]): void {
    for (const table of keptOf(tables)) {
      const name = storedName(generation, table);
      this.#database.exec(
        `CREATE TABLE ${name} (record INTEGER NOT NULL, number_in_record INTEGER NOT NULL, ${columnDefinitions(table)},
          PRIMARY KEY (record, number_in_record)) STRICT, WITHOUT ROWID`,
      );
      const index = table.index?.map((field) => columnOf({ name: field })).join(", ");
      if (index) this.#database.exec(`CREATE INDEX "by_index_of_${generation}_${table.name}" ON ${name} (${index})`);
    }
  }

  /** Has the views show this generation, whatever they showed. */
  view(generation: number, tables: readonly TableLayout[]): void {
    for (const table of tables) {
      const select = table.select ?? `SELECT ${columnsOf(table)} FROM ${storedName(generation, table)}`;
      this.#database.exec(`DROP VIEW IF EXISTS "${table.name}"; CREATE VIEW "${table.name}" AS ${select}`);
    }
  }

  write(
    generation: number,
    tables: readonly TableLayout[],
    record: number | bigint,
    written: readonly TableRows[],
  ): void {
    const writers = this.#writersOf(generation, tables);
    for (const { table, rows, changed } of written)
      for (const index of changed) {
        const row = rows[index];
        if (row) writers.get(table)?.(record, index, row);
      }
  }

  /** Removes what a record has in them. */
  remove(generation: number, tables: readonly TableLayout[], record: number | bigint): void {
    for (const table of keptOf(tables))
      this.#database.prepare(`DELETE FROM ${storedName(generation, table)} WHERE record = ?`).run(record);
  }

  /** Removes some rows of each of a dropped generation's tables; false when none was left. */
  sweep(generation: number, tables: readonly TableLayout[], limit: number): boolean {
    const swept = keptOf(tables).map((table) => {
      const name = storedName(generation, table);
      const key = "(record, number_in_record)";
      const some = `SELECT record, number_in_record FROM ${name} LIMIT ?`;
      return this.#database.prepare(`DELETE FROM ${name} WHERE ${key} IN (${some})`).run(limit).changes;
    });
    return swept.some((changes) => changes !== 0);
  }

  drop(generation: number, tables: readonly TableLayout[]): void {
    this.#writers.delete(generation);
    for (const table of keptOf(tables)) this.#database.exec(`DROP TABLE ${storedName(generation, table)}`);
  }

  #writersOf(generation: number, tables: readonly TableLayout[]) {
    const known = this.#writers.get(generation);
    if (known) return known;
    const writers = new Map(keptOf(tables).map((table) => [table.name, this.#writerOf(generation, table)]));
    this.#writers.set(generation, writers);
    return writers;
  }

  #writerOf(generation: number, table: TableLayout) {
    const places = table.fields.map(() => "?").join(", ");
    // What rows are found by never changes: its index stays as it is.
    const changing = table.fields.filter(({ name }) => !table.index?.includes(name)).map(columnOf);
    const statement: StatementSync = this.#database.prepare(
      `INSERT INTO ${storedName(generation, table)} VALUES (?, ?, ${places})
        ON CONFLICT DO UPDATE SET ${changing.map((column) => `${column} = excluded.${column}`).join(", ")}`,
    );
    return (record: number | bigint, index: number, row: Row): void => {
      statement.run(record, index, ...table.fields.map(({ name }) => sqliteValue(row[name])));
    };
  }
}

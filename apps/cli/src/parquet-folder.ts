import { mkdirSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type FieldType, type Row, type Rows, snakeCase, type Table } from "@rubrica/read-models";
import { fileWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";

/** Rows that are held in memory, of each table, until they are written together. */
const GROUP_ROWS = 10_000;

/** A time is in UTC, of milliseconds. */
const parquetTypes = {
  id: "STRING",
  time: "TIMESTAMP",
  int: "INT64",
  flag: "BOOLEAN",
  enum: "STRING",
  text: "STRING",
} as const satisfies Record<FieldType, string>;

const parquetValue = (type: FieldType, value: Row[string] | undefined): unknown => {
  if (value === null || value === undefined) return null;
  if (type === "time") return new Date(String(value));
  return type === "int" ? BigInt(value) : value;
};

interface ParquetFile {
  table: Table;
  path: string;
  writer: ParquetWriter;
  rows: Row[];
}

/** A folder with a Parquet file for each table, which take the places of former ones once all are whole. To be disposed of. */
export class ParquetFolder implements AsyncDisposable {
  readonly #files: readonly ParquetFile[];

  constructor(folder: string, tables: readonly Table[]) {
    mkdirSync(folder, { recursive: true });
    this.#files = tables
      .filter(({ select }) => select === undefined)
      .map((table) => {
        const path = join(folder, `${table.name}.parquet`);
        const schema = schemaFromColumnData({ columnData: columnsOf(table, []) });
        return { table, path, writer: new ParquetWriter({ writer: fileWriter(unfinished(path)), schema }), rows: [] };
      });
  }

  async write(rows: Rows): Promise<void> {
    for (const file of this.#files) {
      file.rows.push(...(rows[file.table.name] ?? []));
      if (file.rows.length >= GROUP_ROWS) await flush(file);
    }
  }

  async finish(): Promise<void> {
    for (const file of this.#files) {
      await flush(file);
      await file.writer.finish();
    }
    for (const { path } of this.#files) await rename(unfinished(path), path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { path } of this.#files) await rm(unfinished(path), { force: true });
  }
}

const unfinished = (path: string): string => `${path}.unfinished`;

const columnsOf = ({ fields }: Table, rows: readonly Row[]) =>
  fields.map(({ name, type, nullable }) => ({
    name: snakeCase(name),
    type: parquetTypes[type],
    nullable,
    data: rows.map((row) => parquetValue(type, row[name])),
  }));

const flush = async (file: ParquetFile): Promise<void> => {
  const { table, writer, rows } = file;
  file.rows = [];
  if (rows.length > 0)
    // Its type and whether it may be null are in the schema.
    await writer.write({
      columnData: columnsOf(table, rows).map(({ name, data }) => ({ name, data })),
      rowGroupSize: rows.length,
    });
};

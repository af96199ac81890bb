import { type FieldType, type Row, type Rows, snakeCase, type Table } from "@rubrica/read-models";
import { fileWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import { makeFolder, Replacement } from "./replacement.ts";

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

const SUMS = "parquet.sha256";

interface ParquetFile {
  table: Table;
  writer: ParquetWriter;
  rows: Row[];
}

/** A folder with a Parquet file for each table, and their sums, which take the places of former ones once all are whole. To be disposed of. */
export class ParquetFolder implements Disposable {
  readonly #files: readonly ParquetFile[];
  readonly #replacement: Replacement;

  constructor(folder: string, tables: readonly Table[]) {
    makeFolder(folder);
    const kept = tables.filter(({ select }) => select === undefined);
    this.#replacement = new Replacement(folder, [SUMS, ...kept.map(({ name }) => `${name}.parquet`)]);
    this.#files = kept.map((table) => {
      const writer = fileWriter(this.#replacement.pathOf(`${table.name}.parquet`));
      const schema = schemaFromColumnData({ columnData: columnsOf(table, []) });
      return { table, writer: new ParquetWriter({ writer, schema }), rows: [] };
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
    await this.#replacement.addSums(SUMS);
    this.#replacement.finish();
  }

  [Symbol.dispose](): void {
    this.#replacement[Symbol.dispose]();
  }
}

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

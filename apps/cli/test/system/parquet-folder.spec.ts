import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { analyticTables, type Row, type Rows, snakeCase, type Table } from "@rubrica/read-models";
import { hasPythonModule, python, temporaryFolder } from "@rubrica/test-kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ParquetFolder } from "../../src/parquet-folder.ts";

const tables: readonly Table[] = Object.values(analyticTables);
const kept = tables.filter(({ select }) => select === undefined);

/** Prints a file's types, then how many rows it has, then one row of each thousand, as JSON. */
const READ = `
import json, sys
import pyarrow
import pyarrow.parquet as parquet
table = parquet.read_table(sys.argv[1])
rows = table.take(pyarrow.array(range(0, table.num_rows, 1000), pyarrow.int64())).to_pylist()
told = lambda value: value.isoformat(timespec="milliseconds").replace("+00:00", "Z") if hasattr(value, "isoformat") else value
print(json.dumps({
  "types": {field.name: str(field.type) + ("" if field.nullable else " not null") for field in table.schema},
  "count": table.num_rows,
  "rows": [{name: told(value) for name, value in row.items()} for row in rows],
}))`;

const arrowTypes = {
  id: "string",
  time: "timestamp[ms, tz=UTC]",
  int: "int64",
  flag: "bool",
  enum: "string",
  text: "string",
} as const;

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

const exampleOf = ({ type, nullable, example }: Table["fields"][number], number: number): Row[string] => {
  if (nullable && number % 3 === 0) return null;
  if (type === "int") return number % 2 === 0 ? number : 2 ** 40 + number;
  if (type === "time") return new Date(Date.UTC(2026, 0, 1) + number * 1_001).toISOString();
  return type === "text" ? `ñ🖋'" ${number}` : example;
};
const rowOf = ({ fields }: Table, number: number): Row =>
  Object.fromEntries(fields.map((field) => [field.name, exampleOf(field, number)]));
const rowsOf = (number: number): Rows => Object.fromEntries(kept.map((table) => [table.name, [rowOf(table, number)]]));

const written = async (documents: number): Promise<void> => {
  await using parquet = new ParquetFolder(folder.path, tables);
  for (let number = 0; number < documents; number++) await parquet.write(rowsOf(number));
  await parquet.finish();
};

const read = ({ name }: Table) => {
  const { stdout, stderr, status } = spawnSync(python, ["-c", READ, join(folder.path, `${name}.parquet`)], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as { types: Record<string, string>; count: number; rows: Row[] };
};

describe.skipIf(!hasPythonModule("pyarrow"))("Parquet", () => {
  test.each([0, 1, 25_001])("of %d documents is read by Arrow as it was written", async (documents) => {
    await written(documents);
    const files = kept.map(({ name }) => `${name}.parquet`);
    expect(readdirSync(folder.path).sort()).toEqual([...files, "parquet.sha256"].sort());
    for (const table of kept) {
      const { types, count, rows } = read(table);
      expect(types).toEqual(
        Object.fromEntries(
          table.fields.map(({ name, type, nullable }) => [
            snakeCase(name),
            `${arrowTypes[type]}${nullable ? "" : " not null"}`,
          ]),
        ),
      );
      expect(count).toBe(documents);
      const expected = Array.from({ length: Math.ceil(documents / 1_000) }, (_, index) => rowOf(table, index * 1_000));
      const named = expected.map((row) =>
        Object.fromEntries(table.fields.map(({ name }) => [snakeCase(name), row[name]])),
      );
      expect(rows).toEqual(named);
    }
  });

  test("cut, leaves what was there before", async () => {
    await written(1);
    {
      await using parquet = new ParquetFolder(folder.path, tables);
      await parquet.write(rowsOf(1));
    }
    expect(readdirSync(folder.path).filter((name) => name.includes("unfinished"))).toEqual([]);
    expect(kept.map((table) => read(table).count)).toEqual(kept.map(() => 1));
  });
});

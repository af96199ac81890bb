import { closeSync, fsyncSync, openSync, writeFileSync } from "node:fs";
import { csvHeader, csvRow, type Rows, type Table } from "@rubrica/read-models";
import { makeFolder, Replacement } from "./replacement.ts";

/** Rows are written together until they are so many characters. */
const CHUNK_LENGTH = 65_536;

const SUMS = "csv.sha256";

interface CsvFile {
  table: Table;
  descriptor: number;
  text: string;
}

/** A folder with a CSV file for each table, and their sums, which take the places of former ones once all are whole. To be disposed of. */
export class CsvFolder implements Disposable {
  readonly #files: readonly CsvFile[];
  readonly #replacement: Replacement;

  constructor(folder: string, tables: readonly Table[]) {
    makeFolder(folder);
    const kept = tables.filter(({ select }) => select === undefined);
    this.#replacement = new Replacement(folder, [SUMS, ...kept.map(({ name }) => `${name}.csv`)]);
    this.#files = kept.map((table) => {
      const descriptor = openSync(this.#replacement.pathOf(`${table.name}.csv`), "wx");
      return { table, descriptor, text: csvHeader(table) };
    });
  }

  write(rows: Rows): void {
    for (const file of this.#files) {
      for (const row of rows[file.table.name] ?? []) file.text += csvRow(file.table, row);
      if (file.text.length >= CHUNK_LENGTH) flush(file);
    }
  }

  async finish(): Promise<void> {
    for (const file of this.#files) {
      flush(file);
      fsyncSync(file.descriptor);
    }
    await this.#replacement.addSums(SUMS);
    this.#replacement.finish();
  }

  [Symbol.dispose](): void {
    for (const { descriptor } of this.#files) closeSync(descriptor);
    this.#replacement[Symbol.dispose]();
  }
}

/** @throws when it can't be written. */
const flush = (file: CsvFile): void => {
  writeFileSync(file.descriptor, file.text);
  file.text = "";
};

import { closeSync, fsyncSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { csvHeader, csvRow, type Rows, type Table } from "@rubrica/read-models";
import { Replacement } from "./replacement.ts";

/** Rows are written together until they are so many characters. */
const CHUNK_LENGTH = 65_536;

interface CsvFile {
  table: Table;
  descriptor: number;
  text: string;
}

/** A folder with a CSV file for each table, which take the places of former ones once all are whole. To be disposed of. */
export class CsvFolder implements Disposable {
  readonly #files: readonly CsvFile[];
  readonly #replacement: Replacement;

  constructor(folder: string, tables: readonly Table[]) {
    mkdirSync(folder, { recursive: true });
    this.#replacement = new Replacement(folder);
    this.#files = tables
      .filter(({ select }) => select === undefined)
      .map((table) => {
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

  finish(): void {
    for (const file of this.#files) {
      flush(file);
      fsyncSync(file.descriptor);
    }
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

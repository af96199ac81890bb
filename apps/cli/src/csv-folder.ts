import { once } from "node:events";
import { createWriteStream, mkdirSync, type WriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { csvHeader, csvRow, type Rows, type Table } from "@rubrica/read-models";

/** Rows are written together until they are so many characters. */
const CHUNK_LENGTH = 65_536;

interface CsvFile {
  table: Table;
  path: string;
  stream: WriteStream;
  text: string;
}

/** A folder with a CSV file for each table, which take the places of former ones once all are whole. To be disposed of. */
export class CsvFolder implements AsyncDisposable {
  readonly #files: readonly CsvFile[];

  constructor(folder: string, tables: readonly Table[]) {
    mkdirSync(folder, { recursive: true });
    this.#files = tables
      .filter(({ select }) => select === undefined)
      .map((table) => {
        const path = join(folder, `${table.name}.csv`);
        return { table, path, stream: createWriteStream(unfinished(path)), text: csvHeader(table) };
      });
  }

  async write(rows: Rows): Promise<void> {
    for (const file of this.#files) {
      for (const row of rows[file.table.name] ?? []) file.text += csvRow(file.table, row);
      if (file.text.length >= CHUNK_LENGTH) await flush(file);
    }
  }

  async finish(): Promise<void> {
    for (const file of this.#files) {
      await flush(file);
      file.stream.end();
      await once(file.stream, "close");
    }
    for (const { path } of this.#files) await rename(unfinished(path), path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { stream, path } of this.#files) {
      stream.destroy();
      await rm(unfinished(path), { force: true });
    }
  }
}

const unfinished = (path: string): string => `${path}.unfinished`;

/** Waits for the disk, so that a large table is not held in memory. @throws when it can't be written. */
const flush = (file: CsvFile): Promise<void> =>
  new Promise((resolve, reject) => {
    const { text } = file;
    file.text = "";
    file.stream.write(text, (error) => (error ? reject(error) : resolve()));
  });

import { statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ANY_SET_ASIDE_ID, analytics, analyticTables, type Rows, SnapshotFile } from "@rubrica/read-models";
import { type Command, InvalidArgumentError } from "commander";
import { CsvFolder } from "./csv-folder.ts";
import { ParquetFolder } from "./parquet-folder.ts";
import { stepTeller } from "./progress.ts";
import { Replacement } from "./replacement.ts";
import { type Session, type Surroundings, withStoredSession } from "./session.ts";

/** What analysts are to be given is not there, or can't be written. */
export class AnalyticsError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AnalyticsError";
  }
}

const tables = Object.values(analyticTables);

const folders = { csv: CsvFolder, parquet: ParquetFolder };
type Format = keyof typeof folders;

const format = (name: string): Format => {
  if (Object.hasOwn(folders, name)) return name as Format;
  throw new InvalidArgumentError(`It is one of ${Object.keys(folders).join(", ")}.`);
};

const path = (text: string): string => {
  if (text.trim() === "") throw new InvalidArgumentError("It names nothing.");
  return text;
};

/** `analytics snapshot` and `analytics export`. */
export const analyticsCommands = (program: Command, surroundings: Surroundings): void => {
  const command = program.command("analytics").description("give analysts what they ask, in files of its own");
  command
    .command("snapshot")
    .description("write the tables for analysts into an SQLite file, in the place of the one that is there")
    .requiredOption("--to <file>", "the file", path)
    .action(async ({ to }: { to: string }) => {
      await withStoredSession(surroundings, async (session) => {
        using replacement = writing(to, { isFolder: false }, () => new Replacement(dirname(to), [basename(to)]));
        using file = new SnapshotFile(replacement.pathOf(basename(to)), tables);
        const count = await eachDocument(session, surroundings, (rows) => file.write(rows));
        file.finish();
        replacement.finish();
        await surroundings.print(`Wrote ${count} documents to ${to}.`);
      });
    });
  command
    .command("export")
    .description("write the tables for analysts into a folder, a file each")
    .requiredOption("--to <folder>", "the folder; files of the same names are replaced", path)
    .option("--format <format>", "csv or parquet", format, "csv")
    .action(async ({ to, format }: { to: string; format: Format }) => {
      await withStoredSession(surroundings, async (session) => {
        using folder = writing(to, { isFolder: true }, () => new folders[format](to, tables));
        const count = await eachDocument(session, surroundings, (rows) => folder.write(rows));
        await folder.finish();
        await surroundings.print(`Wrote ${count} documents to ${to}.`);
      });
    });
};

const writing = <T>(path: string, { isFolder }: { isFolder: boolean }, open: () => T): T => {
  try {
    const there = statSync(path, { throwIfNoEntry: false });
    if (there && there.isDirectory() !== isFolder) throw new Error(`it is ${isFolder ? "no folder" : "a folder"}`);
    if (there && !isFolder && !isSnapshot(path)) throw new Error("another file is there, which is none for analysts");
    return open();
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it failed";
    throw new AnalyticsError(`${path} can't be written: ${reason}.`, { cause: error });
  }
};

/** Whether a file is empty or a former snapshot, so that it may be replaced. The service's own files have other tables, though some have views of the same names. */
const isSnapshot = (path: string): boolean => {
  try {
    using file = new DatabaseSync(path, { readOnly: true });
    const names = file.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    return names.every(({ name }) => tables.some((table) => table.name === name));
  } catch {
    return false;
  }
};

/** Gives the rows of each document, and how many documents there are. */
const eachDocument = async (
  { readModels, runtime: { clock } }: Session,
  { print }: Surroundings,
  take: (rows: Rows) => void | Promise<void>,
): Promise<number> => {
  if (!(await readModels.checkpointOf(analytics)))
    throw new AnalyticsError("Nothing is built yet of what analysts ask: start the service, or run `rubrica rebuild`.");
  const all = await readModels.estimateCount(analytics);
  const tell = stepTeller({ clock, print: (line) => void print(line), wordsOf: () => "Documents" });
  tell(analytics.name, 0, all);
  let count = 0;
  for await (const some of readModels.scan(analytics)) {
    for (const { id, document } of some) {
      if (id.startsWith(ANY_SET_ASIDE_ID)) continue;
      await take(analytics.rowsOf?.(document) ?? {});
      count += 1;
    }
    tell(analytics.name, count, all);
  }
  return count;
};

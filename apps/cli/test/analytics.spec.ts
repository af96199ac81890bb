import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { configFrom } from "@rubrica/config";
import { sample } from "@rubrica/events";
import type { JournalEvent } from "@rubrica/journal";
import { openStores } from "@rubrica/open-engines/stores";
import { type AnalyticsRecord, analytics, analyticTables } from "@rubrica/read-models";
import { systemRuntime } from "@rubrica/runtime";
import { temporaryFolder } from "@rubrica/test-kit";
import { History } from "@rubrica/test-kit/history";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CsvFolder } from "../src/csv-folder.ts";
import { linesOf } from "../src/testing.ts";

const runtime = systemRuntime();
let folder: ReturnType<typeof temporaryFolder>;
beforeEach(async () => {
  folder = temporaryFolder();
  await project(historyOf("Ana Paz"));
});
afterEach(() => folder[Symbol.dispose]());

const historyOf = (name: string): History => {
  const history = new History();
  const person = { idCustom: "1", name, idNumber: "1", idNumberCountry: null, phone: "5491122334455", email: null };
  history.add("DocumentRequested", { personal: { signers: [person] } });
  history.add("MessageAttempted", { data: { provider: { name: '=HYPERLINK("x", 1)', simulated: false } } });
  history.add("SigningPageOpened");
  return history;
};

/** Keeps what the projection makes of events, as the projector does. */
const project = async ({ events }: History): Promise<void> => {
  const stores = await openStores(configFrom({ DATA_DIR: folder.path }), runtime);
  let document: AnalyticsRecord | null = null;
  for (const event of events as JournalEvent[]) document = analytics.project(document, event, sample.documentId);
  const { position } = events.at(-1) as JournalEvent;
  const generation = await stores.readModels.liveGeneration(analytics);
  await stores.readModels.apply([{ generation, changes: [{ id: sample.documentId, position, document }] }], position);
  await stores.close();
};

const rubrica = async (...args: string[]): Promise<string> => rubricaBy(runtime, ...args);

const rubricaBy = async (by: typeof runtime, ...args: string[]): Promise<string> =>
  (await linesOf(args, { DATA_DIR: folder.path }, by)).join("\n");

describe("rubrica analytics", () => {
  test("snapshot writes the tables and the funnel, in the place of the file before, and nothing else", async () => {
    const path = join(folder.path, "analysts.sqlite");
    const former = new DatabaseSync(path);
    former.exec("CREATE TABLE documents (former INTEGER)");
    former.close();
    expect(await rubrica("analytics", "snapshot", "--to", path)).toContain("Wrote 1 documents");
    const file = new DatabaseSync(path, { readOnly: true });
    const all = (sql: string) =>
      file
        .prepare(sql)
        .all()
        .map((row) => ({ ...row }));
    expect(all("SELECT document_id, state, pages FROM documents")).toEqual([
      { document_id: sample.documentId, state: "in_progress", pages: 2 },
    ]);
    expect(all("SELECT requested, opened, signed, country FROM funnel")).toEqual([
      { requested: 1, opened: 1, signed: 0, country: "AR" },
    ]);
    const names = all("SELECT name FROM sqlite_schema ORDER BY name").map(({ name }) => name);
    expect(names).toEqual(["documents", "funnel", "log_entries", "messages", "signers", "webhooks"]);
    file.close();
    expect(readFileSync(path, "latin1")).not.toMatch(/Ana Paz|5491122334455/);
    expect(readdirSync(folder.path).filter((name) => name.includes("unfinished"))).toEqual([]);
  });

  test("snapshot leaves every file that is none for analysts, the service's own among them", async () => {
    for (const name of ["events.sqlite", "read-models.sqlite", "note.txt"]) {
      const path = join(folder.path, name);
      if (name === "note.txt") writeFileSync(path, "mine");
      const before = readFileSync(path);
      await expect(rubrica("analytics", "snapshot", "--to", path)).rejects.toThrow(
        `${path} can't be written: another file is there, which is none for analysts.`,
      );
      expect(readFileSync(path)).toEqual(before);
    }
  });

  test("of two snapshots or exports at once each is whole, and is read by whom the file before was", async () => {
    const [file, csv] = [join(folder.path, "analysts.sqlite"), join(folder.path, "csv")];
    const both = async () => {
      await Promise.all([1, 2].map(() => rubrica("analytics", "snapshot", "--to", file)));
      await Promise.all([1, 2].map(() => rubrica("analytics", "export", "--to", csv)));
    };
    await both();
    for (const path of [file, join(csv, "signers.csv")]) chmodSync(path, 0o640);
    await both();
    using snapshot = new DatabaseSync(file, { readOnly: true });
    expect(snapshot.prepare("SELECT count(*) AS count FROM messages").get()).toEqual({ count: 1 });
    expect(readFileSync(join(csv, "messages.csv"), "utf8").split("\r\n")).toHaveLength(3);
    const modes = [file, join(csv, "signers.csv")].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o640, 0o640]);
  });

  test("what a run that was cut has left goes with a later one, once nobody writes it any more", async () => {
    const [left, written] = ["left", "written"].map((name) => join(folder.path, `.unfinished-${name}`)) as [
      string,
      string,
    ];
    for (const path of [left, written]) {
      mkdirSync(path);
      writeFileSync(join(path, "analysts.sqlite"), "half");
      utimesSync(path, 0, 0);
    }
    utimesSync(join(left, "analysts.sqlite"), 0, 0);
    await rubrica("analytics", "snapshot", "--to", join(folder.path, "analysts.sqlite"));
    expect(readdirSync(folder.path).filter((name) => name.includes("unfinished"))).toEqual([basename(written)]);
  });

  test("export writes a CSV file for each table, in which nothing is a formula", async () => {
    const to = join(folder.path, "csv");
    expect(await rubrica("analytics", "export", "--to", to, "--format", "csv")).toContain("Wrote 1 documents");
    expect(readdirSync(to).sort()).toEqual([
      "csv.sha256",
      "documents.csv",
      "log_entries.csv",
      "messages.csv",
      "signers.csv",
      "webhooks.csv",
    ]);
    const [header, line, end] = readFileSync(join(to, "messages.csv"), "utf8").split("\r\n");
    expect(header).toMatch(/^document_id,account_id,order,kind,medium,provider,outcome,/);
    expect(line).toContain(`,template,wpp,"'=HYPERLINK(""x"", 1)",attempted,,1,2026-11-21T15:00:02.500Z,,,,`);
    expect(end).toBe("");
  });

  test("the sums of an export are those of its files, and of no others where one is cut", async () => {
    const to = join(folder.path, "csv");
    await rubrica("analytics", "export", "--to", to);
    const sums = () => readFileSync(join(to, "csv.sha256"), "utf8");
    const lineOf = (name: string) =>
      `${createHash("sha256")
        .update(readFileSync(join(to, name)))
        .digest("hex")}  ${name}\n`;
    const names = readdirSync(to).filter((name) => name.endsWith(".csv"));
    const former = sums();
    expect(former).toBe(names.sort().map(lineOf).join(""));
    using cut = new CsvFolder(to, Object.values(analyticTables));
    rmSync(join(to, "messages.csv"));
    mkdirSync(join(to, "messages.csv"));
    await expect(cut.finish()).rejects.toThrow("EISDIR");
    expect(sums()).toBe(former);
    expect(former).not.toContain(lineOf("documents.csv"));
  });

  test("a long export says how far it is", async () => {
    let seconds = 0;
    const clock = { ...runtime.clock, monotonicMs: () => 4_000 * seconds++ };
    const said = await rubricaBy({ ...runtime, clock }, "analytics", "export", "--to", join(folder.path, "csv"));
    expect(said).toMatch(/^Documents: 1 of 1, \d+ a second, about 0 s left\.\nWrote 1 documents/);
  });

  test("export writes Parquet", async () => {
    const to = join(folder.path, "parquet");
    expect(await rubrica("analytics", "export", "--to", to, "--format", "parquet")).toContain("Wrote 1 documents");
    expect(readdirSync(to).sort()).toEqual([
      "documents.parquet",
      "log_entries.parquet",
      "messages.parquet",
      "parquet.sha256",
      "signers.parquet",
      "webhooks.parquet",
    ]);
    for (const name of readdirSync(to).filter((name) => name.endsWith(".parquet"))) {
      const bytes = readFileSync(join(to, name));
      expect([bytes.subarray(0, 4).toString(), bytes.subarray(-4).toString()]).toEqual(["PAR1", "PAR1"]);
    }
  });

  test("a folder in a file's place, and a file in a folder's, are named before anything is written", async () => {
    const file = join(folder.path, "file");
    writeFileSync(file, "mine");
    const refused = (what: string, to: string) => expect(rubrica("analytics", what, "--to", to)).rejects;
    await refused("snapshot", folder.path).toThrow(`${folder.path} can't be written: it is a folder.`);
    await refused("export", file).toThrow(`${file} can't be written: it is no folder.`);
    expect(readFileSync(file, "utf8")).toBe("mine");
    mkdirSync(join(folder.path, "csv", "signers.csv"), { recursive: true });
    const csv = join(folder.path, "csv");
    await refused("export", csv).toThrow(`${csv} can't be written: signers.csv in it is a folder.`);
    expect(readdirSync(csv)).toEqual(["signers.csv"]);
  });

  test("where no folder can be made, that is said", async () => {
    const to = join(folder.path, "nowhere", "csv");
    symlinkSync(join(folder.path, "not there"), join(folder.path, "nowhere"));
    await expect(rubrica("analytics", "export", "--to", to)).rejects.toThrow(`${to} can't be written: `);
  });

  test("says where nothing is built yet", async () => {
    using empty = temporaryFolder();
    const stores = await openStores(configFrom({ DATA_DIR: empty.path }), runtime);
    await stores.close();
    const to = join(empty.path, "analysts.sqlite");
    const args = ["analytics", "snapshot", "--to", to];
    await expect(linesOf(args, { DATA_DIR: empty.path }, runtime)).rejects.toThrow("Nothing is built yet");
    expect(readdirSync(empty.path)).not.toContain("analysts.sqlite");
  });
});

import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openEmbeddedEventStore } from "@rubrica/event-store/embedded";
import { systemRuntime } from "@rubrica/runtime";
import { temporaryFolder } from "@rubrica/test-kit";
import { checkStore, logged } from "../../src/audit-store.ts";
import { edits, type Pick } from "./edits.ts";
import { headOver, honestLog, type Line } from "./log.ts";
import { pickFrom, said, unnamed } from "./verdict.ts";

/** Does something to a database whose rows nothing protects any more: whoever can write to it can have that. */
const inDatabase = (path: string, work: (database: DatabaseSync) => void): void => {
  const database = new DatabaseSync(path);
  database.exec(`DROP TRIGGER IF EXISTS events_stay; DROP TRIGGER IF EXISTS events_are_final;
    CREATE TABLE IF NOT EXISTS free (seq INTEGER PRIMARY KEY, stream_id INTEGER, revision INTEGER, category TEXT,
      id TEXT, type TEXT, data TEXT, metadata TEXT);
    INSERT INTO free SELECT * FROM events; DROP TABLE events; ALTER TABLE free RENAME TO events;
    CREATE INDEX events_by_category ON events (category, seq)`);
  work(database);
  database.close();
};

/** Puts these events in the place of those that are there. */
const written = (path: string, lines: readonly Line[]): void =>
  inDatabase(path, (database) => {
    database.exec("DELETE FROM events; DELETE FROM streams; BEGIN");
    const addStream = database.prepare("INSERT OR IGNORE INTO streams (name) VALUES (?)");
    const add = database.prepare(`INSERT INTO events (stream_id, revision, category, id, type, data, metadata)
      VALUES ((SELECT id FROM streams WHERE name = ?), ?, ?, ?, ?, ?, ?)`);
    for (const { stream, revision, id, type, data, personal, metadata } of lines) {
      addStream.run(stream);
      const category = stream.slice(0, stream.indexOf("-") + 1);
      add.run(stream, revision, category, id, type, JSON.stringify({ data, personal }), JSON.stringify(metadata));
    }
    database.exec("COMMIT");
  });

const flippedIn = (text: string, pick: Pick): string => {
  const at = pick(text.length);
  return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << pick(6))) + text.slice(at + 1);
};

/** Changes a cell of a row; `change` gives what stands there then. */
const cell =
  (column: string, change: (value: string, pick: Pick) => string | number) =>
  (path: string, pick: Pick, lines: readonly Line[]): void =>
    inDatabase(path, (database) => {
      const seq = 1 + pick(lines.length);
      const value = String(database.prepare(`SELECT ${column} AS value FROM events WHERE seq = ?`).get(seq)?.value);
      database.prepare(`UPDATE events SET ${column} = ? WHERE seq = ?`).run(change(value, pick), seq);
    });

const withField = (json: string, field: string, value: unknown): string =>
  JSON.stringify({ ...JSON.parse(json), [field]: value });

/** Each kind of tampering with a store's file by its name. */
export const storeTamperings: Readonly<Record<string, (path: string, pick: Pick, lines: readonly Line[]) => void>> = {
  "the file cut off": (path, pick) => {
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, pick(bytes.length)));
  },
  "a byte of the file flipped": (path, pick) => {
    const bytes = readFileSync(path);
    const at = pick(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << pick(8));
    writeFileSync(path, bytes);
  },
  "a character of its data flipped": cell("data", flippedIn),
  "a character of its metadata flipped": cell("metadata", flippedIn),
  "a character of its type flipped": cell("type", flippedIn),
  "a character of its id flipped": cell("id", flippedIn),
  "another category": cell("category", (_, pick) => ["", "document-", "bulk-"][pick(3)] ?? ""),
  "another revision": cell("revision", (value, pick) => Number(value) + 1 + pick(5)),
  "another stream": cell("stream_id", (value, pick) => Number(value) + 1 + pick(5)),
  // Not the last, which would stay the last: places are not in the tree, as they differ between engines.
  "another place": (path, pick, lines) =>
    inDatabase(path, (database) => {
      const seq = 1 + pick(lines.length - 1);
      database.prepare("UPDATE events SET seq = ? WHERE seq = ?").run(lines.length + 1 + pick(100), seq);
    }),
  "a field beside its data": cell("data", (json, pick) => withField(json, "more", pick(9))),
  "a personal part that is none": cell("data", (json, pick) => withField(json, "personal", { name: pick(9) })),
  "an event where nobody comes by who reads the log": (path, pick, lines) =>
    inDatabase(path, (database) => {
      const seq = 1 + pick(lines.length);
      database.prepare("UPDATE events SET seq = ? WHERE seq = ?").run(-pick(9), seq);
    }),
  "an index that lacks rows": (path, pick) =>
    inDatabase(path, (database) => {
      database.enableDefensive(false);
      database.exec(`PRAGMA writable_schema = ON; CREATE INDEX part ON events (category, seq) WHERE seq < ${1 + pick(9)};
        UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'part')
          WHERE name = 'events_by_category';
        DELETE FROM sqlite_schema WHERE name = 'part'`);
    }),
  "the name of a stream": (path, pick) =>
    inDatabase(path, (database) =>
      database.prepare("UPDATE streams SET name = 'account-' || ? WHERE id = ?").run(`x${pick(99)}`, 1 + pick(6)),
    ),
  ...Object.fromEntries(
    Object.entries(edits).map(([kind, edit]) => [
      kind,
      (path: string, pick: Pick, lines: readonly Line[]) => written(path, edit(lines, pick)),
    ]),
  ),
};

/** What is said of rows that nothing protects. Whoever does less need not free them: each kind is to be found by itself. */
const FREED = 'It has a table that the service did not make: "events".';

const open = (path: string) => openEmbeddedEventStore({ path, ...systemRuntime() });

/** All that anybody reads of a store: the log, each stream and each category. */
const readOf = async (path: string, streams: ReadonlySet<string>): Promise<string> => {
  const store = open(path);
  const text = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}` : value);
  try {
    const logs = [store.readAll(), store.readAll(undefined, { streamPrefix: "account-" })];
    const all = [...logs, ...[...streams].map((stream) => store.readStream(stream))];
    const events: unknown[] = [];
    for (const log of all) for await (const event of log) events.push(event);
    return JSON.stringify(events, text);
  } finally {
    await store.close();
  }
};

/** Tamperings of a kind with a store, by seeds, that are not found, or not named, though something else is read. */
export const undetectedInStores = async (kind: string, count: number, seed = 0): Promise<string[]> => {
  using folder = temporaryFolder();
  const [honest, path] = [join(folder.path, "honest.sqlite"), join(folder.path, "events.sqlite")];
  await open(honest).close();
  const lines = honestLog();
  written(honest, lines);
  const head = headOver(lines);
  const streams = new Set(lines.map(({ stream }) => stream));
  const saidOf = (file: string) =>
    said(async function* () {
      const store = open(file);
      try {
        await checkStore({ faults: async () => ((await store.faults?.()) ?? []).filter((fault) => fault !== FREED) });
        for await (const event of store.readAll()) yield logged(event);
      } finally {
        await store.close();
      }
    }, head);
  if ((await saidOf(honest)) !== null) throw new Error("the honest log does not hold");
  const read = await readOf(honest, streams);
  const missed: string[] = [];
  for (let number = 0; number < count; number++) {
    for (const rest of ["", "-wal", "-shm"]) rmSync(`${path}${rest}`, { force: true });
    copyFileSync(honest, path);
    storeTamperings[kind]?.(path, pickFrom(seed, number), lines);
    const fault = await saidOf(path);
    if (unnamed(fault) && (fault !== null || (await readOf(path, streams)) !== read))
      missed.push(`${number}: ${fault}`);
  }
  return missed;
};

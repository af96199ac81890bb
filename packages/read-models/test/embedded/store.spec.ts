import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Position } from "@rubrica/event-store";
import { type Clock, systemClock } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { followWarningsOf } from "@rubrica/test-kit/warnings";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openEmbeddedReadModelStore } from "../../src/embedded/store.ts";
import {
  analytics,
  type Collection,
  type DocumentChange,
  type Generation,
  type ReadModelStore,
  StaleGenerationError,
} from "../../src/index.ts";
import { readModelStoreContract } from "../contract.ts";
import { documentWith, funnelContract } from "../funnel-contract.ts";

const PAGE_BYTES = 4_096;
/** What is left of the log when nobody reads it. */
const MAX_IDLE_WAL_BYTES = 16_777_216;

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rubrica-read-models-"));
  path = join(folder, "read-models.sqlite");
});
afterEach(() => rm(folder, { recursive: true }));

const openStore = () => openEmbeddedReadModelStore({ path });
const openKeeping = (clock: Clock = systemClock) => openEmbeddedReadModelStore({ path, clock });
const at = (commit: number): Position => ({ commit: BigInt(commit), prepare: BigInt(commit) });
const collection: Collection = { name: "c", version: 1, indexes: [{ field: "owner" }] };
const applyTo = async (
  store: ReadModelStore,
  generation: Generation,
  changes: readonly DocumentChange[],
  checkpoint: Position,
) => {
  for (const outcome of await store.apply([{ generation, changes }], checkpoint))
    if (outcome.status === "rejected") throw outcome.reason;
};

readModelStoreContract("on disk", async () => openStore());
readModelStoreContract("on disk, with documents kept in memory", async () => openKeeping());
funnelContract("on disk", async () => openStore());
funnelContract("in memory", async () => openEmbeddedReadModelStore({ path: ":memory:" }));
readModelStoreContract("in memory", async () => openEmbeddedReadModelStore({ path: ":memory:" }));

/** A file with one document in it. */
const givenOneDocument = async (): Promise<void> => {
  const store = openStore();
  const live = await store.liveGeneration(collection);
  await applyTo(store, live, [{ id: "1", position: at(1), document: { owner: "a" } }], at(1));
  await store.close();
};

test("what was replaced or removed is in no file once it is wiped, and others read on", async () => {
  const store = openStore();
  const other = openStore();
  const live = await store.liveGeneration(collection);
  const secret = (number: number) => `owner-${number}-${"7".repeat(64)}`;
  const change = (number: number, commit: number, owner: string | null) => {
    const document = owner === null ? null : { owner, more: owner.repeat(100) };
    return { id: `${number}`, position: at(commit), document };
  };
  const numbers = Array.from({ length: 300 }, (_, number) => number);
  await applyTo(
    store,
    live,
    numbers.map((number) => change(number, 1, secret(number))),
    at(1),
  );
  const lines = async () => {
    const files = await Promise.all([path, `${path}-wal`].map((file) => readFile(file, "latin1")));
    return files.filter((text) => text.includes("7".repeat(64))).length;
  };
  expect(await lines()).toBeGreaterThan(0);
  await applyTo(
    store,
    live,
    numbers.map((number) => change(number, 2, number % 2 === 0 ? null : "nobody")),
    at(2),
  );
  expect(await lines()).toBeGreaterThan(0);
  await store.wipe();
  expect(await lines()).toBe(0);
  expect(await other.get(collection, "1")).toMatchObject({ document: { owner: "nobody" } });
  await other.close();
  await store.close();
});

test("what was replaced while a generation was built is in no file once that one is live", async () => {
  const store = openStore();
  await applyTo(store, await store.liveGeneration(collection), [], at(1));
  const built = await store.newGeneration(collection);
  const secret = "7".repeat(64);
  await applyTo(store, built, [{ id: "1", position: at(1), document: { owner: secret } }], at(1));
  // Wiped for the live one, where it was replaced before.
  await store.wipe();
  await applyTo(store, built, [{ id: "1", position: at(2), document: { owner: "nobody" } }], at(2));
  expect(await store.swapIn(built)).toBe(true);
  const files = await Promise.all([path, `${path}-wal`].map((file) => readFile(file, "latin1")));
  expect(files.filter((text) => text.includes(secret))).toEqual([]);
  await store.close();
});

/** What is found after opening the file: the document's owner, and the checkpoint. */
const found = async () => {
  const store = openStore();
  const document = await store.get(collection, "1");
  const checkpoint = await store.checkpoint(await store.liveGeneration(collection));
  await store.close();
  return { owner: document?.document.owner, checkpoint };
};

test("documents, checkpoint and generation survive a restart", async () => {
  await givenOneDocument();
  expect(await found()).toEqual({ owner: "a", checkpoint: at(1) });
});

test.each([
  ["no database at all", () => writeFile(path, "not a database".repeat(1_000))],
  ["an overwritten first page", async () => overwrite(0, 100)],
  [
    "an older schema",
    async () => {
      const database = new DatabaseSync(path);
      database.exec("PRAGMA user_version = 1");
      database.close();
    },
  ],
  [
    "a database of somebody else's",
    async () => {
      await rm(path);
      const database = new DatabaseSync(path);
      database.exec("CREATE TABLE t (a)");
      database.close();
    },
  ],
])("%s is replaced by a new, empty file", async (_, damage) => {
  await givenOneDocument();
  await damage();
  expect(await found()).toEqual({ owner: undefined, checkpoint: undefined });
  await givenOneDocument();
  expect(await found()).toEqual({ owner: "a", checkpoint: at(1) });
});

test("a file of a newer service is refused in a sentence, and left as it is", async () => {
  await givenOneDocument();
  const database = new DatabaseSync(path);
  const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  database.exec("PRAGMA user_version = 999");
  expect(openStore).toThrow(`The file ${path} is of a newer version of Rubrica: update this one.`);
  database.exec(`PRAGMA user_version = ${version}`);
  database.close();
  expect(await found()).toEqual({ owner: "a", checkpoint: at(1) });
});

/** Writes over a part of the file. */
const overwrite = async (from: number, sizeBytes: number): Promise<void> => {
  const file = await open(path, "r+");
  await file.write(Buffer.alloc(sizeBytes, 0xa5), 0, sizeBytes, from);
  await file.close();
};

test("damage that is met while the file is in use is an error, and the next opening starts anew", async () => {
  const store = openStore();
  const live = await store.liveGeneration(collection);
  const changes = Array.from({ length: 2_000 }, (_, number) => ({
    id: `${number}`,
    position: at(1),
    document: { owner: "a".repeat(100) },
  }));
  await applyTo(store, live, changes, at(1));
  await store.close();
  // The tables' definitions stay, what is in them does not.
  const pageBytes = 4_096;
  await overwrite(10 * pageBytes, (await stat(path)).size - 10 * pageBytes);

  const damaged = openStore();
  const reading = Promise.all(changes.map(({ id }) => damaged.get(collection, id)));
  await expect(reading).rejects.toThrow(/malformed|corrupt/);
  await damaged.close();
  expect(await found()).toEqual({ owner: undefined, checkpoint: undefined });
  expect(await stat(`${path}.damaged`).catch(() => "gone")).toBe("gone");
});

test("a file cut short is noticed and replaced", async () => {
  await givenOneDocument();
  await truncate(path, 4_096);
  const first = await found().catch(() => "damaged");
  expect(first === "damaged" ? await found() : first).toEqual({ owner: undefined, checkpoint: undefined });
});

test("with documents kept in memory, one's own changes are seen at once, another process's within 250 ms", async () => {
  const clock = new ManualClock();
  const store = openKeeping(clock);
  const other = openStore();
  const live = await store.liveGeneration(collection);
  const change = (number: number, by: ReadModelStore) =>
    applyTo(by, live, [{ id: "1", position: at(number), document: { owner: `${number}` } }], at(number));
  const owner = async () => (await store.get(collection, "1"))?.document.owner;
  await change(1, store);
  expect(await owner()).toBe("1");
  await change(2, other);
  expect(await owner()).toBe("1");
  clock.advance(249);
  expect(await owner()).toBe("1");
  clock.advance(1);
  expect(await owner()).toBe("2");
  await change(3, store);
  expect(await owner()).toBe("3");
  const rebuilt = await store.newGeneration(collection);
  await applyTo(store, rebuilt, [{ id: "1", position: at(3), document: { owner: "rebuilt" } }], at(3));
  expect(await owner()).toBe("3");
  expect(await store.swapIn(rebuilt)).toBe(true);
  expect(await owner()).toBe("rebuilt");
  await store.close();
  await other.close();
});

test("a swap by another process is seen by readers at once, and by the writer at its next write", async () => {
  const [service, cli] = [openStore(), openStore()];
  const live = await service.liveGeneration(collection);
  await applyTo(service, live, [{ id: "1", position: at(1), document: { owner: "old" } }], at(1));

  const next = await cli.newGeneration(collection);
  await applyTo(cli, next, [{ id: "1", position: at(1), document: { owner: "new" } }], at(1));
  expect((await service.get(collection, "1"))?.document).toEqual({ owner: "old" });
  expect(await cli.swapIn(next)).toBe(true);
  expect((await service.get(collection, "1"))?.document).toEqual({ owner: "new" });
  expect(await service.findRange(collection, "owner", { after: "o", upTo: "old", limit: 10 })).toEqual([]);
  await expect(applyTo(service, live, [], at(2))).rejects.toThrow(StaleGenerationError);
  expect(await service.liveGeneration(collection)).toEqual(next);
  await Promise.all([service.close(), cli.close()]);
});

test("a dropped generation's rows are removed, also what a dead process left of them", async () => {
  const store = openStore();
  const changes = Array.from({ length: 1_100 }, (_, number) => ({
    id: `${number}`,
    position: at(1),
    document: { owner: "a" },
  }));
  await applyTo(store, await store.liveGeneration(collection), changes, at(1));
  const next = await store.newGeneration(collection);
  await applyTo(store, next, [{ id: "1", position: at(1), document: { owner: "b" } }], at(1));
  const database = new DatabaseSync(path);
  const count = (table: string) => database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count;
  // The process dies after the swap: the store is closed while it removes the rows.
  const swapping = store.swapIn(next);
  await store.close();
  await swapping.catch(() => {});
  expect(count("records")).toBeGreaterThan(1);

  const reopened = openStore();
  await reopened.liveGeneration(collection);
  expect([count("records"), count("lookups"), count("dropped_generations")]).toEqual([1, 1, 0]);
  database.close();
  await reopened.close();
});

test("a batch is one transaction, and of one that changes nothing each page is written once", async () => {
  const store = openStore();
  const generations = await Promise.all(
    Array.from({ length: 20 }, (_, number) => store.liveGeneration({ name: `c${number}`, version: 1, indexes: [] })),
  );
  const logged = () => {
    const watcher = new DatabaseSync(path);
    const pages = Number(watcher.prepare("PRAGMA wal_checkpoint(PASSIVE)").get()?.log);
    watcher.close();
    return pages;
  };
  logged();
  await store.apply(
    generations.map((generation) => ({ generation, changes: [] })),
    at(1),
  );
  // All of it was moved out of the log before, and each transaction writes at least a page to it.
  expect(logged()).toBeLessThan(5);
  for (const generation of generations) expect(await store.checkpoint(generation)).toEqual(at(1));
  await store.close();
});

test("while a reader stays, the log holds what is written, and is cut when they go", async () => {
  const store = openStore();
  const live = await store.liveGeneration(analytics);
  const all = Array.from({ length: 4_001 }, (_, number) => ({ ...documentWith(number, {}), position: at(1) }));
  await applyTo(store, live, all, at(1));
  let batches = 1;
  /** What ten minutes of load come to, without their pauses: batches of documents, here and there in the file. */
  const load = async (count: number, each = () => {}) => {
    for (let batch = 0; batch < count; batch++) {
      batches += 1;
      const changes = Array.from({ length: 40 }, (_, index) => ({
        ...documentWith(((batches * 40 + index) * 37) % 4_001, { askedAt: `${batches}` }),
        position: at(batches),
      }));
      await applyTo(store, live, changes, at(batches));
      each();
    }
  };
  const logBytes = async () => (await stat(`${path}-wal`)).size;
  const watcher = new DatabaseSync(path);
  let pages = 0;
  // As often as the log is moved, it begins anew: it has the pages of one batch.
  await load(150, () => {
    pages += Number(watcher.prepare("PRAGMA wal_checkpoint(PASSIVE)").get()?.log);
  });
  watcher.close();
  const writtenBytes = pages * PAGE_BYTES;

  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec("BEGIN");
  const count = () => reader.prepare("SELECT count(*) AS count, max(asked_at) AS last FROM signers").get();
  const before = count();
  await load(150);
  expect(count()).toEqual(before);
  expect(await logBytes()).toBeGreaterThan(MAX_IDLE_WAL_BYTES);
  expect(await logBytes()).toBeLessThan(2 * writtenBytes);
  reader.close();
  await load(2);
  expect(await logBytes()).toBeLessThanOrEqual(MAX_IDLE_WAL_BYTES);
  await store.close();
});

test("a change of a document costs no more rows", async () => {
  const store = openStore();
  const live = await store.liveGeneration(collection);
  for (let number = 1; number <= 20; number++)
    await applyTo(store, live, [{ id: "1", position: at(number), document: { owner: `${number}` } }], at(number));
  const database = new DatabaseSync(path);
  const rows = database.prepare("SELECT value FROM lookups ORDER BY value").all();
  expect(rows.map(({ value }) => value)).toEqual(["20"]);
  database.close();
  await store.close();
});

test("after kill -9 documents and checkpoint belong together", async () => {
  const program = `
    import { openEmbeddedReadModelStore } from ${JSON.stringify(new URL("../../src/embedded/store.ts", import.meta.url).href)};
    const store = openEmbeddedReadModelStore({ path: process.argv[1] });
    const live = await store.liveGeneration({ name: "c", version: 1, indexes: [{ field: "owner" }] });
    for (let number = 1; ; number++) {
      const position = { commit: BigInt(number), prepare: 0n };
      const changes = ["x", "y", "z"].map((id) => ({ id, position, document: { owner: "" + number } }));
      await store.apply([{ generation: live, changes }], position);
      process.stdout.write(number + "\\n");
      // What is written can wait for an iteration of the event loop, which nothing else here gives.
      await new Promise((resolve) => setImmediate(resolve));
    }`;
  const args = ["--trace-warnings", "--input-type=module-typescript", "--eval", program, path];
  const child = followWarningsOf("writer", spawn(process.execPath, args, { cwd: import.meta.dirname }), true);
  const closed = once(child, "close");
  let told = "";
  let applied = 0;
  for await (const text of child.stdout.setEncoding("utf8")) {
    told += text;
    // The last line may be cut.
    applied = Number(told.slice(0, told.lastIndexOf("\n")).split("\n").at(-1));
    if (applied >= 300) child.kill("SIGKILL");
  }
  await closed;

  const store = openStore();
  const checkpoint = await store.checkpoint(await store.liveGeneration(collection));
  expect(Number(checkpoint?.commit)).toBeGreaterThanOrEqual(applied);
  expect(applied).toBeGreaterThanOrEqual(300);
  for (const id of ["x", "y", "z"])
    expect((await store.get(collection, id))?.document).toEqual({ owner: String(checkpoint?.commit) });
  expect(await store.findRange(collection, "owner", { upTo: String(checkpoint?.commit), limit: 10 })).toHaveLength(3);
  await store.close();
});

import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "../src/embedded/database.ts";
import { ConflictError, EventStoreFailedError, type EventStoreFailure } from "../src/index.ts";
import { openAt, temporaryFolder } from "./helpers/embedded.ts";
import { anEvent, collect, freshStream, idsOf, someEvents } from "./helpers/events.ts";
import { countCommits } from "./helpers/wal.ts";

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, "events.sqlite");
});
afterEach(() => folder.remove());

const failureOf = (work: () => unknown): EventStoreFailure | undefined => {
  try {
    work();
  } catch (error) {
    if (error instanceof EventStoreFailedError) return error.failure;
    throw error;
  }
  return undefined;
};

describe("the file", () => {
  test("is opened so that a commit is synced before it is answered", () => {
    const db = openDatabase(path);
    expect(db.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
    expect(db.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: 2 });
    expect(db.prepare("PRAGMA busy_timeout").get()).toEqual({ timeout: 50 });
    db.close();
  });

  test("keeps its events from being changed or deleted", async () => {
    const store = openAt(path);
    await store.append(freshStream(), "no_stream", someEvents(1));
    await store.close();
    const db = new DatabaseSync(path);
    expect(() => db.exec("DELETE FROM events")).toThrow("never deleted");
    expect(() => db.exec("UPDATE events SET data = '{}'")).toThrow("never changed");
    db.close();
  });

  test.each<[EventStoreFailure, string, () => void]>([
    ["directory_missing", "in no directory", () => folder.remove()],
    ["not_writable", "that is a directory", () => mkdirSync(path)],
    ["not_an_event_store", "that is no database", () => writeFileSync(path, "something else entirely ".repeat(100))],
    ["not_an_event_store", "of another program", () => new DatabaseSync(path).exec("CREATE TABLE other (a)")],
    [
      "newer_version",
      "of a later version",
      () => {
        openDatabase(path).close();
        new DatabaseSync(path).exec("PRAGMA user_version = 99");
      },
    ],
  ])("is refused as %s when it is one %s", (failure, _what, make) => {
    make();
    expect(failureOf(() => openAt(path))).toBe(failure);
  });

  test("that another program keeps locked is refused as busy", () => {
    const other = new DatabaseSync(path);
    other.exec("PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE other (a)");
    expect(failureOf(() => openAt(path))).toBe("busy");
    other.close();
  });

  test("that is damaged is told to be so", async () => {
    const store = openAt(path);
    const stream = freshStream();
    for (let n = 0; n < 20; n++) {
      await store.append(stream, n === 0 ? "no_stream" : BigInt(n - 1), [anEvent({ filler: "x".repeat(5000) })]);
    }
    await store.close();
    truncateSync(path, 40_960);
    const damaged = () => openAt(path);
    await expect((async () => collect(damaged().readAll()))()).rejects.toMatchObject({ failure: "corrupt" });
  });
});

describe("group commit", () => {
  test("lets appends that come at the same time share one transaction", async () => {
    const store = openAt(path);
    const before = countCommits(path);
    await Promise.all(Array.from({ length: 64 }, () => store.append(freshStream(), "no_stream", someEvents(2))));
    expect(countCommits(path) - before).toBe(1);
    await store.close();
  });

  test("bounds a group by its count and by its bytes", async () => {
    const store = openAt(path);
    const start = countCommits(path);
    await Promise.all(Array.from({ length: 513 }, () => store.append(freshStream(), "no_stream", someEvents(1))));
    const afterMany = countCommits(path);
    expect(afterMany - start).toBe(2);
    const large = () => [anEvent({ filler: "x".repeat(1_000_000) })];
    // Each is a megabyte and fills up the write-ahead log, which a checkpoint may start anew: look at one group.
    const appends = Array.from({ length: 5 }, () => store.append(freshStream(), "no_stream", large()));
    const [first] = await Promise.all([Promise.all(appends.slice(0, 4)).then(() => store.head())]);
    expect(first?.commit).toBe(513n + 4n);
    await Promise.all(appends);
    await store.close();
  });

  test("writes nothing for a group in which all conflict or repeat", async () => {
    const store = openAt(path);
    const stream = freshStream();
    const events = someEvents(1);
    await store.append(stream, "no_stream", events);
    const before = countCommits(path);
    const repeated = store.append(stream, "no_stream", events);
    await expect(store.append(stream, "no_stream", someEvents(1))).rejects.toThrow(ConflictError);
    await repeated;
    expect(countCommits(path)).toBe(before);
    await store.close();
  });

  test("takes an append as it was when it was made", async () => {
    const store = openAt(path);
    const stream = freshStream();
    const event = anEvent({ amount: 1 });
    const appended = store.append(stream, "no_stream", [event]);
    event.data.amount = 2;
    await appended;
    expect(await store.readLast(stream)).toMatchObject({ data: { amount: 1 } });
    await store.close();
  });
});

describe("closing", () => {
  test("writes what was queued, then refuses", async () => {
    const store = openAt(path);
    const stream = freshStream();
    const events = someEvents(2);
    const queued = store.append(stream, "no_stream", events);
    await store.close();
    await expect(queued).resolves.toMatchObject({ revision: 1n });
    await expect(store.append(stream, 1n, someEvents(1))).rejects.toMatchObject({ failure: "closed" });
    await expect(store.head()).rejects.toMatchObject({ failure: "closed" });
    const again = openAt(path);
    expect(idsOf(await collect(again.readStream(stream)))).toEqual(idsOf(events));
    await again.close();
  });

  test("ends live subscriptions", async () => {
    const store = openAt(path);
    const signal = new AbortController().signal;
    let caughtUp = 0;
    for await (const _ of store.subscribeToAll({ signal })) {
      caughtUp += 1;
      setImmediate(() => store.close());
    }
    expect(caughtUp).toBe(1);
    await store.close();
  });
});

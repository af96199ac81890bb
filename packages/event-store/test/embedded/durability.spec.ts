import { mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ManualClock } from "@rubrica/runtime/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "../../src/embedded/database.ts";
import { openEmbeddedEventStore } from "../../src/embedded/store.ts";
import { Writer } from "../../src/embedded/writer.ts";
import { ConflictError, EventStoreFailedError, type EventStoreFailure } from "../../src/index.ts";
import { prepareAppend } from "../../src/prepare-append.ts";
import { openAt, temporaryFolder } from "../helpers/embedded.ts";
import { anEvent, collect, freshStream, idsOf, someEvents } from "../helpers/events.ts";
import { countCommits } from "../helpers/wal.ts";

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

  test("of another program stays as it is", () => {
    const other = new DatabaseSync(path);
    other.exec("CREATE TABLE other (a)");
    other.close();
    const before = readFileSync(path);
    expect(failureOf(() => openAt(path))).toBe("not_an_event_store");
    expect(readFileSync(path).equals(before)).toBe(true);
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

  test("whose stream somebody took the events of is told to be damaged when it is written to", async () => {
    const store = openAt(path);
    await store.append("a-1", "no_stream", someEvents(2));
    await store.close();
    const db = new DatabaseSync(path);
    db.exec("DROP TRIGGER events_stay; DELETE FROM events");
    db.close();
    const damaged = openAt(path);
    await expect(damaged.append("a-1", "no_stream", someEvents(1))).rejects.toMatchObject({ failure: "corrupt" });
    expect(await collect(damaged.readAll())).toEqual([]);
    await damaged.close();
  });

  test.each(["seq", "revision"])(
    "in which somebody wrote a %s that can't be counted is told to be damaged",
    async (column) => {
      const store = openAt(path);
      await store.append("a-1", "no_stream", someEvents(2));
      await store.close();
      const db = new DatabaseSync(path);
      db.exec(`DROP TRIGGER events_are_final; UPDATE events SET ${column} = ${2n ** 60n} WHERE seq = 2`);
      db.close();
      const damaged = openAt(path);
      await expect((async () => collect(damaged.readAll()))()).rejects.toMatchObject({ failure: "corrupt" });
      // What is beyond the last place has none of its own.
      const more =
        column === "seq" ? damaged.append("b-1", "no_stream", someEvents(1)) : damaged.append("a-1", 1n, someEvents(1));
      await expect(more).rejects.toMatchObject({ failure: "corrupt" });
      await damaged.close();
    },
  );
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
    const [first] = await Promise.all([Promise.all(appends.slice(0, 4)).then(() => store.lastPosition())]);
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

describe("a group whose transaction fails", () => {
  /** A writer on a file that can't grow by more than a few pages until it is given room. */
  const crampedWriter = () => {
    const db = openDatabase(path);
    const pages = Number(db.prepare("PRAGMA page_count").get()?.page_count);
    db.exec(`PRAGMA max_page_count = ${pages + 3}`);
    return { db, writer: new Writer(db), giveRoom: () => db.exec("PRAGMA max_page_count = 100000") };
  };

  test("stores none of it, and the next one goes on from what is stored", () => {
    const { db, writer, giveRoom } = crampedWriter();
    const small = prepareAppend("a-1", "no_stream", someEvents(1));
    const large = prepareAppend("a-1", 0n, [anEvent({ filler: "x".repeat(100_000) })]);
    writer.commit([small]);
    expect(() => writer.commit([prepareAppend("a-2", "no_stream", someEvents(1)), large])).toThrow("full");
    giveRoom();
    const outcomes = writer.commit([
      prepareAppend("a-1", 1n, someEvents(1)),
      prepareAppend("a-2", "no_stream", someEvents(1)),
      large,
    ]);
    expect(outcomes).toMatchObject([{ actual: 0n }, { revision: 0n }, { revision: 1n }]);
    expect(db.prepare("SELECT count(*) AS stored FROM events").get()).toEqual({ stored: 3 });
    db.close();
  });
});

describe("a group of which one can't be written for a reason that nobody foresaw", () => {
  test("is not stored, and leaves no transaction open", () => {
    const db = openDatabase(path);
    const writer = new Writer(db);
    const good = prepareAppend("a-1", "no_stream", someEvents(1));
    const odd = {
      ...prepareAppend("a-2", "no_stream", someEvents(1)),
      events: [{ ...anEvent(), data: "", metadata: "" }],
    };
    Object.assign(odd.events[0] ?? {}, { id: null });
    expect(() => writer.commit([good, odd])).toThrow("NOT NULL");
    expect(writer.commit([good])).toMatchObject([{ revision: 0n, position: { commit: 1n } }]);
    db.close();
  });
});

describe("reading", () => {
  test("much lets others have their turn in between", async () => {
    const store = openAt(":memory:");
    for (let n = 0; n < 4; n++) await store.append(`many-${n}`, "no_stream", someEvents(1000));
    let turns = 0;
    let reading = true;
    const count = () => {
      turns += 1;
      if (reading) setImmediate(count);
    };
    setImmediate(count);
    expect(await collect(store.readAll())).toHaveLength(4000);
    reading = false;
    expect(turns).toBeGreaterThanOrEqual(6);
    await store.close();
  });
});

describe("a live subscription", () => {
  test("rests until something happens, and looks for other processes' appends at its interval", async () => {
    const clock = new ManualClock();
    const store = openEmbeddedEventStore({ path, clock, pollIntervalMs: 250 });
    const other = openAt(path);
    const batches = store.subscribeToAll({ signal: new AbortController().signal })[Symbol.asyncIterator]();
    expect(await batches.next()).toEqual({ done: false, value: { events: [], position: undefined, caughtUp: true } });
    let given = 0;
    const next = batches.next().then((result) => {
      given += 1;
      return result;
    });
    await other.append(freshStream(), "no_stream", someEvents(1));
    clock.advance(249);
    await new Promise((resolve) => setImmediate(resolve));
    expect(given).toBe(0);
    clock.advance(1);
    expect((await next).value).toMatchObject({ events: [{ revision: 0n }], caughtUp: true });
    await store.close();
    await other.close();
  });

  test("moves on past events that it is not for", async () => {
    const store = openAt(":memory:");
    const signal = new AbortController().signal;
    const batches = store.subscribeToAll({ signal, streamPrefix: "mine-" })[Symbol.asyncIterator]();
    await batches.next();
    const { position } = await store.append("theirs-1", "no_stream", someEvents(3));
    expect(await batches.next()).toEqual({ done: false, value: { events: [], position, caughtUp: true } });
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
    await expect(store.lastPosition()).rejects.toMatchObject({ failure: "closed" });
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

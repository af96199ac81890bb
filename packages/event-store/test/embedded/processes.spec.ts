import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Clock, systemClock } from "@rubrica/runtime";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openAt, temporaryFolder } from "../helpers/embedded.ts";
import { collect, followUntil, freshStream, idsOf, someEvents } from "../helpers/events.ts";
import { acknowledged, startAppender, startCrampedAppender } from "../helpers/processes.ts";

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, "events.sqlite");
});
afterEach(() => folder.remove());

/** The locks that the system tells of on a file, of any process (`proc(5)`). */
const locksOn = (file: string): string[] => {
  const { ino } = statSync(file);
  return readFileSync("/proc/locks", "utf8")
    .split("\n")
    .filter((line) => line.includes(`:${ino} `));
};

describe("two processes on one file", () => {
  test("open it new at the same time", async () => {
    const appenders = Array.from({ length: 4 }, () => startAppender(path, "spread", 2));
    await Promise.all(appenders.map(({ ended }) => ended));
    for (const { lines } of appenders) expect(lines[0]).toBe("open");
    const store = openAt(path);
    expect(await collect(store.readAll())).toHaveLength(4 * 8 * 2);
    await store.close();
  });

  test("append to one stream: conflicts are seen, none is lost, none doubled", async () => {
    const appenders = [startAppender(path, "contend", 150), startAppender(path, "contend", 150)];
    await Promise.all(appenders.map(({ ended }) => ended));
    const answers = appenders.flatMap(({ lines }) => acknowledged(lines)).map(({ revision }) => Number(revision));
    expect(answers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, index) => index));
    const store = openAt(path);
    const pids = (await collect(store.readStream("shared-stream"))).map(({ data }) => data.pid);
    expect(pids).toHaveLength(300);
    expect(new Set(pids).size).toBe(2);
    await store.close();
  });

  test.skipIf(!existsSync("/proc/locks"))("one has its lock on the file for as long as it is open", async () => {
    const store = openAt(path);
    await store.append(freshStream(), "no_stream", someEvents(1));
    // Without it another program that closes the file (as a backup does) removes the log, which this one goes on to write.
    expect(locksOn(path)).not.toEqual([]);
    await store.close();
    expect(locksOn(path)).toEqual([]);
  });

  test("a subscription in one sees what the other appends, in order and without gaps", async () => {
    const store = openAt(path);
    const following = followUntil(store, {}, (events) => events.length >= 8 * 100 + 100);
    const appender = startAppender(path, "spread", 100);
    await appender.said(10);
    for (let n = 0; n < 100; n++) {
      await store.append("mine-1", n === 0 ? "no_stream" : BigInt(n - 1), someEvents(1));
    }
    await appender.ended;
    const { events } = await following;
    expect(events.map(({ position }) => position.commit)).toEqual(events.map((_, index) => BigInt(index + 1)));
    expect(events).toEqual(await collect(store.readAll()));
    await store.close();
  });

  test("an end that is kept in memory moves on soon after the other appended", async () => {
    const store = openAt(path, [], { cachesEnds: true });
    const other = openAt(path);
    const stream = freshStream();
    await store.append(stream, "no_stream", someEvents(1));
    expect(await store.streamEnd(stream)).toMatchObject({ revision: 0n });
    const moved = await other.append(stream, 0n, someEvents(1));
    await expect.poll(() => store.streamEnd(stream)).toEqual(moved);
    await store.append(stream, 1n, someEvents(1));
    expect(await store.streamEnd(stream)).toMatchObject({ revision: 2n });
    await store.close();
    await other.close();
  });

  test("an append waits while the other holds the file, and is made when it lets go", async () => {
    const refusedTwice = Promise.withResolvers<void>();
    let pauses = 0;
    /** Tells of the pauses that the engine makes where SQLite's own patience was not enough. */
    const wait: Clock["wait"] = (ms, options) => {
      if (!options?.background && ++pauses === 2) refusedTwice.resolve();
      return systemClock.wait(ms, options);
    };
    const store = openAt(path, [], { clock: { ...systemClock, wait } });
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const appended = store.append(freshStream(), "no_stream", someEvents(1));
    await refusedTwice.promise;
    expect(await store.lastPosition()).toBeUndefined();
    other.exec("ROLLBACK");
    await expect(appended).resolves.toMatchObject({ revision: 0n });
    other.close();
    await store.close();
  });
});

describe("a process that is killed while it appends", () => {
  test.each([5, 60, 200, 400])("has lost none that it had acknowledged (after %i of them)", async (count) => {
    const appender = startAppender(path, "spread", 10_000);
    await appender.said(count);
    appender.child.kill("SIGKILL");
    await appender.ended;
    const store = openAt(path);
    const answers = acknowledged(appender.lines);
    expect(answers.length).toBeGreaterThanOrEqual(count - 1);
    for (const { stream, revision } of answers) {
      expect((await store.streamEnd(stream))?.revision ?? -1n).toBeGreaterThanOrEqual(revision);
    }
    const all = await collect(store.readAll());
    expect(all.map(({ position }) => position.commit)).toEqual(all.map((_, index) => BigInt(index + 1)));
    await store.append("after-it", "no_stream", someEvents(1));
    await store.close();
  });
});

describe("a disk that is full", () => {
  const withoutLimits = process.platform === "win32";

  test.skipIf(withoutLimits)(
    "fails the appends, loses none that was acknowledged, and leaves nothing half-written",
    async () => {
      const appender = startCrampedAppender(path, 100_000, 400);
      await appender.ended;
      expect(appender.lines.at(-1)).toMatch(/^failed (disk_full|input_output)$/);
      const answers = acknowledged(appender.lines);
      expect(answers.length).toBeGreaterThan(8);
      const store = openAt(path);
      const stored = (await collect(store.readAll())).map(({ stream, revision }) => `${stream} ${revision}`);
      expect(stored.toSorted()).toEqual(answers.map(({ stream, revision }) => `${stream} ${revision}`).toSorted());
      const stream = freshStream();
      const events = someEvents(2);
      await store.append(stream, "no_stream", events);
      expect(idsOf(await collect(store.readStream(stream)))).toEqual(idsOf(events));
      await store.close();
    },
  );
});

import { formatPosition } from "@rubrica/event-store";
import { streamName } from "@rubrica/events";
import { rewriteEvent } from "@rubrica/test-kit/damage";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { migrate, verifyMigration } from "../../src/migration/migrate.ts";
import { MigrationError } from "../../src/migration/migration-error.ts";
import {
  appendTo,
  collect,
  contentsOf,
  documentOf,
  erase,
  fileOf,
  migrationOf,
  openSide,
  type Side,
  write,
} from "./world.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);
const foreign = { id: "019aa5c0-0000-4000-8000-000000000001", type: "Theirs", data: {}, metadata: {} };

let from: Side;
let to: Side;
beforeEach(async () => {
  from = openSide();
  to = openSide();
  await write(from, numbers(12));
});
afterEach(async () => {
  await from[Symbol.asyncDispose]();
  await to[Symbol.asyncDispose]();
});

/** The side with every write failing from one on: before it is done, or after. */
const cutAt = (side: Side, write: number, when: "before" | "after"): { side: Side; isCut(): boolean } => {
  let writes = 0;
  const cut = <Given extends unknown[], Answer>(work: (...given: Given) => Promise<Answer>) => {
    return async (...given: Given): Promise<Answer> => {
      writes += 1;
      if (writes > write || (writes === write && when === "before")) throw new Error("cut");
      const answer = await work(...given);
      if (writes === write) throw new Error("cut");
      return answer;
    };
  };
  const { keys, files, events } = side;
  const wrap = <Store extends object>(store: Store, methods: Partial<Store>): Store =>
    new Proxy(store, {
      get: (target, name) => {
        const own = methods[name as keyof Store] ?? target[name as keyof Store];
        return typeof own === "function" ? own.bind(target) : own;
      },
    });
  return {
    side: {
      ...side,
      keys: wrap(keys, {
        putRows: cut((rows) => keys.putRows(rows)),
        destroy: cut((owner) => keys.destroy(owner)),
        noteErasuresDone: cut((upTo) => keys.noteErasuresDone(upTo)),
      }),
      files: wrap(files, {
        putEncrypted: cut((name, encrypted) => files.putEncrypted(name, encrypted)),
        removeAll: cut((owner) => files.removeAll(owner)),
        noteErasuresDone: cut((upTo) => files.noteErasuresDone(upTo)),
      }),
      events: wrap(events, { append: cut((stream, expected, given) => events.append(stream, expected, given)) }),
    },
    isCut: () => writes >= write,
  };
};

describe("migrating", () => {
  test("copies keys, files and events, and what they open is the same", async () => {
    await erase(from, 3);
    const copied = await migrate(migrationOf(from, to));
    expect(copied).toEqual({ keys: 13, files: 11, events: 37, streams: 12, brokenChains: 0 });
    expect(await contentsOf(to)).toEqual(await contentsOf(from));
    const stream = streamName("document", documentOf(2));
    expect(await collect(to.journal.read(stream))).toMatchObject(
      (await collect(from.journal.read(stream))).map(({ type, personal, metadata }) => ({ type, personal, metadata })),
    );
    const { sha256 } = await from.files.put(documentOf(2), fileOf(2), "application/pdf");
    expect(await to.files.get(documentOf(2), sha256)).toEqual(fileOf(2));
  });

  test("can be repeated, and goes on with what came since", async () => {
    await migrate(migrationOf(from, to));
    await migrate(migrationOf(from, to));
    await write(from, [12, 13]);
    await appendTo(from, documentOf(0), ["DocumentErased"]);
    expect(await migrate(migrationOf(from, to))).toMatchObject({ files: 13, events: 43, streams: 14 });
    expect(await contentsOf(to)).toEqual(await contentsOf(from));
  });

  test("takes along what is known of the log beside the keys, and notices where it is not", async () => {
    await migrate(migrationOf(from, to));
    const ends = numbers(600).map((number) => ({
      stream: streamName("document", documentOf(number)),
      revision: BigInt(number),
      hash: number.toString(16).padStart(64, "0"),
    }));
    await from.keys.log.note(`1200:${"ab".repeat(32)}`, ends);
    await from.keys.log.first.note(`7:${"cd".repeat(32)}`, ends.slice(0, 7));
    const unlike = /does not know of the event log what the data folder does/;
    await expect(verifyMigration(migrationOf(from, to))).rejects.toThrow(unlike);
    await migrate(migrationOf(from, to));
    await verifyMigration(migrationOf(from, to));
    expect(await to.keys.log.head()).toBe(`1200:${"ab".repeat(32)}`);
    for (const end of ends) expect(await to.keys.log.end(end.stream)).toEqual(end);
    for (const [at, end] of ends.entries())
      expect(await to.keys.log.first.end(end.stream)).toEqual(at < 7 ? end : undefined);
    const [first] = ends;
    if (first) await to.keys.log.note(`1200:${"ab".repeat(32)}`, [{ ...first, revision: 7n }]);
    await expect(verifyMigration(migrationOf(from, to))).rejects.toThrow(unlike);
  });

  test("takes along which phone's line is which, and notices where it is not so", async () => {
    const phones = numbers(600).map((number) => `phone ${number}`);
    for (const phone of phones) await from.keys.lines.give(phone, documentOf(1), `line of ${phone}`);
    await migrate(migrationOf(from, to));
    const rowsOf = async ({ keys }: Side) => (await collect(keys.lines.rows())).map(({ sinceMs: _, ...row }) => row);
    expect(await rowsOf(to)).toEqual(await rowsOf(from));
    await from.keys.lines.take("phone 7", documentOf(1));
    await from.keys.lines.give("phone 7", documentOf(2), "another line");
    const unlike = /does not hold the phones' lines that the data folder does/;
    await expect(verifyMigration(migrationOf(from, to))).rejects.toThrow(unlike);
    await migrate(migrationOf(from, to));
    await verifyMigration(migrationOf(from, to));
    expect(await to.keys.lines.find("phone 7")).toMatchObject({ line: "another line", owner: documentOf(2) });
  });

  test("of nothing is nothing", async () => {
    await using empty = openSide();
    const nothing = { keys: 0, files: 0, events: 0, streams: 0, brokenChains: 0 };
    expect(await migrate(migrationOf(empty, to))).toEqual(nothing);
  });

  test.each(["before", "after"] as const)(
    "cut %s any write goes on where it was, and doubles nothing",
    async (when) => {
      await erase(from, 3, { cut: true });
      for (let writes = 1, cuts = true; cuts; writes++) {
        await using target = openSide({ inMemory: true });
        const { side, isCut } = cutAt(target, writes, when);
        const first = await migrate(migrationOf(from, side)).catch((error: Error) => error);
        cuts = isCut();
        expect(first instanceof Error && first.message).toBe(cuts && "cut");
        expect(await migrate(migrationOf(from, target))).toMatchObject({ events: 37 });
        expect(await contentsOf(target)).toEqual(await contentsOf(from));
        if (!cuts) expect(writes).toBeGreaterThan(35);
      }
    },
  );

  test("holds what an event tells of before the event, and a prefix of the log at every moment", async () => {
    const log = (await contentsOf(from)).events;
    const { append } = to.events;
    let appended = 0;
    to.events.append = async (...given) => {
      const { keys, files } = await contentsOf(to);
      expect([keys.length, files.length]).toEqual([13, 12]);
      const answer = await append.apply(to.events, given);
      const { events } = await contentsOf(to);
      expect(events).toEqual(log.slice(0, events.length));
      appended += 1;
      return answer;
    };
    await migrate(migrationOf(from, to));
    // One for each stretch of events of one stream.
    expect(appended).toBe(24);
  });

  test("splits long stretches of one stream into appends that an engine takes", async () => {
    const text = "x".repeat(300_000);
    const events = numbers(7).map((number) => ({
      ...foreign,
      id: foreign.id.replace(/1$/, String(number)),
      data: { text },
    }));
    const stream = streamName("document", documentOf(99));
    await from.events.append(stream, "no_stream", events.slice(0, 3));
    await from.events.append(stream, 2n, events.slice(3, 6));
    await from.events.append(stream, 5n, [{ ...foreign, data: { text: "x".repeat(1_000_000) } }]);
    await migrate(migrationOf(from, to));
    expect(await contentsOf(to)).toEqual(await contentsOf(from));
  });

  test("leaves what others keep on the same event store alone", async () => {
    await to.events.append("orders-1", "no_stream", [foreign]);
    await migrate(migrationOf(from, to));
    await to.events.append("orders-1", 0n, [{ ...foreign, id: foreign.id.replace(/1$/, "2") }]);
    expect(await migrate(migrationOf(from, to))).toMatchObject({ events: 36 });
    expect(await verifyMigration(migrationOf(from, to))).toMatchObject({ events: 36, streams: 12 });
  });

  test("tells how far it is, step by step", async () => {
    const told = new Map<string, string>();
    await migrate(migrationOf(from, to, (step, done, all) => void told.set(step, `${done} of ${all}`)));
    expect([...told]).toEqual([
      ["copy keys", "13 of 13"],
      ["copy files", "12 of 12"],
      ["copy events", "36 of 36"],
      ["check keys", "13 of 13"],
      ["check events", "36 of 36"],
    ]);
  });

  test("copies a broken chain as it is, and counts it", async () => {
    rewriteEvent(from.eventsPath, streamName("document", documentOf(5)), 1, ({ metadata }) => ({
      metadata: metadata.replace('"actor":"integrator"', '"actor":"somebody"'),
    }));
    expect(await migrate(migrationOf(from, to))).toMatchObject({ events: 36, brokenChains: 1 });
    expect(await contentsOf(to)).toEqual(await contentsOf(from));
  });
});

describe("what was erased", () => {
  test("is not copied, also when erasing it was cut", async () => {
    await erase(from, 3, { cut: true });
    const put: string[] = [];
    const { putEncrypted } = to.files;
    to.files.putEncrypted = (name, encrypted) => {
      put.push(name);
      return putEncrypted.call(to.files, name, encrypted);
    };
    await migrate(migrationOf(from, to));
    expect(put).toHaveLength(11);
    expect(await to.keys.find(documentOf(3))).toBeUndefined();
  });

  test("between two runs is gone from what the first one copied", async () => {
    await migrate(migrationOf(from, cutAt(to, 20, "after").side)).catch(() => {});
    expect(await to.keys.find(documentOf(3))).toBeDefined();
    expect(await collect(to.files.encryptedNames())).toHaveLength(12);
    await erase(from, 3);
    await migrate(migrationOf(from, to));
    expect(await to.keys.find(documentOf(3))).toBeUndefined();
    expect(await collect(to.files.encryptedNames())).toHaveLength(11);
  });

  test("is noted by the positions of the store that it is noted in", async () => {
    // Others' events take the copied ones to other positions.
    for (const number of numbers(9)) await to.events.append(`orders-${number}`, "no_stream", [foreign]);
    await erase(from, 3);
    await migrate(migrationOf(from, to));
    for (const [store, { events }] of [
      [from.keys, from],
      [from.files, from],
      [to.keys, to],
      [to.files, to],
    ] as const) {
      const last = await events.lastPosition();
      expect(await store.erasuresDone()).toBe(last && formatPosition(last));
    }
    expect(await to.keys.erasuresDone()).not.toBe(await from.keys.erasuresDone());
  });
});

describe("it refuses", () => {
  const refuses = async (message: RegExp) => {
    const before = await contentsOf(to);
    const failed = migrate(migrationOf(from, to));
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toThrow(MigrationError);
    return { before, after: await contentsOf(to) };
  };

  test("an event store that holds other events, and leaves it as it is", async () => {
    await to.events.append(streamName("document", documentOf(50)), "no_stream", [foreign]);
    const { before, after } = await refuses(/holds other events than the data folder, from revision 0 of document-/);
    expect(after.events).toEqual(before.events);
  });

  test("one that has gone on", async () => {
    await migrate(migrationOf(from, to));
    await appendTo(to, documentOf(1), ["DocumentErased"]);
    const { before, after } = await refuses(
      /has gone on after what the data folder holds, with revision 3 of document-/,
    );
    expect(after).toEqual(before);
  });

  test("one that has gone on while the folder did too", async () => {
    await migrate(migrationOf(from, to));
    await appendTo(to, documentOf(1), ["DocumentErased"]);
    await appendTo(from, documentOf(2), ["DocumentErased"]);
    const { before, after } = await refuses(/holds other events than the data folder, from revision 3 of document-/);
    expect(after.events).toEqual(before.events);
  });

  test("one with the same event, and other contents", async () => {
    await migrate(migrationOf(from, to));
    rewriteEvent(to.eventsPath, streamName("document", documentOf(5)), 1, ({ data }) => ({
      data: data.replace("{", '{"more":1,'),
    }));
    await refuses(/holds other events than the data folder, from revision 1 of document-/);
  });

  test("an event store that others write to meanwhile", async () => {
    const { append } = to.events;
    to.events.append = async (...given) => {
      to.events.append = append;
      await to.events.append(given[0], given[1], [foreign]);
      return append.apply(to.events, given);
    };
    await refuses(/takes no event as revision 0 of document-.*: stop whatever else writes to it/);
  });

  test("keys of another service", async () => {
    await to.keys.obtain("another");
    const { before, after } = await refuses(/holds keys that are not those of the data folder/);
    expect(after).toEqual(before);
  });

  test("another key of the same owner", async () => {
    await to.keys.obtain(documentOf(1));
    const { before, after } = await refuses(/holds keys that are not those of the data folder/);
    expect(after).toEqual(before);
  });

  test("files of another service", async () => {
    const [name = ""] = await collect(from.files.encryptedNames());
    const other = `${"f".repeat(32)}${name.slice(32)}`;
    await to.files.putEncrypted(other, Buffer.from("theirs"));
    await refuses(new RegExp(`holds the file ${other}, which is not in the data folder`));
  });

  test("read models of another event store", async () => {
    const [collection] = migrationOf(from, to).collections;
    if (!collection) throw new Error("no collection");
    const generation = await to.readModels.liveGeneration(collection);
    await to.readModels.apply([{ generation, changes: [] }], { commit: 7n, prepare: 7n });
    const { before, after } = await refuses(/holds read models, and the event store no events/);
    expect(after).toEqual(before);
  });

  test("an event that can't be read", async () => {
    rewriteEvent(from.eventsPath, streamName("document", documentOf(5)), 1, () => ({ data: "{" }));
    await refuses(
      /can't be copied, revision 1 of document-.*: its data can't be read as JSON; restore it from a backup/,
    );
  });

  test("a stream that this version does not know", async () => {
    await from.events.append("contract-1", "no_stream", [foreign]);
    await refuses(/holds the stream contract-1, which is none of this version's/);
  });

  test("a target that does not keep what it takes", async () => {
    to.files.putEncrypted = async () => {};
    await refuses(/is not in the database that MONGODB_URL names as it is in the data folder/);
  });
});

test("a file that is there and not the same is put again", async () => {
  await migrate(migrationOf(from, to));
  const [name = ""] = await collect(to.files.encryptedNames());
  await to.files.putEncrypted(name, Buffer.from("half of it"));
  await migrate(migrationOf(from, to));
  expect(await contentsOf(to)).toEqual(await contentsOf(from));
});

describe("verifying", () => {
  const finds = async (message: RegExp) => {
    const before = await contentsOf(to);
    await expect(verifyMigration(migrationOf(from, to))).rejects.toThrow(message);
    expect(await contentsOf(to)).toEqual(before);
  };

  test("finds nothing in a whole copy", async () => {
    const copied = await migrate(migrationOf(from, to));
    expect(await verifyMigration(migrationOf(from, to))).toEqual(copied);
  });

  test("finds what was not copied yet, and copies nothing", async () => {
    await finds(/A key of the data folder is not in the database/);
    await migrate(migrationOf(from, to));
    await appendTo(from, documentOf(1), ["DocumentErased"]);
    await finds(/The event store lacks revision 3 of document-/);
  });

  test("finds a missing file, a changed one, and one too many", async () => {
    await migrate(migrationOf(from, to));
    const [name = ""] = await collect(to.files.encryptedNames());
    const encrypted = (await to.files.getEncrypted(name)) ?? Buffer.alloc(0);
    await to.files.putEncrypted(name, Buffer.concat([encrypted, Buffer.alloc(1)]));
    await finds(/is not in the database that MONGODB_URL names as it is/);
    await to.files.putEncrypted(name, encrypted);
    await to.files.removeAll(documentOf(1));
    await finds(/is not in the database that MONGODB_URL names: migrate again/);
    await from.files.removeAll(documentOf(1));
    await verifyMigration(migrationOf(from, to));
    await from.files.removeAll(documentOf(2));
    await finds(/which is not in the data folder/);
  });

  test("finds a key that is not destroyed", async () => {
    await migrate(migrationOf(from, to));
    await from.keys.destroy(documentOf(1));
    await finds(/A key in the database .* is not what it is in the data folder/);
  });
});

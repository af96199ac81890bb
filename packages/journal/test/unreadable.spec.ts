import { join } from "node:path";
import type { NewEvent, RecordedEvent } from "@rubrica/event-store";
import { openEmbeddedEventStore } from "@rubrica/event-store/embedded";
import { eventHash, sample } from "@rubrica/events";
import { testRuntime } from "@rubrica/runtime/testing";
import { createSecrets } from "@rubrica/secrets";
import { openEmbeddedKeyStore } from "@rubrica/storage/embedded";
import { temporaryFolder } from "@rubrica/test-kit";
import { type EventRow, rewriteEvent, spoilKey } from "@rubrica/test-kit/damage";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EventAuthentication, macOf } from "../src/authentication.ts";
import { hashedForm, Journal, type JournalBatch, type UnreadableEvent, UnreadableStreamError } from "../src/index.ts";
import { contextOf, endOf, example, otherStream, stream } from "./world.ts";

// On disk: what is damaged is damaged there.
const [requested, rejected, completed] = [
  example("DocumentRequested"),
  example("Rejected"),
  example("DocumentCompleted"),
];

let folder: ReturnType<typeof temporaryFolder>;
let world: ReturnType<typeof openWorld>;
beforeEach(() => {
  folder = temporaryFolder();
  world = openWorld();
});
afterEach(async () => {
  await world.close();
  folder[Symbol.dispose]();
});

const openWorld = () => {
  const runtime = testRuntime();
  const secrets = createSecrets({ current: Buffer.alloc(32, 1) });
  const keys = openEmbeddedKeyStore({ path: join(folder.path, "keys.sqlite"), secrets, ...runtime });
  const store = openEmbeddedEventStore({ path: join(folder.path, "events.sqlite"), ...runtime });
  const told: UnreadableEvent[] = [];
  const journal = new Journal(store, keys, runtime, { onUnreadable: (event) => void told.push(event) });
  const close = async () => {
    await store.close();
    await keys.close();
  };
  return { store, keys, journal, told, close };
};

const reopened = async () => {
  await world.close();
  world = openWorld();
};

const all = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
};

/** Two documents; the first of four events, the third of which is of a person. */
const history = async () => {
  const { journal } = world;
  const first = await journal.append(stream, undefined, [requested, completed], contextOf("a"));
  await journal.append(stream, endOf(first), [rejected, completed], contextOf("b"));
  await journal.append(otherStream, undefined, [requested, rejected], contextOf("c"));
};

const rewrite = (change: (row: EventRow) => Partial<EventRow>, revision = 2): EventRow =>
  rewriteEvent(join(folder.path, "events.sqlite"), stream, revision, change);

const spoiledJson = (row: EventRow, part: "data" | "metadata", change: (value: Record<string, unknown>) => object) => ({
  [part]: JSON.stringify(change(JSON.parse(row[part]))),
});

/** Everything that a subscription gives until it has caught up. */
const subscribed = async (): Promise<Pick<JournalBatch, "events" | "unreadable">> => {
  const ending = new AbortController();
  const given: Pick<JournalBatch, "events" | "unreadable"> = { events: [], unreadable: [] };
  for await (const { events, unreadable, caughtUp } of world.journal.subscribe({ signal: ending.signal })) {
    given.events = [...given.events, ...events];
    given.unreadable = [...given.unreadable, ...unreadable];
    if (caughtUp) break;
  }
  ending.abort();
  return given;
};

const placesOf = (events: readonly { stream: string; revision: bigint }[]) =>
  events.map(({ stream: name, revision }) => `${name === stream ? "first" : "other"} ${revision}`);

const otherSigner = "019aa5c0-0000-7000-8000-0000000000ee";

const flipped = (text: unknown): string => {
  const bytes = Buffer.from(String(text), "base64url");
  bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
  return bytes.toString("base64url");
};

const damages: [string, (row: EventRow) => Partial<EventRow>, RegExp][] = [
  ["its data is no JSON", ({ data }) => ({ data: data.slice(1) }), /^its data can't be read as JSON$/],
  ["its metadata is no JSON", ({ metadata }) => ({ metadata: metadata.slice(1) }), /^its metadata can't be read/],
  ["its data is no object", () => ({ data: "null" }), /^its data can't be read/],
  [
    "its metadata lacks something",
    (row) => spoiledJson(row, "metadata", ({ at: _at, ...rest }) => rest),
    /^its metadata is damaged$/,
  ],
  ["its id is another's", () => ({ id: "019aa5c0-0000-7000-8000-00000000ffff" }), /^its id is not its own$/],
  ["its type is unknown", () => ({ type: "Rejectee" }), /^its type or version is unknown$/],
  [
    "its version is unknown and its hash does not hold",
    (row) => spoiledJson(row, "metadata", (metadata) => ({ ...metadata, schemaVersion: 99 })),
    /^its type or version is unknown$/,
  ],
  [
    "its content is another's",
    (row) => spoiledJson(row, "data", (data) => ({ ...data, data: {} })),
    /^its personal part does not open/,
  ],
  [
    "its content was changed to what its schema allows",
    (row) =>
      spoiledJson(row, "data", ({ data, ...rest }) => ({
        ...rest,
        data: { ...(data as object), signerId: otherSigner },
      })),
    /^its personal part does not open/,
  ],
  [
    "its actor is another one",
    (row) => spoiledJson(row, "metadata", (metadata) => ({ ...metadata, actor: "operator" })),
    /^its personal part does not open/,
  ],
  ["its content is gone", () => ({ data: "{}" }), /^its personal part is gone/],
  [
    "its personal part was changed",
    (row) => spoiledJson(row, "data", (data) => ({ ...data, personal: flipped(data.personal) })),
    /^its personal part does not open/,
  ],
  [
    "its personal part is no text",
    (row) => spoiledJson(row, "data", (data) => ({ ...data, personal: 5 })),
    /^its personal part is damaged$/,
  ],
  [
    "its personal part was taken away",
    (row) => spoiledJson(row, "data", (data) => ({ ...data, personal: null })),
    /^its personal part is gone, and its owner's key is there$/,
  ],
];

describe.each(damages)("an event that can't be read: %s", (_what, change, reason) => {
  test("is told of by a subscription beside all the others, which go on", async () => {
    await history();
    rewrite(change);
    const { events, unreadable } = await subscribed();
    expect(placesOf(unreadable)).toEqual(["first 2"]);
    expect(unreadable[0]?.reason).toMatch(reason);
    expect(unreadable[0]).toMatchObject({ streamKind: "document", streamId: sample.documentId });
    expect(placesOf(events).filter((place) => place !== "first 3")).toEqual([
      "first 0",
      "first 1",
      "other 0",
      "other 1",
    ]);
  });

  test("lets nothing be decided on its stream, whole or from a former end on; other streams are as ever", async () => {
    await history();
    const end = endOf((await all(world.journal.read(stream))).slice(0, 2));
    const row = rewrite(change);
    await expect(all(world.journal.read(stream))).rejects.toThrow(UnreadableStreamError);
    if (end) await expect(world.journal.readAfter(stream, end)).rejects.toThrow(UnreadableStreamError);
    expect(await all(world.journal.read(otherStream))).toHaveLength(2);
    expect(placesOf(world.told)).toEqual(["first 2"]);
    expect(placesOf(world.journal.unreadableStreams)).toEqual(["first 2"]);
    rewrite(() => row);
    expect(await all(world.journal.read(stream))).toHaveLength(4);
    expect(world.journal.unreadableStreams).toEqual([]);
  });

  test("tells nothing of what is stored", async () => {
    await history();
    const row = rewrite(change);
    const message = await all(world.journal.read(stream)).then(String, (error) => error.message + error.event.reason);
    for (const part of [...row.data.matchAll(/:"([^"]{6,})"/g)]) expect(message).not.toContain(part[1]);
  });
});

test("whose it is and when it was decided is told where the metadata still tells", async () => {
  await history();
  rewrite(() => ({ data: "{" }));
  rewrite(() => ({ metadata: "{" }), 3);
  expect((await subscribed()).unreadable).toMatchObject([
    { revision: 2n, accountId: sample.accountId, at: "2026-01-01T00:00:00.000Z" },
    { revision: 3n, accountId: null, at: null },
  ]);
});

describe("an owner's damaged key", () => {
  test("makes what is personal of that owner unreadable, and nothing else", async () => {
    await history();
    await reopened();
    spoilKey(folder.path, sample.documentId);
    const { events, unreadable } = await subscribed();
    expect(placesOf(unreadable)).toEqual(["first 0", "first 2"]);
    expect(unreadable[0]?.reason).toContain("its owner's key does not open");
    expect(placesOf(events)).toEqual(["first 1", "first 3", "other 0", "other 1"]);
    await expect(all(world.journal.read(stream))).rejects.toThrow(UnreadableStreamError);
    spoilKey(folder.path, sample.documentId);
    expect(await all(world.journal.read(stream))).toHaveLength(4);
  });

  test("that a store can't be asked for is no damage: it is tried again", async () => {
    await history();
    const failing = { ...world.keys, findMany: () => Promise.reject(new Error("disk I/O error")) };
    const journal = new Journal(world.store, failing as unknown as typeof world.keys, testRuntime());
    await expect(all(journal.read(stream))).rejects.toThrow("disk I/O error");
    const batches = journal.subscribe({ signal: new AbortController().signal });
    await expect(all(batches)).rejects.toThrow("disk I/O error");
    expect(journal.unreadableStreams).toEqual([]);
  });
});

describe("an event that does not follow on the one before it", () => {
  const stored = async (): Promise<RecordedEvent[]> => all(world.store.readStream(stream));
  /** As a release did that did not authenticate events. */
  const plant = async ({ id, type, data, metadata: { mac: _mac, ...metadata } }: NewEvent, expected: bigint) =>
    world.store.append(stream, expected, [{ id, type, data, metadata }]);

  test.each([
    ["it is there twice", (events: RecordedEvent[]) => events.at(-1)],
    ["one is missing", (events: RecordedEvent[]) => events.at(1)],
  ])("is unreadable: %s", async (_what, repeated) => {
    await history();
    const again = repeated(await stored());
    if (!again) throw new Error("nothing is stored");
    await plant(again, 3n);
    await expect(all(world.journal.read(stream))).rejects.toThrow("does not follow on the event before it");
    const { unreadable } = await subscribed();
    expect(placesOf(unreadable)).toEqual(["first 4"]);
  });

  test("is noticed by a subscription that begins right before it", async () => {
    await history();
    const events = await stored();
    const [repeated, last] = [events.at(1), events.at(-1)];
    if (!repeated || !last) throw new Error("nothing is stored");
    await plant(repeated, 3n);
    const batches = world.journal.subscribe({ after: last.position, signal: new AbortController().signal });
    for await (const { unreadable, events: good } of batches) {
      expect(placesOf(unreadable)).toEqual(["first 4"]);
      expect(placesOf(good)).toEqual(["other 0", "other 1"]);
      break;
    }
  });
});

describe("what a newer version of Rubrica stored", () => {
  /** Appends an event as a newer version would: well chained, of a form that is not known here. */
  const appendNewer = async (change: (event: NewEvent) => NewEvent) => {
    const last = await world.store.readLast(stream);
    if (!last) throw new Error("no history");
    const id = "0198c1c5-2f2b-7cc0-9d52-1f0f5a4b7cff";
    const metadata = { ...last.metadata, eventId: id, previousHash: last.metadata.hash as string };
    const place = { stream, revision: last.revision + 1n, position: last.position };
    const changed = change({ id, type: last.type, data: last.data, metadata });
    const mac = macOf(await new EventAuthentication(world.keys).key(), {
      ...hashedForm({ ...changed, ...place }),
      hasPersonal: last.data.personal !== null,
    });
    const event = { ...changed, metadata: { ...changed.metadata, mac } };
    const hash = eventHash(hashedForm({ ...event, ...place }), metadata.previousHash);
    await world.store.append(stream, last.revision, [{ ...event, metadata: { ...event.metadata, hash } }]);
  };

  test("in its metadata is kept, and read", async () => {
    await history();
    await appendNewer((event) => ({ ...event, metadata: { ...event.metadata, region: "eu" } }));
    const events = await all(world.journal.read(stream));
    expect(events.at(-1)?.metadata).toMatchObject({ region: "eu", actor: "integrator" });
  });

  test.each<[string, (event: NewEvent) => NewEvent]>([
    ["a type", (event) => ({ ...event, type: "DocumentArchived" })],
    ["a version", (event) => ({ ...event, metadata: { ...event.metadata, schemaVersion: 99 } })],
    ["metadata of another form", (event) => ({ ...event, metadata: { ...event.metadata, actor: { kind: "robot" } } })],
  ])("is told as that, not as damaged: %s", async (_what, change) => {
    await history();
    await appendNewer(change);
    expect((await subscribed()).unreadable).toMatchObject([
      { revision: 4n, reason: "it is of a newer version of Rubrica" },
    ]);
    await expect(all(world.journal.read(stream))).rejects.toThrow("it is of a newer version of Rubrica");
  });
});

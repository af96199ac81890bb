import { ConflictError, type JsonObject, type NewEvent, type RecordedEvent } from "@rubrica/event-store";
import { derivedId, EventSchemaError, GENESIS_HASH, sample } from "@rubrica/events";
import { KeyDestroyedError } from "@rubrica/storage";
import { describe, expect, test } from "vitest";
import type { JournalBatch } from "../src/index.ts";
import { brokenLinkOf, contextOf, endOf, example, openWorld, otherStream, stream, type World } from "./world.ts";

const foreignId = derivedId("foreign");
const requested = example("DocumentRequested");
const rejected = example("Rejected");
const completed = example("DocumentCompleted");

/** A document's stream of two commands: requested, then rejected. */
const history = async ({ journal }: World, name = stream) => {
  const first = await journal.append(name, undefined, [requested], contextOf(`request ${name}`));
  const second = await journal.append(name, endOf(first), [rejected], contextOf(`reject ${name}`));
  return [...first, ...second];
};

describe("what is appended", () => {
  test("is read as it was given, with where, when and by whom", async () => {
    await using world = openWorld();
    const appended = await history(world);
    expect(await world.read()).toEqual(appended);
    expect(appended).toMatchObject([requested, rejected]);
    expect(appended[1]).toMatchObject({
      stream,
      streamKind: "document",
      streamId: sample.documentId,
      revision: 1n,
      metadata: { accountId: sample.accountId, actor: "integrator", at: "2026-01-01T00:00:00.000Z" },
    });
  });

  test("is read from any revision on, over many batches", async () => {
    await using world = openWorld();
    const opened = Array.from({ length: 250 }, () => example("SigningPageOpened"));
    const appended = await world.journal.append(stream, undefined, opened, contextOf("open"));
    const read = [];
    for await (const event of world.journal.read(stream, 120n)) read.push(event);
    expect(read.map(({ id }) => id)).toEqual(appended.slice(120).map(({ id }) => id));
  });

  test("is read from a former end on, unless that is not in the stream", async () => {
    await using world = openWorld();
    const { journal } = world;
    const [first, second] = await history(world);
    if (!first || !second) throw new Error("no history");
    const [end, later] = [endOf([first]), endOf([second])];
    if (!end || !later) throw new Error("no end");
    expect(await journal.readAfter(stream, end)).toEqual([second]);
    expect(await journal.readAfter(stream, later)).toEqual([]);
    expect(await journal.readAfter(stream, { ...end, hash: later.hash })).toBeUndefined();
    expect(await journal.readAfter(stream, { ...later, revision: 2n })).toBeUndefined();
    expect(await journal.readAfter(otherStream, end)).toBeUndefined();
  });

  test("is stored with nothing of its personal part in the clear", async () => {
    await using world = openWorld();
    await history(world);
    const stored = JSON.stringify(await world.stored(), (_key, value) =>
      typeof value === "bigint" ? value.toString() : value,
    );
    const open = JSON.stringify([requested.data, rejected.data]);
    const texts = (JSON.stringify([requested.personal, rejected.personal]).match(/(?<=:")[^"]{4,}(?=")/g) ?? []).filter(
      (text) => !open.includes(text),
    );
    expect(texts.length).toBeGreaterThan(5);
    expect(texts.filter((text) => stored.includes(text))).toEqual([]);
  });

  test("never goes back in time within its stream, though the clock does", async () => {
    await using world = openWorld();
    const first = await world.journal.append(stream, undefined, [requested], contextOf("a"));
    world.runtime.clock.advance(-60_000);
    const second = await world.journal.append(stream, endOf(first), [rejected], contextOf("b"));
    world.runtime.clock.advance(120_000);
    const third = await world.journal.append(stream, endOf(second), [completed], contextOf("c"));
    expect([...first, ...second, ...third].map(({ metadata }) => metadata.at)).toEqual([
      "2026-01-01T00:00:00.000Z",
      "2026-01-01T00:00:00.000Z",
      "2026-01-01T00:01:00.000Z",
    ]);
  });

  test("is chained: each event to the one before, across commands", async () => {
    await using world = openWorld();
    const appended = await world.journal.append(stream, undefined, [requested, rejected], contextOf("both"));
    await world.journal.append(stream, endOf(appended), [completed], contextOf("more"));
    const stored = await world.stored();
    expect(stored[0]?.metadata.previousHash).toBe(GENESIS_HASH);
    expect(stored.slice(1).map(({ metadata }) => metadata.previousHash)).toEqual(
      stored.slice(0, -1).map(({ metadata }) => metadata.hash),
    );
    expect(brokenLinkOf(stored)).toBeUndefined();
  });

  test.each([
    ["its data", ({ data }: RecordedEvent) => ({ data: { ...data, data: { signerId: sample.documentId } } })],
    ["its personal part", ({ data }: RecordedEvent) => ({ data: { ...data, personal: "AAAA" } })],
    ["who did it", ({ metadata }: RecordedEvent) => ({ metadata: { ...metadata, actor: "signer" } })],
    ["when", ({ metadata }: RecordedEvent) => ({ metadata: { ...metadata, at: "2026-01-01T00:00:00.001Z" } })],
  ])("can't be changed without breaking the chain: %s", async (_what, change) => {
    await using world = openWorld();
    await history(world);
    const stored = await world.stored();
    const changed = stored.map((event) => (event.revision === 1n ? { ...event, ...change(event) } : event));
    expect(brokenLinkOf(changed as RecordedEvent[])).toEqual({ revision: 1n });
  });

  test("is refused when the stream has gone on, or is no event of the catalogue", async () => {
    await using world = openWorld();
    const appended = await history(world);
    const stale = endOf(appended.slice(0, 1));
    await expect(world.journal.append(stream, stale, [completed], contextOf("late"))).rejects.toThrow(ConflictError);
    const odd = { ...completed, data: { surname: "Paz" } } as unknown as typeof completed;
    await expect(world.journal.append(stream, endOf(appended), [odd], contextOf("odd"))).rejects.toThrow(
      EventSchemaError,
    );
    expect(await world.read()).toEqual(appended);
  });

  test("by one command twice, as two processes may, conflicts: the later one's events are others", async () => {
    await using world = openWorld();
    const first = await world.journal.append(stream, undefined, [requested, rejected], contextOf("same"));
    const again = world.journal.append(stream, undefined, [requested, rejected], contextOf("same"));
    await expect(again).rejects.toThrow(ConflictError);
    const after = await world.journal.append(stream, endOf(first), [rejected], contextOf("same"));
    expect(new Set([...first, ...after].map(({ id }) => id)).size).toBe(3);
    expect(brokenLinkOf(await world.stored())).toBeUndefined();
  });

  test("once, and by an engine again because the answer was lost, is there once", async () => {
    await using world = openWorld();
    const { append } = world.store;
    world.store.append = async (...request) => {
      await append.apply(world.store, request);
      return append.apply(world.store, request);
    };
    const given = await world.journal.append(stream, undefined, [requested, rejected], contextOf("same"));
    expect(await world.read()).toMatchObject(given.map(({ id, metadata }) => ({ id, metadata })));
    expect(await world.read()).toHaveLength(given.length);
    expect(brokenLinkOf(await world.stored())).toBeUndefined();
  });
});

describe("a personal part", () => {
  /** Appends an event as it was stored, in another place or changed. */
  const plant = async (world: World, name: string, { id, type, data, metadata }: NewEvent) => {
    const end = await world.store.streamEnd(name);
    await world.store.append(name, end?.revision ?? "no_stream", [{ id, type, data, metadata }]);
  };
  const planted = async (world: World): Promise<RecordedEvent> => {
    await history(world);
    const event = (await world.stored())[1];
    if (!event) throw new Error("nothing was stored");
    return event;
  };

  test("moved to another event of the same document is refused", async () => {
    await using world = openWorld();
    const event = await planted(world);
    await plant(world, stream, { ...event, id: foreignId });
    await expect(world.read()).rejects.toThrow();
  });

  test("moved to another document is refused", async () => {
    await using world = openWorld();
    const event = await planted(world);
    await world.journal.append(otherStream, undefined, [requested], contextOf("other"));
    await plant(world, otherStream, event);
    await expect(world.read(otherStream)).rejects.toThrow();
  });

  test.each([0, 1, 20, -1])("with its byte %i changed is refused", async (place) => {
    await using world = openWorld();
    const event = await planted(world);
    const bytes = Buffer.from(String(event.data.personal), "base64url");
    const index = place < 0 ? bytes.length + place : place;
    bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
    const changed = [{ ...event, data: { ...event.data, personal: bytes.toString("base64url") } as JsonObject }];
    await expect(world.journal.restore(changed)).rejects.toThrow();
    expect(await world.journal.restore([event])).toHaveLength(1);
  });

  test("is encrypted anew each time: equal persons do not show", async () => {
    await using world = openWorld();
    const [one, other] = [await planted(world), (await history(world, otherStream))[1]];
    const [, stored] = await world.stored(otherStream);
    expect(other?.personal).toEqual(rejected.personal);
    expect(stored?.data.personal).not.toEqual(one.data.personal);
  });
});

describe("once a document's key is destroyed", () => {
  test("its persons are null, all else is there, and the chain still holds", async () => {
    await using world = openWorld();
    await history(world);
    await world.keys.destroy(sample.documentId);
    const read = await world.read();
    expect(read.map(({ type, personal }) => ({ type, personal }))).toEqual([
      { type: "DocumentRequested", personal: null },
      { type: "Rejected", personal: null },
    ]);
    expect(read.map(({ data }) => data)).toEqual([requested.data, rejected.data]);
    expect(brokenLinkOf(await world.stored())).toBeUndefined();
  });

  test("nothing personal can be added, what names no person can", async () => {
    await using world = openWorld();
    const end = endOf(await history(world));
    await world.keys.destroy(sample.documentId);
    await expect(world.journal.append(stream, end, [rejected], contextOf("again"))).rejects.toThrow(KeyDestroyedError);
    await world.journal.append(stream, end, [completed], contextOf("end"));
    expect((await world.read()).map(({ type }) => type)).toEqual([
      "DocumentRequested",
      "Rejected",
      "DocumentCompleted",
    ]);
  });

  test("other documents' persons are still there", async () => {
    await using world = openWorld();
    await history(world);
    const other = await history(world, otherStream);
    await world.keys.destroy(sample.documentId);
    expect(await world.read(otherStream)).toEqual(other);
  });
});

test("a subscription gives all streams' events from a position on, then live; streams of others are passed over", async () => {
  await using world = openWorld();
  const appended = await history(world);
  await world.store.append("metadata-x", "no_stream", [{ id: foreignId, type: "Foreign", data: {}, metadata: {} }]);
  const ending = new AbortController();
  const batches: JournalBatch[] = [];
  const subscription = world.journal.subscribe({ after: appended[0]?.position, signal: ending.signal });
  const caughtUp = Promise.withResolvers<void>();
  const following = (async () => {
    for await (const batch of subscription) {
      batches.push(batch);
      if (batch.caughtUp) caughtUp.resolve();
      if (batch.events.some((event) => event.stream === otherStream)) return;
    }
  })();
  await caughtUp.promise;
  const other = await world.journal.append(otherStream, undefined, [requested], contextOf("other"));
  await following;
  ending.abort();
  expect(batches.flatMap(({ events }) => events)).toEqual([appended[1], ...other]);
  expect(batches.at(-1)?.position).toEqual(other[0]?.position);
});

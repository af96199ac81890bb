import type { NewEvent, RecordedEvent } from "@rubrica/event-store";
import { eventHash, sample } from "@rubrica/events";
import { expect, test } from "vitest";
import { EventAuthentication, prepareAuthentication } from "../src/authentication.ts";
import { hashedForm, Journal } from "../src/index.ts";
import { contextOf, example, openWorld, stream, type World } from "./world.ts";

const completed = example("DocumentCompleted");
const requested = example("DocumentRequested");

/** Appends an event as somebody does who can write to the store alone: well chained. */
const forge = async ({ store }: World, change: (event: RecordedEvent) => Partial<NewEvent> = () => ({})) => {
  const last = await store.readLast(stream);
  if (!last) throw new Error("nothing is stored");
  const { type, data, metadata } = { ...last, ...change(last) };
  const id = "0198c1c5-2f2b-7cc0-9d52-1f0f5a4b7cff";
  const previousHash = String(last.metadata.hash);
  const place = { stream, revision: last.revision + 1n, position: last.position };
  const event = { id, type, data, metadata: { ...metadata, eventId: id, previousHash } };
  const hash = eventHash(hashedForm({ ...event, ...place }), previousHash);
  await store.append(stream, last.revision, [{ ...event, metadata: { ...event.metadata, hash } }]);
};

const withoutMac = ({ metadata: { mac: _mac, ...metadata } }: RecordedEvent) => ({ metadata });

/** A log that was empty when events began to be authenticated, with two events, the last of them without a personal part. */
const opened = async (): Promise<World> => {
  const world = openWorld();
  await prepareAuthentication(world.store, world.keys);
  await world.journal.append(stream, undefined, [requested, completed], contextOf("a"));
  return world;
};

const NOT_OURS = "it is not by this service";

test("what this service appended is read, with a MAC of 16 bytes each", async () => {
  await using world = await opened();
  expect(await world.read()).toHaveLength(2);
  for (const { metadata } of await world.stored()) expect(metadata.mac).toMatch(/^[\w-]{22}$/);
});

test.each<[string, (event: RecordedEvent) => Partial<NewEvent>]>([
  ["one that is copied", () => ({})],
  ["one without a MAC", withoutMac],
  ["one of another type", () => ({ type: "DocumentForgotten" })],
  ["one with half of a MAC", ({ metadata }) => ({ metadata: { ...metadata, mac: String(metadata.mac).slice(0, 11) } })],
  ["one with a MAC that is none", ({ metadata }) => ({ metadata: { ...metadata, mac: { mac: 1 } } })],
  ["one with an empty MAC", ({ metadata }) => ({ metadata: { ...metadata, mac: null } })],
])("an event that somebody wrote into the store is not read: %s", async (_what, change) => {
  await using world = await opened();
  await forge(world, change);
  await expect(world.read()).rejects.toThrow(NOT_OURS);
});

test("nor is one of a document whose key was destroyed, with a personal part that nobody can open", async () => {
  await using world = await opened();
  const signed = example("DocumentSigned");
  await world.keys.destroy(sample.documentId);
  expect(await world.read()).toHaveLength(2);
  const data = { data: signed.data, personal: Buffer.alloc(60, 1).toString("base64url") };
  await forge(world, () => ({ type: "DocumentSigned", data }) as unknown as NewEvent);
  await expect(world.read()).rejects.toThrow(NOT_OURS);
});

test("who takes the personal part of an event without a key away changes what is authenticated", async () => {
  await using world = await opened();
  const [first] = await world.stored();
  const stripped = { ...first, data: { ...first?.data, personal: null } } as RecordedEvent;
  const { isAuthentic } = await new EventAuthentication(world.keys).of([stripped]);
  expect([isAuthentic(first as RecordedEvent), isAuthentic(stripped)]).toEqual([true, false]);
});

test("events of a release that authenticated none are read up to where their stream ended then", async () => {
  await using world = openWorld();
  const { store, keys, runtime } = world;
  const read = async () => {
    const found = [];
    for await (const event of new Journal(store, keys, runtime).read(stream)) found.push(event);
    return found;
  };
  await world.journal.append(stream, undefined, [requested, completed], contextOf("a"));
  await forge(world, withoutMac);
  await forge(world, withoutMac);
  const stored = await world.stored();
  const noted = async (revision: bigint) => {
    const hash = String(stored[Number(revision)]?.metadata.hash);
    await keys.log.former.note("3:9f", [{ stream, revision, hash }]);
    return read();
  };
  // Nothing is known yet: a process of the former release may still append.
  expect(await world.read()).toHaveLength(4);
  expect(await noted(3n)).toHaveLength(4);
  await expect(noted(2n)).rejects.toThrow("revision 3 on: it is not by this service");
  await keys.log.former.note("3:9f", [{ stream, revision: 2n, hash: "9f".repeat(32) }]);
  await expect(read()).rejects.toThrow("revision 2 on: it is not by this service");
});

test("a log that has events is not noted as empty, nor twice", async () => {
  await using world = openWorld();
  await world.journal.append(stream, undefined, [requested], contextOf("a"));
  await prepareAuthentication(world.store, world.keys);
  expect(await world.keys.log.former.head()).toBeUndefined();
  await world.keys.log.former.note("3:9f", []);
  await using empty = openWorld();
  await empty.keys.log.former.note("3:9f", []);
  await prepareAuthentication(empty.store, empty.keys);
  expect(await empty.keys.log.former.head()).toBe("3:9f");
});

import { cancelDocument, claimTurn, correctSigner, requestDocument } from "@rubrica/domain";
import { derivedId, sample } from "@rubrica/events";
import { UnreadableStreamError } from "@rubrica/journal";
import { KeyDestroyedError } from "@rubrica/storage";
import {
  contextOf,
  documentIds,
  documentToAccept,
  lineId as lookup,
  openWorld,
  requestOf,
  signerOfDocument,
  type World,
} from "@rubrica/test-kit/commands";
import { requester } from "@rubrica/test-kit/document-history";
import { expect, test, vi } from "vitest";
import {
  acceptDocument,
  adoptFormerLines,
  eraseDocument,
  giveLine,
  releaseTurnIfDue,
  takeOffNeverRequested,
} from "../src/index.ts";

const { first, second } = documentIds;
const HOUR_MS = 60 * 60 * 1000;

const accept = (world: World, documentId: string) =>
  acceptDocument(world, documentToAccept(documentId, Buffer.from("%PDF-1.7")), contextOf(documentId));

const end = ({ handlers }: World, documentId: string) =>
  handlers.documents.handle(documentId, cancelDocument, { by: requester, text: null }, contextOf(`end ${documentId}`));

const erase = (world: World, documentId: string) =>
  eraseDocument(
    { ...world, customIdHmac: () => sample.sha256 },
    documentId,
    "requested",
    contextOf(`erase ${documentId}`),
  );

const lineOf = async ({ handlers }: World, documentId: string) => {
  const document = await handlers.documents.load(documentId);
  if (document.status === "none") throw new Error("nobody requested it");
  return document.signers[0]?.lineId;
};

test("a phone's documents have one line while one of them is open, of which the phone says nothing", async () => {
  await using world = openWorld();
  await accept(world, first);
  await accept(world, second);
  const line = await lineOf(world, first);
  expect(line).toMatch(/^[0-9a-f]{64}$/);
  expect(line).not.toBe(lookup);
  expect(await lineOf(world, second)).toBe(line);
  await end(world, first);
  expect(await giveLine(world, lookup, derivedId("third"))).toBe(line);
});

test("once all of them have ended, the phone's next document has another line, and theirs is forgotten", async () => {
  await using world = openWorld();
  await accept(world, first);
  await accept(world, second);
  for (const documentId of [first, second]) await end(world, documentId);
  const third = derivedId("third");
  await accept(world, third);
  expect(await lineOf(world, third)).not.toBe(await lineOf(world, first));
  expect(await world.keys.lines.find(lookup)).toMatchObject({ line: await lineOf(world, third), owner: third });
  expect(await world.keys.lines.lookupsOf(first)).toEqual([]);
});

test("erasing its last open document leaves nothing of a phone, whatever others of it have ended", async () => {
  await using world = openWorld();
  await accept(world, first);
  await accept(world, second);
  await end(world, first);
  await erase(world, second);
  expect(await world.keys.lines.find(lookup)).toBeUndefined();
});

test("erasing one leaves the line to those that are open", async () => {
  await using world = openWorld();
  await accept(world, first);
  await accept(world, second);
  const line = await lineOf(world, first);
  await erase(world, first);
  expect(await world.keys.lines.find(lookup)).toMatchObject({ line, owner: second });
});

test("who is given a line and never requested has it for an hour", async () => {
  await using world = openWorld();
  const line = await giveLine(world, lookup, first);
  world.runtime.clock.advance(HOUR_MS - 1);
  expect(await giveLine(world, lookup, second)).toBe(line);
  world.runtime.clock.advance(HOUR_MS);
  expect(await giveLine(world, lookup, derivedId("third"))).not.toBe(line);
});

test("whose request is made again keeps the line for another hour, and is not taken off by who looked before", async () => {
  await using world = openWorld();
  const { clock } = world.runtime;
  const line = await giveLine(world, lookup, first);
  clock.advance(2 * HOUR_MS);
  const load = vi.spyOn(world.handlers.documents, "load");
  const { promise, resolve } = Promise.withResolvers<{ status: "none" }>();
  load.mockReturnValueOnce(promise);
  const other = giveLine(world, lookup, second);
  await vi.waitFor(() => expect(load).toHaveBeenCalled());
  expect(await giveLine(world, lookup, first)).toBe(line);
  resolve({ status: "none" });
  expect(await other).toBe(line);
  await world.keys.lines.take(lookup, second);
  clock.advance(HOUR_MS - 1);
  expect(await giveLine(world, lookup, second)).toBe(line);
});

test("a document that can't be read keeps its line, and holds up no other of the phone", async () => {
  await using world = openWorld();
  await accept(world, first);
  await accept(world, second);
  const line = await lineOf(world, first);
  await end(world, first);
  await releaseTurnIfDue(world.handlers, first, signerOfDocument(first), contextOf("release"));
  const { documents } = world.handlers;
  const load = documents.load.bind(documents);
  const event = { stream: `document-${first}`, revision: 0n, reason: "its key is damaged" };
  vi.spyOn(documents, "load").mockImplementation(async (id) => {
    if (id === first) throw new UnreadableStreamError(event);
    return load(id);
  });
  const third = derivedId("third");
  await accept(world, third);
  expect(await lineOf(world, third)).toBe(line);
  for (const documentId of [second, third]) await erase(world, documentId);
  expect(await world.keys.find(second)).toBeUndefined();
  expect(await world.keys.lines.find(lookup)).toMatchObject({ line, owner: first });
});

test("who was never requested is taken off in time, also where the phone has no other document; nobody else is", async () => {
  await using world = openWorld();
  const { clock } = world.runtime;
  await accept(world, first);
  await giveLine(world, lookup, second);
  await giveLine(world, "another phone", second);
  const day = 24 * HOUR_MS;
  const { signal } = new AbortController();
  const stores = { ...world, events: world.journal.store };
  const linesLeft = async (withinMs: number) => {
    await takeOffNeverRequested(stores, withinMs, signal);
    return (await world.keys.lines.lookupsOf(second)).length;
  };
  expect(await linesLeft(day)).toBe(2);
  clock.advance(2 * day);
  expect(await linesLeft(day)).toBe(2);
  expect(await linesLeft(3 * day)).toBe(0);
  expect(await world.keys.lines.find(lookup)).toMatchObject({ owner: first });
  expect(await world.keys.lines.find("another phone")).toBeUndefined();
});

test("a document that is erased is given no line", async () => {
  await using world = openWorld();
  await accept(world, first);
  await erase(world, first);
  await expect(giveLine(world, lookup, first)).rejects.toThrow(KeyDestroyedError);
  expect(await world.keys.lines.find(lookup)).toBeUndefined();
});

test("a line that is named as before, by what it is looked up by, is gone on with while somebody is on it", async () => {
  await using world = openWorld();
  const { documents, lines } = world.handlers;
  await documents.handle(first, requestDocument, requestOf(first), contextOf("request"));
  const claim = { documentId: first, signerId: signerOfDocument(first) };
  await lines.handle(lookup, claimTurn, claim, contextOf("claim"));
  const { turns } = await accept(world, second);
  expect(turns).toMatchObject([{ queued: true, behindDocumentId: first }]);
  expect(await lineOf(world, second)).toBe(lookup);
});

test("where a document can't be read, the phone's next one waits behind it", async () => {
  await using world = openWorld();
  await accept(world, first);
  const { documents } = world.handlers;
  const { load } = documents;
  const damaged = new UnreadableStreamError({ stream: `document-${first}`, revision: 1n, reason: "it is damaged" });
  vi.spyOn(documents, "load").mockImplementation((id) =>
    id === first ? Promise.reject(damaged) : load.call(documents, id),
  );
  const { turns } = await accept(world, second);
  expect(turns).toMatchObject([{ queued: true, behindDocumentId: first }]);
  expect(await world.keys.lines.find(lookup)).toMatchObject({ owner: first });
});

test("who is to be on a line that is named as before is found by the events, once, unless their document has ended", async () => {
  await using world = openWorld();
  const { documents } = world.handlers;
  const third = derivedId("third");
  const other = "bb".repeat(32);
  for (const documentId of [first, second, third])
    await documents.handle(documentId, requestDocument, requestOf(documentId), contextOf(documentId));
  await end(world, second);
  const correction = { signerId: signerOfDocument(third), correctionId: derivedId("correction") };
  const corrected = { ...correction, person: { phone: "5491199998888" }, lineId: other, by: requester };
  await documents.handle(third, correctSigner, { ...corrected, now: world.runtime.clock.now() }, contextOf("correct"));
  for (const _time of [1, 2]) await adoptFormerLines(world.journal.store, world.keys);
  expect(await world.keys.lines.lookupsOf(first)).toEqual([lookup]);
  expect(await world.keys.lines.lookupsOf(second)).toEqual([]);
  expect([...(await world.keys.lines.lookupsOf(third))].sort()).toEqual([lookup, other]);
  expect(await giveLine(world, lookup, derivedId("next"))).toBe(lookup);
  const later = derivedId("later");
  await documents.handle(later, requestDocument, requestOf(later), contextOf("later"));
  await adoptFormerLines(world.journal.store, world.keys);
  expect(await world.keys.lines.lookupsOf(later)).toEqual([]);
});

test("however many documents have ended, few of them are looked at by one request", async () => {
  await using world = openWorld();
  const ended = Array.from({ length: 20 }, (_, number) => derivedId("ended", String(number)));
  for (const documentId of ended) await accept(world, documentId);
  for (const documentId of ended) await end(world, documentId);
  world.handlers.documents.evict();
  const load = vi.spyOn(world.handlers.documents, "load");
  await giveLine(world, lookup, first);
  expect(load.mock.calls.length).toBeLessThan(10);
});

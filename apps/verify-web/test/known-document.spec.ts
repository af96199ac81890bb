import { hash } from "node:crypto";
import { recordAugmented, recordSealed, requestDocument, sign } from "@rubrica/domain";
import type { RecordedEvent } from "@rubrica/event-store";
import { demoAccountId, eventHash, GENESIS_HASH, leafOf, sample, streamName } from "@rubrica/events";
import { hashedForm } from "@rubrica/journal";
import type { ReadModelStore } from "@rubrica/read-models";
import type { KnownEnd, KnownHead } from "@rubrica/storage";
import { contextOf, documentIds, openWorld, requestOf, signerOfDocument } from "@rubrica/test-kit/commands";
import { signing } from "@rubrica/test-kit/document-history";
import { expect, test } from "vitest";
import { findKnownDocument } from "../src/known-document.ts";

const documentId = documentIds.first;
const fileOf = (bytes: Uint8Array) => ({ ...sample.pdf, size: bytes.length, sha256: hash("sha256", bytes) });
const sealed = Buffer.from("%PDF sealed");
const augmented = Buffer.from("%PDF sealed, and validation data");

/** Where the read model leads to the document, whatever file is shown. */
const readModels = { get: async () => ({ document: { documentId }, position: "" }) } as unknown as ReadModelStore;

const openSealed = async () => {
  const world = openWorld();
  const { documents } = world.handlers;
  await documents.handle(documentId, requestDocument, requestOf(documentId), contextOf("request"));
  await documents.handle(documentId, sign, signing(signerOfDocument(documentId)), contextOf("sign"));
  const seal = { file: fileOf(sealed), certificateSha256: sample.sha256, ownAuthority: false, timestamp: null };
  const reached = { level: "B-B" as const, shortfall: "no timestamp authority gave a timestamp", toComplete: true };
  const command = { ...seal, ...reached, sendCopies: false, provenUntil: null };
  await documents.handle(documentId, recordSealed, command, contextOf("seal"));
  const [ends, newestEnds] = [new Map<string, KnownEnd>(), new Map<string, KnownEnd>()];
  const first = { end: async (stream: string) => ends.get(stream) } as KnownHead;
  const records = {
    events: world.journal.store,
    readModels,
    freshness: { waitFor: async () => true },
    known: { first, end: async (stream: string) => newestEnds.get(stream) },
  };
  const look = async (bytes: Uint8Array) =>
    (await findKnownDocument(records, { bytes, sha256: hash("sha256", bytes) })).record;
  const find = async (bytes: Uint8Array) => (await look(bytes))?.document ?? null;
  return { ...world, records, ends, newestEnds, look, find };
};

const augment = async (
  { handlers, runtime }: Awaited<ReturnType<typeof openSealed>>,
  bytes: Uint8Array,
  from: Uint8Array = sealed,
) => {
  runtime.clock.advance(86_400_000);
  const command = {
    from: fileOf(from).sha256,
    kind: from === sealed ? ("complete" as const) : ("renew" as const),
    file: fileOf(bytes),
    level: "B-LTA" as const,
    shortfall: null,
    toComplete: false,
    timestamp: { at: sample.at, authority: "CN=Acme TSA" },
    provenUntil: sample.at,
  };
  await handlers.documents.handle(documentId, recordAugmented, command, contextOf("augment"));
};

test("a document is known by its sealed file and by the one that it was augmented to, each at its level", async () => {
  await using world = await openSealed();
  const first = await world.find(sealed);
  expect(first).toMatchObject({ documentId, level: "B-B", ownAuthority: false, chainIntact: true });
  expect(await world.find(augmented)).toBeNull();
  await augment(world, augmented);
  expect(await world.find(sealed)).toEqual(first);
  expect(await world.find(augmented)).toEqual({ ...first, level: "B-LTA" });
  expect(await world.find(Buffer.from("%PDF"))).toBeNull();
});

test("a document that is requested once more in its events was tampered with, and stays the demo account's", async () => {
  await using world = await openSealed();
  const stored: RecordedEvent[] = [];
  for await (const event of world.journal.store.readStream(streamName("document", documentId))) stored.push(event);
  const [first] = stored;
  if (!first) throw new Error("nothing is stored");
  const ofDemo = {
    ...first,
    data: { ...first.data, data: { ...(first.data.data as object), accountId: demoAccountId } },
  };
  const look = async (events: readonly RecordedEvent[]) => {
    let previousHash = GENESIS_HASH;
    const chained = events.map((event, index) => {
      const next = { ...event, revision: BigInt(index), metadata: { ...event.metadata, previousHash } };
      previousHash = eventHash(hashedForm(next), previousHash);
      return { ...next, metadata: { ...next.metadata, hash: previousHash } };
    });
    const readStream = async function* () {
      yield* chained;
    };
    const records = { ...world.records, events: { ...world.records.events, readStream } };
    return (await findKnownDocument(records, { bytes: sealed, sha256: hash("sha256", sealed) })).record?.document;
  };
  expect(await look([ofDemo, ...stored.slice(1)])).toMatchObject({ chainIntact: true, demo: true });
  expect(await look([ofDemo, ...stored.slice(1), first])).toMatchObject({ chainIntact: false, demo: true });
});

test("the event of a seal is in the first head where its stream came so far by it, and is the same to there", async () => {
  await using world = await openSealed();
  const stream = streamName("document", documentId);
  const leaves: KnownEnd[] = [];
  for await (const event of world.journal.store.readStream(stream)) leaves.push(leafOf(event));
  const inHead = async (end: KnownEnd | undefined, file = sealed) => {
    if (end) world.ends.set(stream, end);
    return (await world.find(file))?.inFirstHead;
  };
  const [before, seal] = leaves.slice(-2) as [KnownEnd, KnownEnd];
  expect(await inHead(undefined)).toBe(false);
  expect(await inHead(before)).toBe(false);
  expect(await inHead(seal)).toBe(true);
  expect(await inHead({ ...seal, hash: "00".repeat(32) })).toBe(false);
  expect(await inHead({ ...seal, revision: seal.revision + 1n })).toBe(false);
  // What was appended since is of it where the file begins with what was sealed then, and is not where another seal does.
  await augment(world, augmented);
  expect(await inHead(seal, augmented)).toBe(true);
  await augment(world, Buffer.from("%PDF another"), augmented);
  expect(await inHead(seal, Buffer.from("%PDF another"))).toBe(false);
});

test("a chain that does not hold what the newest head is over was computed anew, or cut", async () => {
  await using world = await openSealed();
  const stream = streamName("document", documentId);
  const leaves: KnownEnd[] = [];
  for await (const event of world.journal.store.readStream(stream)) leaves.push(leafOf(event));
  const [before, seal] = leaves.slice(-2) as [KnownEnd, KnownEnd];
  const intact = async (end: KnownEnd) => {
    world.newestEnds.set(stream, end);
    return (await world.find(sealed))?.chainIntact;
  };
  expect(await intact(before)).toBe(true);
  expect(await intact(seal)).toBe(true);
  expect(await intact({ ...seal, hash: "00".repeat(32) })).toBe(false);
  expect(await intact({ ...before, hash: "00".repeat(32) })).toBe(false);
  expect(await intact({ ...seal, revision: seal.revision + 1n })).toBe(false);
});

test("of a file that no event names it is told whether the events hold, and whether it begins with one that they name", async () => {
  await using world = await openSealed();
  const stream = streamName("document", documentId);
  const leaves: KnownEnd[] = [];
  for await (const event of world.journal.store.readStream(stream)) leaves.push(leafOf(event));
  const end = leaves.at(-1) as KnownEnd;
  const [longer, shorter] = [Buffer.concat([sealed, Buffer.from(" and more")]), sealed.subarray(0, -1)];
  expect(await world.look(longer)).toEqual({ document: null, chainIntact: true, beginsAsNamed: true });
  expect(await world.look(shorter)).toEqual({ document: null, chainIntact: true, beginsAsNamed: false });
  world.newestEnds.set(stream, { ...end, revision: end.revision + 1n });
  expect(await world.look(shorter)).toEqual({ document: null, chainIntact: false, beginsAsNamed: false });
});

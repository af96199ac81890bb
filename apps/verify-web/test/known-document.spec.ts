import { recordAugmented, recordSealed, requestDocument, sign } from "@rubrica/domain";
import { leafOf, sample, streamName } from "@rubrica/events";
import type { ReadModelStore } from "@rubrica/read-models";
import type { KnownEnd } from "@rubrica/storage";
import { contextOf, documentIds, openWorld, requestOf, signerOfDocument } from "@rubrica/test-kit/commands";
import { signing } from "@rubrica/test-kit/document-history";
import { expect, test } from "vitest";
import { findKnownDocument } from "../src/known-document.ts";

const documentId = documentIds.first;
const sealedFile = { ...sample.pdf, sha256: "5e".repeat(32) };
const augmentedFile = { ...sample.pdf, sha256: "a6".repeat(32) };

/** Where the read model leads to the document, whatever file is shown. */
const readModels = { get: async () => ({ document: { documentId }, position: "" }) } as unknown as ReadModelStore;

const openSealed = async () => {
  const world = openWorld();
  const { documents } = world.handlers;
  await documents.handle(documentId, requestDocument, requestOf(documentId), contextOf("request"));
  await documents.handle(documentId, sign, signing(signerOfDocument(documentId)), contextOf("sign"));
  const seal = { file: sealedFile, certificateSha256: sample.sha256, ownAuthority: false, timestamp: null };
  const reached = { level: "B-B" as const, shortfall: "no timestamp authority gave a timestamp", toComplete: true };
  const command = { ...seal, ...reached, sendCopies: false, provenUntil: null };
  await documents.handle(documentId, recordSealed, command, contextOf("seal"));
  const ends = new Map<string, KnownEnd>();
  const known = { end: async (stream: string) => ends.get(stream) };
  const records = { events: world.journal.store, readModels, freshness: { waitFor: async () => true }, known };
  return { ...world, ends, find: async (sha256: string) => (await findKnownDocument(records, sha256)).document };
};

test("a document is known by its sealed file and by the one that it was augmented to, each at its level", async () => {
  await using world = await openSealed();
  const first = await world.find(sealedFile.sha256);
  expect(first).toMatchObject({ documentId, level: "B-B", ownAuthority: false, chainIntact: true });
  expect(await world.find(augmentedFile.sha256)).toBeNull();
  world.runtime.clock.advance(86_400_000);
  const augmented = {
    from: sealedFile.sha256,
    kind: "complete" as const,
    file: augmentedFile,
    level: "B-LTA" as const,
    shortfall: null,
    toComplete: false,
    timestamp: { at: sample.at, authority: "CN=Acme TSA" },
    provenUntil: sample.at,
  };
  await world.handlers.documents.handle(documentId, recordAugmented, augmented, contextOf("augment"));
  expect(await world.find(sealedFile.sha256)).toEqual(first);
  expect(await world.find(augmentedFile.sha256)).toEqual({ ...first, level: "B-LTA" });
  expect(await world.find("00".repeat(32))).toBeNull();
});

test("the event of a file stands in a head where its stream came so far by one, and is the same to there", async () => {
  await using world = await openSealed();
  const stream = streamName("document", documentId);
  const leaves: KnownEnd[] = [];
  for await (const event of world.journal.store.readStream(stream)) leaves.push(leafOf(event));
  const inHead = async (end: KnownEnd | undefined) => {
    if (end) world.ends.set(stream, end);
    return (await world.find(sealedFile.sha256))?.inHead;
  };
  const [before, seal] = leaves.slice(-2) as [KnownEnd, KnownEnd];
  expect(await inHead(undefined)).toBe(false);
  expect(await inHead(before)).toBe(false);
  expect(await inHead(seal)).toBe(true);
  expect(await inHead({ ...seal, hash: "00".repeat(32) })).toBe(false);
  expect(await inHead({ ...seal, revision: seal.revision + 1n })).toBe(false);
});

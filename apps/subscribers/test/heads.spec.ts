import { evolveHeadsObligations, type HeadsObligationsRecord, requestDocument, requestHead } from "@rubrica/domain";
import { HEADS_ID, NOBODYS_ACCOUNT, statementBytes, statementOf } from "@rubrica/events";
import { checkStatement, loadOrCreateSigningIdentity } from "@rubrica/pdf";
import { temporaryFolder } from "@rubrica/test-kit";
import { contextOf, documentIds, openWorld, requestOf } from "@rubrica/test-kit/commands";
import { expect, test, vi } from "vitest";
import { headSubscriber, newestHeadOf } from "../src/heads.ts";

/** A log that a document was requested in, and its subscriber to heads. */
const opened = async () => {
  const world = openWorld();
  using folder = temporaryFolder();
  const { runtime, journal, handlers, keys } = world;
  const identity = await loadOrCreateSigningIdentity(folder.path, "http://localhost", runtime.clock, runtime.random);
  const roots = [...identity.issuers];
  const stores = { keys, handlers, events: journal.store };
  const { meet } = headSubscriber({ runtime, identity, roots, timestamps: undefined, ...stores });
  const request = (documentId: string) =>
    handlers.documents.handle(documentId, requestDocument, requestOf(documentId), contextOf(documentId));
  await request(documentIds.first);
  const owed = async () => {
    const recorded = [];
    for await (const event of journal.store.readAll()) recorded.push(event);
    const events = await journal.restore(recorded);
    return events.reduce<HeadsObligationsRecord | null>(evolveHeadsObligations, null)?.open ?? [];
  };
  return {
    ...world,
    identity,
    request,
    owed,
    async meet() {
      for (const obligation of await owed()) await meet({ obligation, headsId: HEADS_ID, accountId: NOBODYS_ACCOUNT });
    },
    heads: async () => (await world.eventsOf("heads", HEADS_ID)).filter(({ type }) => type === "HeadsCommitted"),
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
    },
  };
};

test("a change obliges to commit a head, which closes it", async () => {
  await using log = await opened();
  await log.meet();
  expect(await log.heads()).toHaveLength(1);
  expect(await log.owed()).toEqual([]);
  await log.request(documentIds.second);
  await log.meet();
  expect(await log.heads()).toHaveLength(2);
});

test("it is signed with the certificate that seals", async () => {
  await using log = await opened();
  await log.meet();
  const { newest } = await log.handlers.heads.load(HEADS_ID);
  if (!newest) throw new Error("no head");
  const cms = Buffer.from(newest.signature, "base64");
  const named = { kind: "head", id: newest.root } as const;
  expect(checkStatement(statementBytes(statementOf(newest)), named, cms, [...log.identity.issuers])).toEqual({
    certificateSha256: newest.certificateSha256,
    trusted: true,
    timestampedAt: null,
  });
});

test("the newest is told, and the one that is known beside the keys where another stands in the log", async () => {
  await using log = await opened();
  const { handlers, keys, runtime } = log;
  const told = () => newestHeadOf(handlers, keys.log, runtime.clock)();
  expect(await told()).toBeNull();
  await log.meet();
  const { newest } = await handlers.heads.load(HEADS_ID);
  if (!newest) throw new Error("no head");
  const { size, root } = newest;
  expect(await told()).toEqual({ size, root });
  vi.spyOn(handlers.heads, "load").mockResolvedValue({ newest: { ...newest, size: 9 } } as never);
  expect(await told()).toEqual({ size, root });
});

test("met again, it commits nothing more", async () => {
  await using log = await opened();
  const [obligation] = await log.owed();
  if (!obligation) throw new Error("nothing is owed");
  await log.meet();
  await log.meet();
  expect(await log.heads()).toHaveLength(1);
});

test("one that is asked for is committed though nothing else changed", async () => {
  await using log = await opened();
  await log.meet();
  await log.handlers.heads.handle(HEADS_ID, requestHead, {}, contextOf("asked"));
  await log.meet();
  expect(await log.heads()).toHaveLength(2);
  expect(await log.owed()).toEqual([]);
});

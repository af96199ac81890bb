import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { acceptDocument, eraseDocument } from "@rubrica/commands";
import { sign } from "@rubrica/domain";
import { sample } from "@rubrica/events";
import { createPdfEngine, loadOrCreateSigningIdentity, type PdfEngine, type SigningIdentity } from "@rubrica/pdf";
import { type Clock, systemRandom } from "@rubrica/runtime";
import { contextOf, documentIds, documentToAccept, openWorld, signerOfDocument } from "@rubrica/test-kit/commands";
import { signing } from "@rubrica/test-kit/document-history";
import { impatient } from "@rubrica/test-kit/pdf/clocks";
import { pdf, stampOf } from "@rubrica/test-kit/pdf/fixtures";
import { VirtualAuthority } from "@rubrica/test-kit/pdf/virtual-authority";
import { startWebServer, type WebServer } from "@rubrica/test-kit/pdf/web-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { augmentingSubscribers } from "../src/augmenting.ts";
import { sealingSubscriber } from "../src/sealing.ts";
import { owedIn } from "./owed.ts";

const documentId = documentIds.first;
const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
const START = Date.UTC(2011, 0, 3, 9);

let now = START;
const clock: Clock = { ...impatient(), now: () => now };
const folder = mkdtempSync(join(tmpdir(), "rubrica-augmenting-"));
let engine: PdfEngine;
let web: WebServer;
let identity: SigningIdentity;
let opened = 0;

beforeAll(async () => {
  engine = createPdfEngine({ clock, processes: 1 });
  web = await startWebServer();
  identity = await loadOrCreateSigningIdentity(folder, "http://localhost:3000", clock, systemRandom);
});
afterAll(async () => {
  await engine.close();
  await web.close();
  rmSync(folder, { recursive: true });
});

/** A document that its signer signed, an authority for timestamps, and the subscribers that seal and augment. */
const openSigned = async ({ renewTimestamps = true } = {}) => {
  now = START;
  const world = openWorld(START);
  const { handlers, files, journal } = world;
  const authority = new VirtualAuthority(`authority-${opened++}`, web, () => now, 60);
  const roll = (generation: number) => authority.roll(generation, { from: now - DAY_MS, to: now + 4 * YEAR_MS });
  roll(0);
  const page = web.pages.get(new URL(authority.url).pathname);
  if (!page) throw new Error("the authority has no page");
  const answers = (does: boolean) => {
    if (does) web.pages.set(new URL(authority.url).pathname, page);
    else web.pages.delete(new URL(authority.url).pathname);
  };
  const toAccept = documentToAccept(documentId, Buffer.from(pdf()), { pageCount: 1 });
  await acceptDocument(world, toAccept, contextOf("accept"));
  const drawing = await files.put(documentId, stampOf().drawing, "image/png");
  const document = await handlers.documents.load(documentId);
  if (document.status !== "pending") throw new Error("the document is not pending");
  const { sha256: documentSha256 } = document.file;
  const signature = { ...signing(signerOfDocument(documentId)), documentSha256, drawing };
  await handlers.documents.handle(documentId, sign, signature, contextOf("sign"));
  const dependencies = {
    handlers,
    files,
    pdf: engine,
    identity,
    timestamps: { urls: [authority.url] },
    signedCopies: false,
    renewTimestamps,
    runtime: { ...world.runtime, clock },
  };
  const subscribersOf = (other: Partial<typeof dependencies>) => {
    const all = { ...dependencies, ...other };
    return [sealingSubscriber(all), ...augmentingSubscribers(all)];
  };
  /** What is owed of the seal, due or not. */
  const owed = async () =>
    (await owedIn(journal)).filter(({ obligation: { kind } }) =>
      ["seal", "complete-seal", "renew-timestamp"].includes(kind),
    );
  /** Waits until what is owed is due, and meets it, once. */
  const meetNext = async (other: Partial<typeof dependencies> = {}): Promise<void> => {
    const [published] = await owed();
    if (!published) throw new Error("nothing is owed of the seal");
    now = Math.max(now, Date.parse(published.obligation.dueAt));
    // The journal's own clock gives events their times.
    world.runtime.clock.advance(now - world.runtime.clock.now());
    await subscribersOf(other)
      .find(({ kind }) => kind === published.obligation.kind)
      ?.meet(published);
  };
  const outcomes = async () =>
    (await world.eventsOf("document", documentId))
      .filter(({ type }) => type.startsWith("Seal") || type === "DocumentSealed")
      .map(({ type, data }) => ({ type, data }));
  const sealedBytes = async () => {
    const found = await handlers.documents.load(documentId);
    if (found.status !== "completed" || !found.seal) throw new Error("the document is not sealed");
    return files.get(documentId, found.seal.file.sha256);
  };
  return {
    ...world,
    roll,
    answers,
    owed,
    meetNext,
    outcomes,
    sealedBytes,
    subscribersOf,
    timestampRoots: [authority.root],
  };
};

const expectAppended = (after: Uint8Array, before: Uint8Array): void => {
  expect(after.length).toBeGreaterThan(before.length);
  expect(Buffer.from(after.subarray(0, before.length)).equals(before)).toBe(true);
};

test("a seal is renewed before what proves it ends, for fifteen years", async () => {
  await using signed = await openSigned();
  await signed.meetNext();
  expect(await signed.outcomes()).toMatchObject([
    { type: "DocumentSealed", data: { level: "B-LTA", toComplete: false, provenUntil: expect.any(String) } },
  ]);
  let renewals = 0;
  while (now < START + 15 * YEAR_MS) {
    const [{ obligation } = expect.fail("nothing is owed"), ...others] = await signed.owed();
    expect([obligation.kind, others]).toEqual(["renew-timestamp", []]);
    now = Date.parse(obligation.dueAt);
    signed.roll(++renewals);
    const before = await signed.sealedBytes();
    await signed.meetNext();
    expectAppended(await signed.sealedBytes(), before);
    expect(now).toBeLessThan(Date.parse(obligation.dueAt) + DAY_MS);
  }
  expect(renewals).toBe(4);
  const renewed = { type: "SealAugmented", data: { kind: "renew", level: "B-LTA", toComplete: false } };
  expect((await signed.outcomes()).slice(1)).toMatchObject(Array.from({ length: renewals }, () => renewed));
  const root = identity.issuers.at(-1) ?? new Uint8Array();
  expect(
    await engine.verify(await signed.sealedBytes(), [root], "", { timestampRoots: signed.timestampRoots }),
  ).toMatchObject({ untouched: true });
});

test("an outage of the authority holds the seal up for four attempts, and is made up later", async () => {
  await using signed = await openSigned();
  signed.answers(false);
  for (let attempt = 1; attempt < 5; attempt += 1) await expect(signed.meetNext()).rejects.toThrow("timestamp");
  await signed.meetNext();
  const held = await signed.outcomes();
  expect(held.slice(0, 4)).toMatchObject(Array.from({ length: 4 }, () => ({ type: "SealingFailed" })));
  expect(held.slice(4)).toMatchObject([
    {
      type: "DocumentSealed",
      data: { level: "B-B", timestamp: null, toComplete: true, shortfall: expect.stringContaining("timestamp") },
    },
  ]);
  const givenOut = await signed.sealedBytes();
  await expect(signed.meetNext()).rejects.toThrow("timestamp");
  expect((await signed.owed())[0]?.obligation).toMatchObject({ attempts: 1, reason: "timestamp_unavailable" });
  signed.answers(true);
  const [completing] = await signed.owed();
  if (!completing) throw new Error("the completion is owed no more");
  await signed.meetNext();
  expectAppended(await signed.sealedBytes(), givenOut);
  expect((await signed.outcomes()).slice(5)).toMatchObject([
    { type: "SealAugmentationFailed", data: { kind: "complete", attempt: 1 } },
    { type: "SealAugmented", data: { kind: "complete", level: "B-LTA", shortfall: null, toComplete: false } },
  ]);
  const [renewal] = await signed.owed();
  expect(renewal?.obligation.kind).toBe("renew-timestamp");
  // What completed it comes once more, years late: it renews nothing.
  now = Date.parse(renewal?.obligation.dueAt ?? "");
  await signed
    .subscribersOf({})
    .find(({ kind }) => kind === "complete-seal")
    ?.meet(completing);
  expect(await signed.outcomes()).toHaveLength(7);
});

test("without renewal, sealing waits for its timestamp, and owes nothing afterwards", async () => {
  await using signed = await openSigned({ renewTimestamps: false });
  signed.answers(false);
  for (let attempt = 1; attempt < 7; attempt += 1) await expect(signed.meetNext()).rejects.toThrow("timestamp");
  signed.answers(true);
  await signed.meetNext();
  expect(await signed.owed()).toEqual([]);
  expect((await signed.outcomes()).at(-1)).toMatchObject({ data: { level: "B-LTA", provenUntil: null } });
});

test("cut between the file and its event, or met twice at once, a seal is renewed once", async () => {
  await using signed = await openSigned();
  await signed.meetNext();
  const { documents } = signed.handlers;
  const cut = {
    ...signed.handlers,
    documents: {
      ...documents,
      load: documents.load.bind(documents),
      handle: () => Promise.reject(new Error("killed")),
    },
  };
  const handlers = cut as unknown as typeof signed.handlers;
  await expect(signed.meetNext({ handlers })).rejects.toThrow("killed");
  expect(await signed.outcomes()).toHaveLength(1);
  const [published] = await signed.owed();
  if (!published) throw new Error("the renewal is owed no more");
  const renewing = () => signed.subscribersOf({}).find(({ kind }) => kind === "renew-timestamp");
  await Promise.all([renewing()?.meet(published), renewing()?.meet(published)]);
  await renewing()?.meet(published);
  expect((await signed.outcomes()).slice(1)).toMatchObject([{ type: "SealAugmented" }]);
});

test("a seal that could not be recorded is no failure of sealing: it is made again", async () => {
  await using signed = await openSigned();
  const { documents } = signed.handlers;
  let calls = 0;
  const handlers = {
    ...signed.handlers,
    documents: {
      load: documents.load.bind(documents),
      handle: (...given: Parameters<typeof documents.handle>) => {
        calls += 1;
        return calls === 1 ? Promise.reject(new Error("the store is away")) : documents.handle(...given);
      },
    },
  } as unknown as typeof signed.handlers;
  await expect(signed.meetNext({ handlers })).rejects.toThrow("the store is away");
  expect(await signed.outcomes()).toEqual([]);
  await signed.meetNext({ handlers });
  expect(await signed.outcomes()).toMatchObject([{ type: "DocumentSealed" }]);
});

test("a renewal that is published before its time waits for it", async () => {
  await using signed = await openSigned();
  await signed.meetNext();
  const [published] = await signed.owed();
  if (!published) throw new Error("no renewal is owed");
  await signed
    .subscribersOf({})
    .find(({ kind }) => kind === "renew-timestamp")
    ?.meet(published);
  expect(await signed.outcomes()).toHaveLength(1);
});

test("a document that was erased is left alone, also while it is augmented", async () => {
  await using signed = await openSigned();
  await signed.meetNext();
  const [published] = await signed.owed();
  if (!published) throw new Error("no renewal is owed");
  now = Date.parse(published.obligation.dueAt);
  const stores = { ...signed, customIdHmac: () => sample.sha256 };
  const erase = () => eraseDocument(stores, documentId, "requested", contextOf("erase"));
  const erasing: PdfEngine = {
    ...engine,
    augment: async (...given) => {
      const augmented = await engine.augment(...given);
      await erase();
      return augmented;
    },
  };
  const meeting = signed.subscribersOf({ pdf: erasing }).find(({ kind }) => kind === "renew-timestamp");
  await meeting?.meet(published).catch(() => undefined);
  await meeting?.meet(published);
  expect(await signed.outcomes()).toHaveLength(1);
  expect(await signed.owed()).toEqual([]);
});

test("what was switched off, or came too late, is said", async () => {
  await using signed = await openSigned();
  await signed.meetNext();
  await expect(signed.meetNext({ renewTimestamps: false })).rejects.toThrow("switched_off");
  now += YEAR_MS;
  await expect(signed.meetNext()).rejects.toThrow("timestamp_ended");
  expect((await signed.outcomes()).slice(1)).toMatchObject([
    { type: "SealAugmentationFailed", data: { reason: "switched_off", nextAttemptAt: expect.any(String) } },
    { type: "SealAugmentationFailed", data: { reason: "timestamp_ended", nextAttemptAt: null } },
  ]);
  expect(await signed.owed()).toEqual([]);
});

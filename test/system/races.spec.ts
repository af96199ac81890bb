import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { acceptDocument, createHandlers, type Handlers } from "@rubrica/commands";
import { evolveObligations, type ObligationsRecord, obligationsRecordId, sign } from "@rubrica/domain";
import { ConflictError, type EventStore, type Position, type RecordedEvent } from "@rubrica/event-store";
import { openEmbeddedEventStore } from "@rubrica/event-store/embedded";
import { demoAccountId, derivedId, streamName } from "@rubrica/events";
import { phoneLine } from "@rubrica/identity";
import { Journal, type JournalEvent } from "@rubrica/journal";
import { idsFrom, type Random, type Runtime, systemClock } from "@rubrica/runtime";
import { seededRandom } from "@rubrica/runtime/testing";
import { createSecrets, phoneLookup, signingTokens } from "@rubrica/secrets";
import { type KeyStore, openMemoryFileStore } from "@rubrica/storage";
import { openEmbeddedKeyStore } from "@rubrica/storage/embedded";
import { turnSubscribers } from "@rubrica/subscribers";
import {
  type DocumentAccepted,
  followWarningsOf,
  type RubricaClient,
  samplePdf,
  sampleSigner,
} from "@rubrica/test-kit";
import { contextOf, documentToAccept, lineId as lookup, signerOfDocument } from "@rubrica/test-kit/commands";
import { signing } from "@rubrica/test-kit/document-history";
import { expect, test } from "vitest";
import { inspect } from "../support/inspection.ts";
import { lineHistory, signAlong } from "../support/line.ts";
import { serviceInProcess, type TestService } from "../support/service.ts";

const SEEDS = 10;
const REQUESTS = 100;
/** Over HTTP each is sealed and has a report, which take far longer than its turn. */
const HTTP_REQUESTS = 40;
/** So many of them come at the same moment. */
const AT_ONCE = 70;

/** A store whose answers come after a random while, so that each seed interleaves what runs at a time in its own way. */
const unsteady = (store: EventStore, random: Random, onConflict: () => void): EventStore => {
  const pause = () => systemClock.wait(random.fraction() * 3);
  return {
    async append(...args) {
      await pause();
      try {
        return await store.append(...args);
      } catch (error) {
        if (error instanceof ConflictError) onConflict();
        throw error;
      } finally {
        await pause();
      }
    },
    async *readStream(...args) {
      await pause();
      yield* store.readStream(...args);
    },
    readLast: (stream) => store.readLast(stream),
    streamEnd: (stream) => store.streamEnd(stream),
    readAll: (...args) => store.readAll(...args),
    readHashes: (...args) => store.readHashes(...args),
    subscribeToAll: (options) => store.subscribeToAll(options),
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  };
};

const lineIdOf = async (keys: KeyStore, phone: string): Promise<string> => {
  const found = await keys.lines.find(phone);
  if (!found) throw new Error("nobody is on the phone's line");
  return found.line;
};

/** Two processes' handlers on one store, each with queues and caches of its own, in memory. */
const twoProcesses = (seed: number) => {
  const random = seededRandom(seed);
  const runtime: Runtime = { clock: systemClock, random, ids: idsFrom(systemClock, random) };
  const store = openEmbeddedEventStore({ path: ":memory:", ...runtime });
  const secrets = createSecrets({ current: random.bytes(32) });
  const keys = openEmbeddedKeyStore({ path: ":memory:", secrets, ...runtime });
  const files = openMemoryFileStore({ keys, random });
  const journal = new Journal(store, keys, runtime);
  let conflicts = 0;
  const onConflict = () => {
    conflicts += 1;
  };
  const handlers = [0, 1].map(() =>
    createHandlers(new Journal(unsteady(store, random, onConflict), keys, runtime), runtime),
  );
  const anyHandlers = (): Handlers => handlers[Math.floor(random.fraction() * 2)] as Handlers;
  return {
    random,
    store,
    journal,
    anyHandlers,
    /** How many appends found that the other process had been faster. */
    conflicts: () => conflicts,
    accept: (documentId: string) =>
      acceptDocument(
        { handlers: anyHandlers(), files, keys, runtime },
        documentToAccept(documentId, Buffer.from("%PDF-")),
        contextOf(documentId),
      ),
    /** The id of the phone's line. */
    lineId: () => lineIdOf(keys, lookup),
    async [Symbol.asyncDispose]() {
      await store.close();
      await files.close();
      await keys.close();
    },
  };
};
type TwoProcesses = ReturnType<typeof twoProcesses>;

/** Meets what is owed about turns, by either process, until nothing is; messages and seals are others' work. */
const turnsMeeter = ({ store, journal, anyHandlers }: TwoProcesses) => {
  const records = new Map<string, ObligationsRecord>();
  let reached: Position | undefined;
  const catchUp = async (): Promise<void> => {
    const news: RecordedEvent[] = [];
    for await (const event of store.readAll(reached)) news.push(event);
    reached = news.at(-1)?.position ?? reached;
    for (const event of await journal.restore(news)) {
      const id = obligationsRecordId(event);
      const record = id === undefined ? null : evolveObligations(records.get(id) ?? null, event);
      if (record) records.set(record.documentId, record);
    }
  };
  return async (): Promise<void> => {
    for (;;) {
      await catchUp();
      const owed = [...records.values()].flatMap(({ documentId, accountId, open }) =>
        open.filter(({ kind }) => kind.endsWith("-turn")).map((obligation) => ({ documentId, accountId, obligation })),
      );
      if (owed.length === 0) return;
      await Promise.all(
        owed.map((published) =>
          turnSubscribers(anyHandlers())
            .find(({ kind }) => kind === published.obligation.kind)
            ?.meet(published),
        ),
      );
    }
  };
};

const signWith = async (handlers: Handlers, documentId: string): Promise<void> => {
  const document = await handlers.documents.load(documentId);
  if (document.status !== "pending") throw new Error(`a document is ${document.status}`);
  const command = { ...signing(signerOfDocument(documentId)), documentSha256: document.file.sha256 };
  await handlers.documents.handle(documentId, sign, command, contextOf(`sign-${documentId}`));
};

/**
 * Races requests for one phone through two processes: most of them at once, the others while the first are signed, in a
 * random order and several at a time.
 */
const race = async (seed: number): Promise<void> => {
  await using processes = twoProcesses(seed);
  const { random, anyHandlers, accept } = processes;
  const meetTurns = turnsMeeter(processes);
  const ids = Array.from({ length: REQUESTS }, (_, number) => derivedId("race", String(seed), String(number)));
  const waiting = ids.slice(0, AT_ONCE);
  const toCome = ids.slice(AT_ONCE);

  const accepted = await Promise.all(waiting.map(accept));
  await meetTurns();
  const [holder, ...others] = (await historyOf(processes)).taken;
  expect(others).toEqual([]);
  for (const { document, turns } of accepted) {
    const expected = document.documentId === holder ? { queued: false } : { queued: true, behindDocumentId: holder };
    expect(turns).toMatchObject([expected]);
  }

  const upTo = (most: number) => 1 + Math.floor(random.fraction() * most);
  while (waiting.length > 0) {
    const signing = Array.from({ length: upTo(10) }, () =>
      waiting.splice(Math.floor(random.fraction() * waiting.length), 1),
    ).flat();
    const coming = toCome.splice(0, upTo(5));
    await Promise.all([
      ...signing.map((documentId) => signWith(anyHandlers(), documentId)),
      ...coming.map(accept),
      meetTurns(),
    ]);
    waiting.push(...coming);
    await meetTurns();
    await expectOnLine(anyHandlers(), await processes.lineId(), waiting);
  }
  const { came, taken, withdrawn, mostActive } = await historyOf(processes);
  expect(came.toSorted()).toEqual(ids.toSorted());
  expect(mostActive).toBe(1);
  // First in, first out: who did not leave before had the turn in the order of coming.
  expect(taken).toEqual(came.filter((documentId) => !withdrawn.includes(documentId)));
  expect(processes.conflicts()).toBeGreaterThan(0);
};

const historyOf = async ({ journal, lineId }: TwoProcesses) => {
  const events: JournalEvent[] = [];
  for await (const event of journal.read(streamName("phoneLine", await lineId()))) events.push(event);
  return lineHistory(events);
};

/** Exactly these are on the line, none twice; and the one of them that has the turn knows it. */
const expectOnLine = async (
  { documents, lines }: Handlers,
  lineId: string,
  expected: readonly string[],
): Promise<void> => {
  const { holder, queue } = await lines.load(lineId);
  const onLine = [...(holder ? [holder.documentId] : []), ...queue.map(({ documentId }) => documentId)];
  expect(onLine.toSorted()).toEqual(expected.toSorted());
  if (holder) expect(await documents.load(holder.documentId)).toMatchObject({ signers: [{ turn: "came" }] });
};

test.concurrent.each(Array.from({ length: SEEDS }, (_, seed) => [seed]))(
  `of ${REQUESTS} concurrent requests for one phone in two processes, one has the turn at a time, in order (seed %i)`,
  race,
);

/** Requests over HTTP, all at once; each must be accepted. */
const requestAll = async (client: RubricaClient, phone: string, count: number): Promise<DocumentAccepted[]> => {
  const pdf = await samplePdf();
  const answers = await Promise.all(
    Array.from({ length: count }, (_, number) => client.postDocument(pdf, [sampleSigner(number, { phone })])),
  );
  expect(answers.filter(({ status }) => status !== 200).map(({ status, text }) => ({ status, text }))).toEqual([]);
  return answers.map((answer) => answer.json<DocumentAccepted>());
};

/** Signs all, in the order of their turns; each must have been asked. Then the line's events must tell of no disorder. */
const expectOrderlyEnd = async (service: TestService, phone: string, ids: readonly string[]): Promise<void> => {
  const { client, dataDir } = service;
  await using inspection = await inspect(dataDir);
  const { handlers, keys, secrets } = inspection.engines;
  const id = await lineIdOf(keys, phoneLookup(secrets, demoAccountId, phoneLine(phone)));
  const tokens = signingTokens(secrets);
  await signAlong(handlers, id, async (documentId) => {
    await client.sign(`${service.url}/s/${tokens.make(documentId, 0)}`);
    return true;
  });
  const onLine = (await inspection.events()).filter(({ stream }) => stream === streamName("phoneLine", id));
  const { came, taken, withdrawn, mostActive } = lineHistory(onLine);
  expect(came.toSorted()).toEqual(ids.toSorted());
  expect(mostActive).toBe(1);
  expect(withdrawn).toEqual([]);
  expect(taken).toEqual(came);
  for (const documentId of ids) expect(await client.status(documentId)).toMatchObject({ is_finished: true });
};

const phone = "5491155550000";

test("over HTTP likewise: one of many is asked at once, the others wait behind it", async () => {
  await using service = await serviceInProcess();
  const documents = await requestAll(service.client, phone, HTTP_REQUESTS);
  const [first, ...others] = documents.filter(({ has_queued_signers }) => !has_queued_signers);
  expect(others).toEqual([]);
  for (const { id_seguimiento, urls } of documents) {
    const isFirst = id_seguimiento === first?.id_seguimiento;
    const expected = { queued: !isFirst, queued_behind: isFirst ? null : first?.id_seguimiento };
    expect(urls).toMatchObject([expected]);
  }
  await expectOrderlyEnd(
    service,
    phone,
    documents.map(({ id_seguimiento }) => id_seguimiento),
  );
});

test("and so when another process requests documents for the phone, on the same store", async () => {
  await using service = await serviceInProcess();
  const half = HTTP_REQUESTS / 2;
  const script = join(import.meta.dirname, "..", "support", "second-process.ts");
  const args = ["--trace-warnings", script, service.dataDir, demoAccountId, phone, String(half)];
  const other = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  followWarningsOf("second process", other, true);
  const output = text(other.stdout);
  // It says so when it starts: both race from there on.
  await once(other.stdout, "data");
  const [documents, lines] = await Promise.all([requestAll(service.client, phone, half), output]);
  const others = lines.trim().split("\n").slice(1);
  expect(others).toHaveLength(half);
  await expectOrderlyEnd(service, phone, [...documents.map(({ id_seguimiento }) => id_seguimiento), ...others]);
});

import { openEmbeddedEventStore } from "@rubrica/event-store/embedded";
import { type DocumentEvent, definitionOf, sample, streamName } from "@rubrica/events";
import { ReadModelAccountDirectory } from "@rubrica/hosting/shared/account-directory";
import { createHttpServer, createLogger } from "@rubrica/http";
import { Journal, type JournalEvent } from "@rubrica/journal";
import { createProjectionRunner } from "@rubrica/projector/running";
import { createFreshness, type Freshness, openEmbeddedReadModelStore, projectionsBy } from "@rubrica/read-models";
import { ReportUnavailable } from "@rubrica/report";
import { systemRuntime } from "@rubrica/runtime";
import { apiKeySha256, createSecrets, customIdHmac, publicFileTokens } from "@rubrica/secrets";
import { openMemoryFileStore } from "@rubrica/storage";
import { openEmbeddedKeyStore } from "@rubrica/storage/embedded";
import { streamEndIn } from "@rubrica/test-kit/stream-end";
import { expect, test } from "vitest";
import { namesIn, peopleIn, reasonIn } from "../src/people.ts";
import { queryApi } from "../src/query-api.ts";

const { accountId } = sample;

/** It waits a hundred times as long as it is asked to: what is judged is the answer, not how busy the machine is. */
const patient = (freshness: Freshness): Freshness => ({
  ...freshness,
  waitFor: (projection, position, timeoutMs) => freshness.waitFor(projection, position, 100 * timeoutMs),
});

/** The reading side on the embedded engines, with a projector that is late by `lateMs`. */
const service = async (lateMs: number) => {
  const runtime = systemRuntime();
  const { clock, random } = runtime;
  const secrets = createSecrets({ current: random.bytes(32), former: [] });
  const hmacOf = (accountId: string, idCustom: string) => customIdHmac(secrets, accountId, idCustom);
  const keys = openEmbeddedKeyStore({ path: ":memory:", secrets, random, clock });
  const events = openEmbeddedEventStore({ path: ":memory:", clock, random });
  const readModels = openEmbeddedReadModelStore({ path: ":memory:" });
  const files = openMemoryFileStore({ keys, random });
  const journal = new Journal(events, keys, runtime);
  const runner = createProjectionRunner<JournalEvent>({
    projections: projectionsBy(hmacOf),
    store: readModels,
    subscribe: (after, signal) => journal.subscribe({ after, signal }),
    clock,
    onStopped: (error) => {
      throw error;
    },
    beforeApply: () => clock.wait(lateMs),
  });
  const accounts = new ReadModelAccountDirectory({ journal, readModels, clock, onError: () => {} });
  const app = createHttpServer({ runtime, logger: createLogger({ clock, level: "silent" }) });
  await app.register(
    queryApi({
      clock,
      events,
      readModels,
      freshness: patient(createFreshness({ readModels, clock })),
      files,
      accounts,
      customIdHmac: hmacOf,
      peopleOf: peopleIn(journal),
      namesOf: namesIn(journal),
      reasonOf: reasonIn(journal),
      fileTokens: publicFileTokens(secrets),
      reports: { build: () => Promise.reject(new ReportUnavailable()) },
      publicUrl: "https://r.example",
    }),
  );
  const running = new AbortController();
  const ended = runner.run(running.signal);
  const append = async (stream: string, list: readonly (DocumentEvent | JournalEvent)[]) => {
    const end = await streamEndIn(events, stream);
    const commandId = runtime.ids.uuidv7();
    const context = { commandId, accountId, actor: "operator", correlationId: "c", causationId: "c" };
    await journal.append(stream, end, list, context);
  };
  return {
    append,
    files,
    get: (url: string) => app.inject({ url, headers: { "x-api-key": "key" } }),
    async close() {
      running.abort();
      await ended;
      await app.close();
      for (const store of [events, readModels, files, keys]) await store.close();
    },
  };
};

const like = (type: string, data: object = {}, personal: object = {}): DocumentEvent => {
  const { example } = definitionOf(type);
  const merged = example.personal && { ...example.personal, ...personal };
  return { type, data: { ...example.data, ...data }, personal: merged } as unknown as DocumentEvent;
};

test("on the embedded engines, a key just made works and no answer is stale, however late the projector is", async () => {
  const { append, files, get, close } = await service(20);
  await append(streamName("account", accountId), [
    like("AccountOpened"),
    like("ApiKeyIssued", { keySha256: apiKeySha256("key") }),
  ]);
  for (let round = 0; round < 20; round++) {
    const documentId = sample.documentId.replace(/..$/, round.toString().padStart(2, "0"));
    const stream = streamName("document", documentId);
    const person = {
      idCustom: "7",
      name: `Ana ${round}`,
      idNumber: "1",
      idNumberCountry: null,
      phone: "598",
      email: null,
    };
    await append(stream, [like("DocumentRequested", { documentId }, { signers: [person] })]);
    expect((await get(`/api/v2/signatureStatus/${documentId}`)).json()).toEqual({
      is_finished: false,
      signed_at: null,
    });
    const drawingJpeg = await files.put(documentId, Buffer.from(`drawing ${round}`), "image/jpeg");
    await append(stream, [like("DocumentSigned", { drawingJpeg }), like("DocumentCompleted")]);
    expect((await get(`/api/v2/signatureStatus/${documentId}`)).json()).toMatchObject({ is_finished: true });
    expect((await get("/api/v2/signatureStatus/7")).json()).toMatchObject({ is_finished_mission: true });
    expect((await get("/api/eventLogs/7")).json()).toMatchObject({
      id_seguimiento: documentId,
      events: [{ event: "document_signed", signer: `Ana ${round}` }],
    });
    const metadata = (await get(`/api/v2/signers/${documentId}/metadata`)).json();
    expect(metadata.signers[0].garabato).toBe(
      `data:image/jpeg;base64,${Buffer.from(`drawing ${round}`).toString("base64")}`,
    );
    await append(stream, [
      like("DocumentSealed", { file: await files.put(documentId, Buffer.from("%PDF"), "application/pdf") }),
    ]);
    expect((await get(`/api/v2/documents/${documentId}`)).body).toBe("%PDF");
  }
  await close();
});

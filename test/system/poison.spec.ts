import { setUpAccount } from "@rubrica/commands";
import { type StreamKind, streamKinds, streamName } from "@rubrica/events";
import { obligations } from "@rubrica/read-models";
import { systemRuntime } from "@rubrica/runtime";
import { apiKeySha256, newApiKey } from "@rubrica/secrets";
import {
  type DocumentAccepted,
  eventually,
  type RubricaClient,
  rubricaClient,
  type ServiceProcess,
  samplePdf,
  sampleSigner,
  startServiceProcess,
  temporaryFolder,
} from "@rubrica/test-kit";
import { spoilKey } from "@rubrica/test-kit/damage";
import { expect, test } from "vitest";
import { inspect } from "../support/inspection.ts";
import { dropReadModels, poison, type Readiness, rubrica, spoil, streamsOf } from "../support/poison.ts";

const runtime = systemRuntime();
const pdf = samplePdf();
let signers = 0;

const request = async (client: RubricaClient, fields: object = {}): Promise<DocumentAccepted> => {
  signers += 1;
  return client.requestDocument(await pdf, [sampleSigner(signers)], fields);
};
const linkOf = ({ urls }: DocumentAccepted): string => urls[0]?.link ?? "";

const readiness = async (client: RubricaClient): Promise<{ status: number; body: Readiness }> => {
  const answer = await client.readiness();
  return { status: answer.status, body: answer.json() };
};

/** The sealed PDF of a document that was signed. */
const sealedPdf = (client: RubricaClient, { id_seguimiento: id }: DocumentAccepted): Promise<Buffer> =>
  eventually("the sealed PDF", async () => {
    const { status, bytes } = await client.read(`/api/v2/documents/${id}`);
    return status === 200 && bytes;
  });

/** Somebody else's document goes on to its sealed PDF. */
const expectOthersToGoOn = async (client: RubricaClient): Promise<void> => {
  const document = await request(client);
  await client.sign(linkOf(document));
  expect((await sealedPdf(client, document)).subarray(0, 5).toString()).toBe("%PDF-");
  expect(await client.status(document.id_seguimiento)).toMatchObject({ is_finished: true });
};

/** An account of its own, made beside the service. */
const newAccount = async (dataDir: string): Promise<{ accountId: string; apiKey: string }> => {
  await using stores = await inspect(dataDir);
  const accountId = runtime.ids.uuidv7();
  const apiKey = newApiKey(runtime.random);
  const key = { keyId: runtime.ids.uuidv7(), keySha256: apiKeySha256(apiKey) };
  const account = { accountId, name: "Other", plan: "basic" as const, credits: 0, webhookSecret: "whsec_test", key };
  const context = { commandId: accountId, accountId, actor: "operator", correlationId: "test", causationId: "test" };
  await setUpAccount(stores.engines.handlers, account, context);
  return { accountId, apiKey };
};

/** Everything that integrators ask for of a document. */
const pathsOf = ({ id_seguimiento: id, urls }: DocumentAccepted): string[] => [
  `/api/v2/signatureStatus/${id}`,
  `/api/v2/signatureStatus/${urls[0]?.id_custom}`,
  `/api/eventLogs/${id}`,
  `/api/v2/signers/${id}/metadata`,
  `/api/v2/documents/${id}`,
  `/api/v2/reporte/${id}`,
];

const answersTo = async (client: RubricaClient, paths: readonly string[]): Promise<string[]> =>
  Promise.all(
    paths.map(async (path) => {
      const { status, headers } = await client.read(path);
      return `${status} ${headers.get("retry-after")}`;
    }),
  );

/** Integrators are told to come again. */
const expectSetAside = async (client: RubricaClient, document: DocumentAccepted): Promise<void> => {
  const paths = pathsOf(document);
  expect(await answersTo(client, paths)).toEqual(paths.map(() => "503 300"));
};

/** So is everybody else: nothing is decided on it either. */
const expectUnreadable = async (client: RubricaClient, document: DocumentAccepted): Promise<void> => {
  await expectSetAside(client, document);
  expect(await answersTo(client, [new URL(linkOf(document)).pathname.replace("/s/", "/api/signing/")])).toEqual([
    "503 300",
  ]);
  expect((await client.postSignature(linkOf(document)).catch(String)).toString()).toContain("503");
};

test("an event that can't be read, in a stream of any kind, stops nobody else, no process and no restart", async () => {
  using folder = temporaryFolder();
  const dataDir = folder.path;
  const start = () => startServiceProcess({ dataDir });
  let service: ServiceProcess = await start();
  let client = rubricaClient(service);

  const victim = await request(client, {});
  const keyed = await client.send(
    "POST",
    "/api/v2/documentSet",
    { document: (await pdf).toString("base64"), datos_firmantes: [sampleSigner(900)] },
    { "idempotency-key": "once" },
  );
  expect(keyed.status).toBe(200);
  await eventually("the victim's log", async () => (await client.eventNames(victim.id_seguimiento)).length > 0);
  const other = await newAccount(dataDir);

  const targets = new Map<StreamKind, string>();
  for (const kind of streamKinds) {
    const [first] = await streamsOf(dataDir, kind);
    targets.set(kind, first ?? streamName(kind, runtime.ids.uuidv7()));
  }
  targets.set("document", streamName("document", victim.id_seguimiento));
  targets.set("account", streamName("account", other.accountId));

  const told = async (kinds: readonly StreamKind[]): Promise<void> => {
    await eventually("every stream to be named", async () => {
      const { status, body } = await readiness(client);
      expect([status, body.status]).toEqual([200, "ready"]);
      return kinds.every((kind) => body.degraded?.streams?.includes(`${kind}: 1`));
    });
  };

  const poisoned: StreamKind[] = [];
  for (const [kind, stream] of targets) {
    await poison(dataDir, stream);
    poisoned.push(kind);
    await told(poisoned);
    await expectOthersToGoOn(client);
    const sentence = `The stream ${stream} can't be read`;
    await service.logged(sentence);
    const lines = service
      .log()
      .split("\n")
      .filter((line) => line.includes(sentence));
    expect(lines).toHaveLength(1);
  }

  const expectTold = async (): Promise<void> => {
    await expectUnreadable(client, victim);
    // The account's own key, and any that nobody knows: it may be that account's.
    const ofOther = rubricaClient({ url: service.url, apiKey: other.apiKey });
    expect(await answersTo(ofOther, pathsOf(victim).slice(0, 2))).toEqual(["503 300", "503 300"]);
    const unknown = rubricaClient({ url: service.url, apiKey: "nobody's" });
    expect(await answersTo(unknown, pathsOf(victim).slice(0, 1))).toEqual(["503 300"]);
    const listed = (await rubrica(dataDir, "quarantine", "--json")).split("\n").map((line) => JSON.parse(line));
    expect(listed.map(({ stream }) => stream).sort()).toEqual([...targets.values()].sort());
    await expect(rubrica(dataDir, "audit", "verify")).rejects.toThrow(targets.get("document"));
  };
  await expectTold();

  expect(await service.end("SIGTERM")).toEqual({ code: 0, signal: null });
  service = await start();
  client = rubricaClient(service);
  await told(poisoned);
  await expectTold();
  await expectOthersToGoOn(client);

  // Nothing is owed of what can't be read, and what is owed of others is met.
  await using stores = await inspect(dataDir);
  const { readModels } = stores.engines;
  expect((await readModels.get(obligations, victim.id_seguimiento))?.document).toMatchObject({ open: [] });
  expect(await service.end("SIGTERM")).toEqual({ code: 0, signal: null });
});

test("what was damaged before a start answers 503 until it is mended and built anew, or the service is started again", async () => {
  using folder = temporaryFolder();
  const dataDir = folder.path;
  const start = () => startServiceProcess({ dataDir });
  let service = await start();
  let client = rubricaClient(service);
  const [row, key, sound] = [await request(client), await request(client), await request(client)];
  for (const document of [row, key, sound]) {
    await client.sign(linkOf(document));
    await sealedPdf(client, document);
  }
  await service.end("SIGTERM");

  const stream = streamName("document", row.id_seguimiento);
  const whole = spoil(dataDir, stream, 2, { data: '{"data":{"sig' });
  spoilKey(dataDir, key.id_seguimiento);
  dropReadModels(dataDir);
  service = await start();
  client = rubricaClient(service);
  await expectOthersToGoOn(client);
  // What was found out is told for a second.
  await eventually("both streams to be named", async () =>
    (await readiness(client)).body.degraded?.streams?.includes("document: 2"),
  );
  await expectUnreadable(client, row);
  await expectUnreadable(client, key);
  expect((await sealedPdf(client, sound)).length).toBeGreaterThan(1_000);
  await expect(rubrica(dataDir, "audit", "verify")).rejects.toThrow(`${stream} at revision 2`);

  // Mended, and built anew beside the running service.
  spoil(dataDir, stream, 2, whole);
  await expectSetAside(client, row);
  await rubrica(dataDir, "rebuild");
  await eventually("the mended document", async () => (await sealedPdf(client, row)).length > 0);
  expect(await client.status(row.id_seguimiento)).toMatchObject({ is_finished: true });
  await expectUnreadable(client, key);
  expect(await rubrica(dataDir, "quarantine")).not.toContain(row.id_seguimiento);
  expect(await rubrica(dataDir, "quarantine")).toContain(key.id_seguimiento);
  await service.end("SIGTERM");

  // Mended, and taken up by the next start.
  spoilKey(dataDir, key.id_seguimiento);
  service = await start();
  client = rubricaClient(service);
  await eventually("the mended document", async () => {
    const { status } = await client.read(`/api/v2/signatureStatus/${key.id_seguimiento}`);
    return status === 200;
  });
  expect(await client.status(key.id_seguimiento)).toMatchObject({ is_finished: true });
  await eventually("no stream to be named", async () => (await readiness(client)).body.degraded === undefined);
  expect((await readiness(client)).body).toEqual({ status: "ready" });
  expect(await rubrica(dataDir, "quarantine")).toBe("No stream is set aside.");
  await service.logged("the read models were built anew");
  await service.end("SIGTERM");
});

import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import {
  eventually,
  freePort,
  type RubricaClient,
  rubricaClient,
  type ServiceProcess,
  samplePdf,
  sampleSigner,
  spawnService,
  startServiceProcess,
  temporaryFolder,
} from "@rubrica/test-kit";
import { describe, expect, test } from "vitest";
import { templateFor } from "../support/messages.ts";

/** The signed document's bytes, as soon as it is sealed. */
const sealedPdf = (client: RubricaClient, id: string): Promise<Buffer> =>
  eventually("the sealed PDF", async () => {
    const { status, bytes } = await client.read(`/api/v2/documents/${id}`);
    return status === 200 && bytes;
  });

/** One document signed and sealed, one whose signer was asked, one in line behind it; and all that can be read of them. */
const someHistory = async (client: RubricaClient) => {
  const pdf = await samplePdf();
  const [one, other] = [sampleSigner(1), sampleSigner(2)];
  const signed = await client.requestDocument(pdf, [one], { document_name: "Signed document" });
  await client.sign(signed.urls[0]?.link ?? "");
  await sealedPdf(client, signed.id_seguimiento);
  const asked = await client.requestDocument(pdf, [other], { document_name: "Asked document" });
  const queued = await client.requestDocument(pdf, [other], { document_name: "Queued document" });
  await templateFor(client, other.phone, "Asked document");
  return { signed, asked, queued, phone: other.phone };
};

const readingsOf = async (client: RubricaClient, ids: readonly string[]) =>
  Promise.all(
    ids.map(async (id) => ({
      status: await client.status(id),
      log: (await client.read(`/api/eventLogs/${id}`)).json<{ events: unknown[] }>(),
      metadata: (await client.read(`/api/v2/signers/${id}/metadata`)).json(),
      file: (await client.read(`/api/v2/documents/${id}`)).bytes.toString("base64"),
    })),
  );

describe("state survives", () => {
  test.each([
    ["a clean end", "SIGTERM", { code: 0, signal: null }],
    ["an interrupt", "SIGINT", { code: 0, signal: null }],
    ["a kill", "SIGKILL", { code: null, signal: "SIGKILL" }],
  ] as const)("%s (%s)", async (_name, signal, expectedEnd) => {
    using folder = temporaryFolder();
    await using first = await startServiceProcess({ dataDir: folder.path });
    const { signed, asked, queued, phone } = await someHistory(rubricaClient(first));
    const ids = [signed, asked, queued].map(({ id_seguimiento }) => id_seguimiento);
    const before = await eventually("the delivery of the message in the log", async () => {
      const readings = await readingsOf(rubricaClient(first), ids);
      return readings[1]?.log.events.length === 1 && readings;
    });
    expect(await first.end(signal)).toEqual(expectedEnd);

    await using second = await startServiceProcess({ dataDir: folder.path });
    const client = rubricaClient(second);
    expect(await readingsOf(client, ids)).toEqual(before);
    expect((await client.messagesTo(phone)).length).toBe(1);
    // What was under way goes on: the one in line follows.
    await client.sign(asked.urls[0]?.link ?? "");
    await templateFor(client, phone, "Queued document");
  });
});

test("requests in flight at a clean end are answered, or were never taken", async () => {
  using folder = temporaryFolder();
  await using service = await startServiceProcess({ dataDir: folder.path });
  const client = rubricaClient(service);
  const pdf = await samplePdf();
  const post = async (number: number) => {
    const answer = await client.postDocument(pdf, [sampleSigner(number)]).catch(() => undefined);
    return answer?.status === 200 ? answer.json<{ id_seguimiento: string }>().id_seguimiento : answer?.status;
  };
  const answers = Array.from({ length: 20 }, (_, number) => post(number));
  await Promise.race(answers);
  expect(await service.end("SIGTERM")).toEqual({ code: 0, signal: null });
  const outcomes = await Promise.all(answers);
  const accepted = outcomes.filter((outcome) => typeof outcome === "string");
  expect(outcomes.filter((outcome) => typeof outcome === "number" && outcome !== 503)).toEqual([]);
  expect(accepted.length).toBeGreaterThan(0);

  await using after = await startServiceProcess({ dataDir: folder.path });
  for (const id of accepted) {
    expect(await rubricaClient(after).status(id)).toEqual({ is_finished: false, signed_at: null });
  }
});

/** How a service that can't start ends: its exit code and all that it says. */
const endOf = async (service: ServiceProcess) => {
  const { code } = await service.ended;
  return { code, stderr: service.stderr(), log: service.log() };
};

describe("a start that can't be is one sentence that names the variable to set", () => {
  test("DATA_DIR in use", async () => {
    using folder = temporaryFolder();
    await using running = await startServiceProcess({ dataDir: folder.path });
    await using refused = await spawnService({ dataDir: folder.path });
    expect(await endOf(refused)).toEqual({
      code: 1,
      stderr: `The data folder ${folder.path} is in use by another process: stop that one, or set DATA_DIR to another folder.\n`,
      log: "",
    });
    expect((await rubricaClient(running).send("GET", "/livez")).status).toBe(200);
  });

  test("DATA_DIR that can't be made", async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, "file"), "");
    const dataDir = join(folder.path, "file", "data");
    await using refused = await spawnService({ dataDir });
    expect(await endOf(refused)).toEqual({
      code: 1,
      stderr: `The data folder ${dataDir} can't be made: set DATA_DIR to another one.\n`,
      log: "",
    });
  });

  test("PORT in use, which leaves the data folder free", async () => {
    using folder = temporaryFolder();
    const port = await freePort();
    const other = createServer().listen(port, "127.0.0.1");
    await once(other, "listening");
    await using refused = await spawnService({ dataDir: folder.path, port });
    const end = await endOf(refused);
    other.close();
    expect(end).toMatchObject({ code: 1, stderr: `Port ${port} is in use: set PORT to another one.\n` });
    await using service = await startServiceProcess({ dataDir: folder.path, port });
    expect((await rubricaClient(service).readiness()).status).toBe(200);
  });

  test("a variable that can't be used", async () => {
    using folder = temporaryFolder();
    await using refused = await spawnService({ dataDir: folder.path, environment: { MAX_SIGNERS: "many" } });
    const { code, stderr } = await endOf(refused);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The variable MAX_SIGNERS can't be used: [^\n]+\.\n$/);
  });
});

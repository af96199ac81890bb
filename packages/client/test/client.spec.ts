import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  eventually,
  sampleDrawing,
  samplePdf,
  sampleSigner,
  startServiceProcess,
  temporaryFolder,
} from "@rubrica/test-kit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRubricaClient, type RubricaApi } from "../src/index.ts";
import { typesOfService } from "../types-of-service.ts";

const cleanup = new AsyncDisposableStack();
let url: string;
let client: RubricaApi;

beforeAll(async () => {
  const folder = cleanup.use(temporaryFolder());
  const service = cleanup.use(await startServiceProcess({ dataDir: folder.path }));
  url = service.url;
  client = createRubricaClient({ url, apiKey: service.apiKey });
});
afterAll(() => cleanup.disposeAsync());

const requestBy = async (...numbers: number[]) => ({
  document: (await samplePdf()).toString("base64"),
  datos_firmantes: numbers.map((number) => sampleSigner(number)),
});

test("its types are those of the API as the service describes it", async () => {
  const committed = readFileSync(join(import.meta.dirname, "..", "src", "openapi.ts"), "utf8");
  // When this differs: node packages/client/generate.ts
  expect(committed).toBe(await typesOfService(url));
});

test("a document is asked for, signed by its signer and downloaded, with every field typed", async () => {
  const asked = await client.POST("/api/v2/documentSet", { body: await requestBy(1) });
  if (!asked.data) throw new Error(`refused: ${JSON.stringify(asked.error)}`);
  const { id_seguimiento, urls, has_queued_signers } = asked.data;
  expect(has_queued_signers satisfies boolean).toBe(false);
  const path = { id_seguimiento };
  const token = new URL(urls[0]?.link ?? "").pathname.replace("/s/", "");

  const early = await client.GET("/api/v2/documents/{id_seguimiento}", { params: { path }, parseAs: "arrayBuffer" });
  expect([early.response.status, early.error]).toEqual([404, { error: "No se encontró el archivo" }]);

  const { data: overview } = await client.GET("/api/signing/{token}", { params: { path: { token } } });
  const signed = await client.POST("/api/signing/{token}/sign", {
    params: { path: { token } },
    body: {
      garabato: sampleDrawing,
      consent_version: overview?.consent.version ?? "",
      document_sha256: overview?.document_sha256 ?? "",
    },
  });
  expect(signed.data).toEqual({ signed: true });

  const status = await client.GET("/api/v2/signatureStatus/{id_seguimiento}", { params: { path } });
  expect(status.data).toMatchObject({ is_finished: true, signed_at: expect.any(Number) });
  const log = await client.GET("/api/eventLogs/{id_seguimiento}", { params: { path } });
  expect(log.data?.events.map(({ event }) => event)).toContain("document_signed");
  const metadata = await client.GET("/api/v2/signers/{id_seguimiento}/metadata", { params: { path } });
  expect(metadata.data?.signers[0]?.nombre).toBe("Signer 1");

  const file = await eventually(
    "the sealed PDF",
    async () =>
      (await client.GET("/api/v2/documents/{id_seguimiento}", { params: { path }, parseAs: "arrayBuffer" })).data,
  );
  expect(Buffer.from(file).subarray(0, 5).toString()).toBe("%PDF-");
});

test("what is refused comes as the status' own type", async () => {
  const refused = await client.POST("/api/v2/documentSet", { body: { document: "?", datos_firmantes: [] } });
  expect(refused.response.status).toBe(400);
  expect(refused.error).toMatchObject({ error: ["Missing data or error information"] });
  const stranger = createRubricaClient({ url, apiKey: "of-nobody" });
  const unnamed = await stranger.PUT("/api/account/changeBusinessName", { body: { business_name: "ACME" } });
  expect(unnamed.error).toEqual({ message: "Unauthorized" });
});

test("a call that the API does not have does not compile", async () => {
  // @ts-expect-error: signers are required
  const incomplete = await client.POST("/api/v2/documentSet", { body: { document: "?" } });
  // @ts-expect-error: there is no such address
  const unknown = await client.GET("/api/v2/nothing");
  expect([incomplete.response.status, unknown.response.status]).toEqual([400, 404]);
});

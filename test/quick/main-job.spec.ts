import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  eventually,
  type RubricaClient,
  repository,
  rubricaClient,
  sampleSigner,
  startServiceProcess,
  temporaryFolder,
} from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { integrator } from "../support/integrator.ts";
import { linkFor, recorded, templateFor } from "../support/messages.ts";

/** The PDF of the README's first request. */
const sample = readFileSync(join(repository, "packages", "pdf", "samples", "sample-contract.pdf"));

/** A PDF, as soon as it is there. */
const pdfAt = (client: RubricaClient, path: string) =>
  eventually(`the PDF at ${path}`, async () => {
    const answer = await client.read(path);
    return answer.status === 200 && answer.bytes.subarray(0, 5).toString() === "%PDF-" && answer;
  });

test("a real PDF is requested over HTTP, its signer reached, signs, and it comes back sealed and valid", async () => {
  using folder = temporaryFolder();
  const environment = { ALLOW_PRIVATE_URLS: "true" };
  await using service = await startServiceProcess({ dataDir: folder.path, environment });
  const client = rubricaClient(service);
  await using receiver = await integrator(async (_type, { id_seguimiento }) => {
    expect((await client.read(`/api/v2/documents/${id_seguimiento}`)).status).toBe(200);
  });
  const signer = sampleSigner(1, { name: "Łukasz Peña" });
  const requested = { document_name: "Lease agreement", webhook_url: receiver.url, custom_parameters: { order: 17 } };
  const { id_seguimiento: id, urls } = await client.requestDocument(sample, [signer], requested);
  const link = urls[0]?.link ?? "";

  const asked = await templateFor(client, signer.phone, "Lease agreement");
  await recorded(client, id, "msg_delivered");
  await client.press(asked.id, "continue");
  await linkFor(client, signer.phone, link);
  await recorded(client, id, "signature_link_sent");
  expect(await client.status(id)).toEqual({ is_finished: false, signed_at: null });
  await client.sign(link);
  expect(await client.status(id)).toEqual({ is_finished: true, signed_at: expect.any(Number) });

  expect(await receiver.callback("alert")).toMatchObject({ failure: undefined });
  expect(await receiver.callback("report")).toMatchObject({ failure: undefined });
  const sealed = await pdfAt(client, `/api/v2/documents/${id}`);
  expect(sealed.headers.get("content-type")).toBe("application/pdf");
  await pdfAt(client, `/api/v2/reporte/${id}`);
  const verdict = await client.send("POST", "/api/verify", sealed.bytes, { "content-type": "application/pdf" });
  expect(verdict.json()).toMatchObject({ verdict: "valid" });
  expect(await client.eventNames(id)).toEqual([
    "msg_delivered",
    "template_response",
    "signature_link_sent",
    "document_signed",
  ]);
  expect(await service.end("SIGTERM")).toEqual({ code: 0, signal: null });
});

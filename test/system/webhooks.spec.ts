import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "@rubrica/runtime";
import {
  eventually,
  rubricaClient,
  samplePdf,
  sampleSigner,
  saysNotYet,
  startServiceProcess,
  temporaryFolder,
} from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { integrator } from "../support/integrator.ts";
import { serviceInProcess } from "../support/service.ts";

test("the alert comes when the sealed document can be downloaded", async () => {
  await using service = await serviceInProcess({ environment: { ALLOW_PRIVATE_URLS: "true" } });
  const { client } = service;
  await using receiver = await integrator(async (_type, { id_seguimiento, is_finished }) => {
    const file = await client.read(`/api/v2/documents/${id_seguimiento}`);
    expect([is_finished, file.status, file.bytes.subarray(0, 5).toString()]).toEqual([true, 200, "%PDF-"]);
  });
  const webhook = { webhook_url: receiver.url, custom_parameters: { order: 17 } };
  const { urls } = await client.requestDocument(await samplePdf(), [sampleSigner(1)], webhook);
  await client.sign(urls[0]?.link ?? "");
  expect(await receiver.callback("alert")).toMatchObject({ failure: undefined });
  expect(service.log()).not.toContain(receiver.url);
});

test("the legacy alert's document is there at its public address, without a key", async () => {
  await using service = await serviceInProcess({ environment: { ALLOW_PRIVATE_URLS: "true" } });
  const { client, url } = service;
  await using receiver = await integrator(async (_type, { documento_url }) => {
    const address = new URL(String(documento_url));
    const file = await eventually("the file", async () => {
      const answer = await fetch(`${url}${address.pathname}`);
      const { status, headers } = answer;
      return !saysNotYet({ status, text: await answer.text() }) && [status, headers.get("content-type")];
    });
    expect(file).toEqual([200, "application/pdf"]);
  });
  const answer = await client.send("POST", "/api/documentSet", {
    document: (await samplePdf()).toString("base64"),
    datos_firmantes: [sampleSigner(2)],
    webhook_url: receiver.url,
  });
  await client.sign(answer.json<{ urls: { link: string }[] }>().urls[0]?.link ?? "");
  expect(await receiver.callback("alert")).toMatchObject({ failure: undefined });
});

test("a rejection and an unreachable phone are told of as well", async () => {
  await using service = await serviceInProcess({ environment: { ALLOW_PRIVATE_URLS: "true" } });
  const { client } = service;
  await using receiver = await integrator(async () => undefined);
  const unreachable = sampleSigner(3);
  await client.setReachable(unreachable.phone, false);
  const webhook = { webhook_url: receiver.url };
  await client.requestDocument(await samplePdf(), [unreachable], webhook);
  const { urls } = await client.requestDocument(await samplePdf(), [sampleSigner(4)], webhook);
  await client.reject(urls[0]?.link ?? "");
  await Promise.all([receiver.callback("msg"), receiver.callback("rejection")]);
});

test("what an account chose is told of each request, of those from then on", async () => {
  await using service = await serviceInProcess({ environment: { ALLOW_PRIVATE_URLS: "true" } });
  const { client } = service;
  await using receiver = await integrator(async () => undefined);
  const webhook = { webhook_url: receiver.url };
  const ask = async (signer: number, more: object = {}) => {
    const answer = await client.requestDocument(await samplePdf(), [sampleSigner(signer)], { ...webhook, ...more });
    return { id: answer.id_seguimiento, link: answer.urls[0]?.link ?? "", phone: sampleSigner(signer).phone };
  };
  const cancel = (id: string) => client.send("POST", `/api/v2/documents/${id}/cancel`, { reason: "called off" });
  const before = await ask(6);
  const chosen = ["canceled", "expired", "no_continue", "signer_signed", "page_opened"];
  const answer = await client.send("PUT", "/api/v2/webhooks/events", { webhook_events: chosen });
  expect([answer.status, answer.json()]).toEqual([200, { webhook_events: chosen }]);
  const unknown = await client.send("PUT", "/api/v2/webhooks/events", { webhook_events: ["signed"] });
  expect(unknown.status).toBe(400);

  const signed = await ask(7);
  await fetch(`${signed.link.replace("/s/", "/api/signing/")}/opened`, { method: "POST" });
  await client.sign(signed.link);
  await receiver.callback("page_opened");
  await receiver.callback("signer_signed");
  await ask(8, { expires_at: new Date(systemClock.now() + 2_000).toISOString() });
  await receiver.callback("expired");
  const refused = await ask(9);
  const message = await eventually("the question", async () => (await client.messagesTo(refused.phone))[0]);
  await client.press(message.id, "no_continue");
  await receiver.callback("no_continue");
  await cancel(before.id);
  await cancel(refused.id);
  await receiver.callback("canceled");
  // The document from before has its report told, as the contract says.
  const told = receiver.told.map(({ type }) => type).filter((type) => type !== "report");
  expect(told.toSorted()).toEqual(chosen.toSorted());
  const { webhooks } = (await client.read(`/api/v2/documents/${signed.id}/webhooks`)).json<{
    webhooks: { type: string }[];
  }>();
  expect(webhooks.map(({ type }) => type)).toEqual(["page_opened", "signer_signed"]);
});

test("a webhook that was being told when the process was killed is told again, under the same id", async () => {
  using folder = temporaryFolder();
  const environment = { ALLOW_PRIVATE_URLS: "true" };
  const ids: (string | undefined)[] = [];
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  // The first one is never answered.
  const server = createServer((request, response) => {
    ids.push(request.headers["webhook-id"]?.toString());
    if (ids.length === 1) return first.resolve();
    response.end();
    second.resolve();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const webhook_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const before = await startServiceProcess({ dataDir: folder.path, environment });
  const { urls } = await rubricaClient(before).requestDocument(await samplePdf(), [sampleSigner(5)], { webhook_url });
  await rubricaClient(before).sign(urls[0]?.link ?? "");
  await first.promise;
  await before.end("SIGKILL");
  await using after = await startServiceProcess({ dataDir: folder.path, environment });
  await Promise.race([second.promise, after.ended.then(() => Promise.reject(new Error("the service ended")))]);
  expect(ids).toHaveLength(2);
  expect(ids[1]).toBe(ids[0]);
  server.closeAllConnections();
  server.close();
});

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { linesOf } from "@rubrica/cli/testing";
import { demoAccountId } from "@rubrica/events";
import { eventually, samplePdf, sampleSigner } from "@rubrica/test-kit";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { serviceInProcess } from "../support/service.ts";

const PRIVATE = { environment: { ALLOW_PRIVATE_URLS: "true" } };

/** A receiver that answers as it is told to. */
const openReceiver = async () => {
  const received: { headers: IncomingHttpHeaders; body: string; type: string }[] = [];
  const state = { status: 200 };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    received.push({ headers: request.headers, body, type: JSON.parse(body).type });
    response.writeHead(state.status).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    state,
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

interface Told {
  webhook_id: string;
  type: string;
  state: string;
  attempts: { attempt: number; at: string; status: number | null; error: string | null; duration_ms: number | null }[];
  next_attempt: string | null;
}

/** Runs the CLI on a service's folder, and gives the lines of JSON that it printed. */
const rubrica = async (dataDir: string, ...args: string[]) =>
  (await linesOf([...args, "--json"], { DATA_DIR: dataDir })).map((line) => JSON.parse(line));

test("what a receiver did not take is seen, with why and when next, and sent again when asked for, in order", async () => {
  await using service = await serviceInProcess(PRIVATE);
  await using receiver = await openReceiver();
  const { client } = service;
  receiver.state.status = 503;
  const { id_seguimiento: id, urls } = await client.requestDocument(await samplePdf(), [sampleSigner(1)], {
    webhook_url: receiver.url,
  });
  await client.sign(urls[0]?.link ?? "");
  const seen = async () =>
    (await client.read(`/api/v2/documents/${id}/webhooks`)).json<{ webhooks: Told[] }>().webhooks;
  const [alert, report] = await eventually("a failed attempt and the report", async () => {
    const all = await seen();
    return all.length === 2 && all[0]?.state === "failing" ? all : undefined;
  });
  expect(alert).toMatchObject({
    type: "alert",
    next_attempt: expect.stringMatching(/Z$/),
  });
  expect(alert?.attempts[0]).toMatchObject({ attempt: 1, status: 503, error: "The receiver answered 503, not 2xx." });
  expect(report).toMatchObject({ type: "report", state: "pending", attempts: [], next_attempt: null });

  const listed = (await client.read("/api/v2/webhooks?state=failing")).json<{ webhooks: object[] }>();
  expect(listed).toMatchObject({ webhooks: [{ id_seguimiento: id, type: "alert", state: "failing" }], next: null });
  expect(await rubrica(service.dataDir, "webhooks", "list", "--account", demoAccountId)).toMatchObject([
    { webhook_id: alert?.webhook_id, document_id: id, state: "failing", status: 503, reason: "status" },
  ]);

  receiver.state.status = 200;
  const again = `/api/v2/documents/${id}/webhooks/${encodeURIComponent(alert?.webhook_id ?? "")}/redeliver`;
  const headers = { "idempotency-key": "again-1", "x-api-key": service.service.keys.demo?.apiKey ?? "" };
  const sentAgain = () => fetch(`${service.url}${again}`, { method: "POST", headers });
  expect((await sentAgain()).status).toBe(202);
  await eventually(
    "both delivered",
    async () => (await seen()).every(({ state }) => state === "delivered") || undefined,
  );
  expect(receiver.received.at(-1)?.type).toBe("report");
  const alerts = receiver.received.filter(({ type }) => type === "alert");
  expect(new Set(alerts.map(({ headers: { "webhook-id": webhookId } }) => webhookId)).size).toBe(1);
  expect((await client.read("/api/v2/webhooks?state=failing")).json()).toEqual({ webhooks: [], next: null });

  // The same request again does nothing; another one, or the command line, sends it once more.
  expect((await sentAgain()).status).toBe(202);
  expect((await seen()).map(({ state }) => state)).toEqual(["delivered", "delivered"]);
  await rubrica(service.dataDir, "webhooks", "redeliver", report?.webhook_id ?? "");
  await eventually(
    "the report once more",
    () => receiver.received.filter(({ type }) => type === "report").length === 2,
  );
  expect(alerts.length).toBe(receiver.received.filter(({ type }) => type === "alert").length);
});

test("whose webhook it is not, whoever asks is told as of an unknown one", async () => {
  await using service = await serviceInProcess(PRIVATE);
  await using receiver = await openReceiver();
  const { client } = service;
  const { id_seguimiento: id, urls } = await client.requestDocument(await samplePdf(), [sampleSigner(2)], {
    webhook_url: receiver.url,
  });
  await client.sign(urls[0]?.link ?? "");
  await eventually("the alert", () => receiver.received.length > 0);
  const webhookId = String(receiver.received[0]?.headers["webhook-id"]);
  const [{ api_key }] = await rubrica(service.dataDir, "account", "create", "--name", "Other");
  const as = (method: string, path: string, apiKey?: string) =>
    fetch(`${service.url}${path}`, { method, headers: { "x-api-key": apiKey ?? api_key } }).then(async (answer) => ({
      status: answer.status,
      body: await answer.text(),
    }));
  const unknown = "019aa5c0-0000-7000-8000-0000000000ff";
  for (const [method, path] of [
    ["GET", (document: string) => `/api/v2/documents/${document}/webhooks`],
    ["POST", (document: string) => `/api/v2/documents/${document}/webhooks/${webhookId}/redeliver`],
  ] as const) {
    const foreign = await as(method, path(id));
    expect(foreign).toEqual(await as(method, path(unknown)));
    expect(foreign.status).toBe(404);
  }
  const own = service.service.keys.demo?.apiKey;
  expect((await as("POST", `/api/v2/documents/${id}/webhooks/no-such-webhook/redeliver`, own)).status).toBe(404);
  expect((await as("GET", "/api/v2/webhooks?state=failing")).body).toBe('{"webhooks":[],"next":null}');
  expect((await as("GET", "/api/v2/webhooks?state=unknown")).status).toBe(400);
});

test("a receiver is tried out with one webhook of each type, signed by both secrets for a day, ten times an hour", async () => {
  await using service = await serviceInProcess(PRIVATE);
  await using receiver = await openReceiver();
  const { client } = service;
  const before = service.service.keys.demo?.webhookSecret ?? "";
  const [{ webhook_secret: after }] = await rubrica(service.dataDir, "webhooks", "secret", "rotate", demoAccountId);
  expect(after).not.toBe(before);
  expect(await rubrica(service.dataDir, "webhooks", "secret", "show", demoAccountId)).toEqual([
    { account_id: demoAccountId, webhook_secret: after },
  ]);
  const body = { webhook_url: receiver.url, webhook_key: { "x-mine": "1" } };
  const { results } = (await client.send("POST", "/api/v2/webhooks/test", body)).json<{ results: object[] }>();
  expect(results).toMatchObject(
    ["alert", "report", "msg", "rejection"].map((type) => ({ type, delivered: true, status: 200, reason: null })),
  );
  expect(receiver.received).toHaveLength(4);
  for (const { headers, body: sent } of receiver.received) {
    expect(headers["x-mine"]).toBe("1");
    for (const secret of [before, after]) new Webhook(secret).verify(sent, headers as Record<string, string>);
  }
  for (let number = 2; number <= 10; number++) {
    expect((await client.send("POST", "/api/v2/webhooks/test", body)).status).toBe(200);
  }
  const tooMany = await client.send("POST", "/api/v2/webhooks/test", body);
  expect([tooMany.status, tooMany.headers.get("retry-after")]).toEqual([429, "3600"]);
  expect(receiver.received).toHaveLength(40);
});

test("an address that can't be reached by rule is refused with the request, however it is written", async () => {
  await using service = await serviceInProcess();
  const { client } = service;
  const document = (await samplePdf()).toString("base64");
  const details = [{ path: "webhook_url", message: "must not lead to a private address" }];
  for (const host of ["127.0.0.1", "0x7f.1", "[::1]", "10.1.2.3", "169.254.169.254"]) {
    const webhook_url = `http://${host}/hook`;
    const asked = await client.send("POST", "/api/v2/documentSet", {
      document,
      datos_firmantes: [sampleSigner(3)],
      webhook_url,
    });
    expect([asked.status, asked.json()]).toMatchObject([400, { details }]);
    const tested = await client.send("POST", "/api/v2/webhooks/test", { webhook_url });
    expect([tested.status, tested.json()]).toMatchObject([400, { details }]);
  }
});

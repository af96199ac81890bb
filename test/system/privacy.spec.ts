import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { eventually, samplePhoto } from "@rubrica/test-kit";
import { pdf as plainPdf } from "@rubrica/test-kit/pdf/fixtures";
import { expect, test } from "vitest";
import { templateFor } from "../support/messages.ts";
import { filesUnder, filesWith, findings, formsOf, isIn } from "../support/search.ts";
import { serviceInProcess } from "../support/service.ts";

/** What no store and no log may show: each is found nowhere else. */
const telltales = {
  name: "Zoraida Quetzalcoatl",
  idNumber: "31415926",
  phone: "5491127182818",
  ip: "203.0.113.77",
  userAgent: "Telltale-Browser/42",
  text: "THE BUYER PAYS 271828 PESOS",
  documentName: "Sale of the Xochimilco yacht",
  businessName: "Nautica Popocatepetl SA",
  parameter: "customer-1618033",
  webhookPath: "hooks-of-the-whispering-gallery",
  webhookKey: "hush-1414213",
  reason: "the mast is rotten to 57721",
} as const;

const photos = {
  selfie: samplePhoto("selfie"),
  dni_frontal: samplePhoto("idFront"),
  dni_trasera: samplePhoto("idBack"),
};
/** What the photos begin with, and so do all pictures that are made of them: start of image, quantization table. */
const jpegMark = Buffer.from("ffd8ffdb004300", "hex");

/** A receiver of callbacks in this process, which refuses each once. */
const webhookReceiver = async () => {
  const types: string[] = [];
  const refused = new Set<unknown>();
  const server = createServer(async (request, response) => {
    const id = request.headers["webhook-id"];
    const { type } = JSON.parse(await text(request));
    response.writeHead(refused.has(id) ? 200 : 500).end();
    if (refused.has(id)) types.push(type);
    refused.add(id);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    types: () => types,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
};

test.each(Object.values(telltales))("the search finds %s in any of its forms", (text) => {
  for (const form of formsOf(text)) expect(isIn(Buffer.concat([Buffer.from("before"), form]), text)).toBe(true);
  for (const beside of ["", "a", "ab"]) {
    const base64 = Buffer.from(`${beside}${text} and more`).toString("base64");
    expect(isIn(Buffer.from(base64), text)).toBe(true);
  }
  expect(isIn(Buffer.from("nothing of it"), text)).toBe(false);
});

test("no byte in the stores or the log shows a person, a text or a secret in the clear", async () => {
  const environment = { LOG_LEVEL: "trace", TRUST_PROXY: "1", ALLOW_PRIVATE_URLS: "true" };
  await using service = await serviceInProcess({ environment });
  await using webhooks = await webhookReceiver();
  const { client, dataDir } = service;
  const { name, idNumber, phone, documentName, businessName, parameter, webhookKey } = telltales;
  const file = Buffer.from(plainPdf({ pages: [{ content: `BT /F1 24 Tf 72 700 Td (${telltales.text}) Tj ET` }] }));
  expect(isIn(file, telltales.text)).toBe(true);
  const headers = { "x-forwarded-for": telltales.ip, "user-agent": telltales.userAgent };
  const request = {
    document: file.toString("base64"),
    document_name: documentName,
    wpp_business_name: businessName,
    custom_parameters: { reference: parameter },
    webhook_url: `${webhooks.url}/${telltales.webhookPath}`,
    webhook_key: { "x-hush": webhookKey },
    datos_firmantes: [{ name, dni: idNumber, dni_country: "AR", phone }],
  };
  const post = async (path: string, body: object) => {
    const answer = await client.send("POST", path, body, headers);
    expect(answer.status).toBe(200);
    return answer.json<{ id_seguimiento: string; urls: { link: string }[] }>();
  };
  const tokenIn = (link = "") => link.replace(/^.*\/s\//, "");

  const signed = await post("/api/v2/documentSet", { ...request, request_photos: true });
  const rejected = await post("/api/v2/documentSet", request);
  const tokens = [signed, rejected].map(({ urls }) => tokenIn(urls[0]?.link));
  const asked = await templateFor(client, phone, documentName);
  await client.press(asked.id, "continue");
  await eventually("the link", async () => (await client.messagesTo(phone)).some(({ link }) => link !== null));
  await post(`/api/signing/${tokens[0]}/opened`, {});
  for (const [kind, sample] of Object.entries(photos)) {
    const path = `/api/signing/${tokens[0]}/photos/${kind}`;
    expect((await client.send("POST", path, await sample, { "content-type": "image/jpeg" })).status).toBe(200);
  }
  await eventually("the provider's word", async () => {
    return (await client.read(`/api/signing/${tokens[0]}`)).json<{ can_sign: boolean }>().can_sign;
  });
  await client.sign(signed.urls[0]?.link ?? "");
  await post(`/api/signing/${tokens[1]}/reject`, { reason: telltales.reason });
  await eventually("the sealed PDF", async () => {
    return (await client.read(`/api/v2/documents/${signed.id_seguimiento}`)).status === 200;
  });
  await eventually("every callback of both documents", () => webhooks.types().length === 4);
  expect(webhooks.types().toSorted()).toEqual(["alert", "rejection", "report", "report"]);
  // What goes wrong is logged too.
  await client.send("POST", `/api/signing/${tokens[1]}/sign`, { garabato: name });
  await client.read(`/api/v2/signatureStatus/${encodeURIComponent(name)}`);
  await client.send("POST", "/api/v2/documentSet", { ...request, document: "JVBERi0=" });
  await client.send("POST", "/api/v2/documentSet", `{"name":"${name}"`);
  await client.send("GET", `/simulator/messages?phone=${phone}`);

  const { simulator, demo } = service.service.keys;
  const secrets = {
    ...telltales,
    apiKey: demo?.apiKey ?? "",
    simulator,
    token: tokens[0] ?? "",
    otherToken: tokens[1] ?? "",
  };
  const found = () => findings(dataDir, secrets);
  const pictured = () => filesWith(dataDir, jpegMark);
  expect([...found(), ...pictured()]).toEqual([]);
  await service.close();
  expect([...found(), ...pictured()]).toEqual([]);
  expect(filesUnder(join(dataDir, "files")).length).toBeGreaterThanOrEqual(5);

  const log = Buffer.from(service.log());
  expect((await photos.selfie).includes(jpegMark)).toBe(true);
  expect(log.includes("/api/signing/:token/reject")).toBe(true);
  expect(Object.entries(secrets).filter(([, value]) => isIn(log, value))).toEqual([]);
});

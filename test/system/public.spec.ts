import { derivedId } from "@rubrica/events";
import {
  rubricaClient,
  samplePdf,
  sampleSigner,
  spawnService,
  startServiceProcess,
  temporaryFolder,
} from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { templateFor } from "../support/messages.ts";
import { serviceInProcess } from "../support/service.ts";

const PUBLIC = { PUBLIC_URL: "https://sign.example.com", MESSAGING: "simulator" };

/** Requests that look as local as a request can, and as a proxy without headers of its own sends them. */
const answersOf = async (url: string): Promise<string> => {
  const asked = ["/", "/reference", "/openapi.json", "/simulator", "/livez", "/readyz", "/verify"].flatMap((path) =>
    ["text/html", "application/json"].map(async (accept) => {
      const response = await fetch(url + path, { headers: { accept } });
      return `${JSON.stringify([...response.headers])}${await response.text()}`;
    }),
  );
  return (await Promise.all(asked)).join("\n");
};

test("keys are printed where the service was started, and are in no answer", async () => {
  using folder = temporaryFolder();
  await using service = await startServiceProcess({ dataDir: folder.path });
  expect(service.stderr()).toContain(`Demo API key      ${service.apiKey}`);
  expect(service.stderr()).toContain(`/simulator#key=${service.simulatorKey}`);
  const answers = await answersOf(service.url);
  expect(answers).toContain("Keys are not shown here");
  expect(answers).not.toContain(service.apiKey);
  expect(answers).not.toContain(service.simulatorKey);
});

test("nobody reads a phone, or answers for it, without the simulator's key", async () => {
  await using service = await serviceInProcess();
  const { client, url } = service;
  const signer = sampleSigner(1);
  await client.requestDocument(await samplePdf(), [signer], { document_name: "Lease" });
  const asked = await templateFor(client, signer.phone, "Lease");
  const stranger = rubricaClient({ url, apiKey: service.service.keys.demo?.apiKey ?? "" });
  for (const [method, path] of [
    ["GET", "/simulator/messages"],
    ["GET", "/simulator/chats"],
    ["GET", `/simulator/chats/${signer.phone}`],
    ["GET", "/simulator/changes"],
    ["POST", `/simulator/messages/${asked.id}/reply`],
  ] as const) {
    const answer = await stranger.send(method, path, method === "POST" ? { button: "continue" } : undefined);
    expect([path, answer.status, answer.text]).toEqual([path, 401, '{"error":"Unauthorized"}']);
  }
});

test("a folder that was a demo's and goes public takes its printed key no more, and says so to both", async () => {
  using folder = temporaryFolder();
  const statusBy = async (url: string, apiKey: string) =>
    (await rubricaClient({ url, apiKey }).read(`/api/v2/signatureStatus/${derivedId("nothing")}`)).status;
  let apiKey = "";
  {
    await using demo = await startServiceProcess({ dataDir: folder.path });
    apiKey = demo.apiKey;
    expect(await statusBy(demo.url, apiKey)).toBe(404);
    await demo.end("SIGTERM");
  }
  {
    await using open = await startServiceProcess({ dataDir: folder.path, apiKey: null, environment: PUBLIC });
    expect(await statusBy(open.url, apiKey)).toBe(403);
    expect(open.stderr()).not.toContain("Demo API key");
    expect(open.stderr()).toContain("There is no demo account");
    await open.logged("its printed keys are blocked");
    await open.end("SIGTERM");
  }
  await using again = await startServiceProcess({ dataDir: folder.path });
  expect(again.stderr()).toContain("The demo account's key is blocked.");
  expect(again.stderr()).toContain(`key unblock ${derivedId("demo-account")}`);
  expect(await statusBy(again.url, apiKey)).toBe(403);
});

test("with WhatsApp there is no simulator at an address that others reach, and what that lacks is said", async () => {
  using folder = temporaryFolder();
  const WHATSAPP = {
    MESSAGING: "whatsapp",
    WHATSAPP_TOKEN: "token-of-the-system-user",
    WHATSAPP_PHONE_NUMBER_ID: "106540352242922",
    WHATSAPP_APP_SECRET: "0123456789abcdef0123456789abcdef",
    WHATSAPP_VERIFY_TOKEN: "shown-when-subscribing",
  };
  const environment = { ...PUBLIC, ...WHATSAPP };
  await using service = await startServiceProcess({ dataDir: folder.path, apiKey: null, environment });
  const answers = await answersOf(service.url);
  expect(service.stderr()).not.toContain("simulator");
  expect(answers).not.toContain("Phone simulator");
  expect((await fetch(`${service.url}/simulator`)).status).toBe(404);
  await service.logged("IDENTITY_PROVIDER_URL is not set");
  for (const [name, value] of Object.entries(WHATSAPP).slice(1)) {
    expect([name, answers.includes(value) || service.log().includes(value)]).toEqual([name, false]);
  }
});

test.each([
  [{ MESSAGING: "whatsapp" }, /^The variable WHATSAPP_TOKEN is missing: MESSAGING names whatsapp\.\n$/],
  [{ MESSAGING: "" }, /^The variable MESSAGING is missing: .+\.\n$/],
  [{ DEMO_API_KEY: "k".repeat(16) }, /^The variable DEMO_API_KEY can't be used: .+\.\n$/],
])("at an address that others reach it does not start with %j", async (environment, sentence) => {
  using folder = temporaryFolder();
  const service = await spawnService({
    dataDir: folder.path,
    apiKey: null,
    environment: { ...PUBLIC, ...environment },
  });
  expect(await service.ended).toEqual({ code: 1, signal: null });
  expect(service.stderr()).toMatch(sentence);
});

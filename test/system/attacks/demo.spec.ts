import { samplePdf, startServiceProcess, temporaryFolder } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { joinArena, nextSigner } from "./support/arena.ts";
import { plainService } from "./support/plain-service.ts";
import { send } from "./support/requests.ts";

const arena = joinArena();
const UNKNOWN = "019aa5c0-0000-7000-8000-00000000ffff";
const LOOKS_LOCAL: readonly Readonly<Record<string, string>>[] = [
  {},
  { accept: "text/html" },
  { accept: "application/json", host: "127.0.0.1" },
  { accept: "text/html", host: "localhost:3000" },
];

/** Every address that the service describes, and those beside. */
const addressesOf = async (url: string): Promise<string[]> => {
  const { body } = await send(url, { path: "/openapi.json" });
  const described = Object.keys((JSON.parse(body.toString()) as { paths: object }).paths);
  const beside = ["/", "/simulator", "/simulator/messages", "/simulator/script.js", "/reference", "/verify", "/readyz"];
  return [...described, ...beside].map((path) => path.replace(/\{[^}]*\}/g, UNKNOWN));
};

test("no answer holds the demo account's key or the simulator's", async () => {
  const { url, apiKey, simulatorKey } = arena.service;
  for (const path of await addressesOf(url)) {
    for (const headers of LOOKS_LOCAL) {
      const { body, headers: answered } = await send(url, { path, headers });
      const whole = body.toString("latin1") + JSON.stringify(answered);
      expect(whole.includes(apiKey), path).toBe(false);
      expect(whole.includes(simulatorKey), path).toBe(false);
    }
  }
});

test("without its key, the simulator gives nobody's messages and presses nobody's buttons", async () => {
  const { url, apiKey, simulatorKey } = arena.service;
  const signer = nextSigner();
  const { phone } = signer;
  await arena.client.requestDocument(await samplePdf(), [signer]);
  const json = { "content-type": "application/json" };
  const attempts = [{}, { "x-simulator-key": "" }, { "x-simulator-key": "wrong" }, { "x-api-key": apiKey }];
  for (const headers of attempts) {
    const asked = [
      { path: `/simulator/messages?phone=${phone}`, headers },
      { path: `/simulator/messages?phone=${phone}&key=wrong`, headers },
      { path: `/simulator/messages/${UNKNOWN}/reply`, headers: { ...json, ...headers }, body: '{"button":"continue"}' },
      { path: `/simulator/phones/${phone}`, headers: { ...json, ...headers }, body: '{"reachable":false}' },
    ];
    for (const request of asked) {
      const { status, body } = await send(url, request);
      expect(status, request.path).toBe(401);
      expect(body.toString()).not.toContain("/s/");
    }
  }
  const headers = { "x-simulator-key": simulatorKey };
  const opened = await send(url, { path: `/simulator/messages?phone=${phone}`, headers });
  expect(opened.status).toBe(200);
});

test("at a public address there is no demo account, and no simulator unless it is asked for", async () => {
  const PUBLIC_URL = "https://sign.example.com";
  {
    await using plain = await plainService({ PUBLIC_URL, DEMO_API_KEY: "", MESSAGING: "simulator" });
    const { body } = await send(plain.service.url, { path: "/", headers: { accept: "application/json" } });
    expect(body.toString()).not.toContain("rk_");
    expect(plain.service.stderr()).not.toMatch(/rk_/);
    const simulator = await send(plain.service.url, { path: "/simulator/messages?phone=5491140000001" });
    expect(simulator.status).toBe(401);
  }
  using folder = temporaryFolder();
  const environment = { PUBLIC_URL, DEMO_API_KEY: "" };
  await expect(startServiceProcess({ dataDir: folder.path, environment })).rejects.toThrow(/MESSAGING/);
});

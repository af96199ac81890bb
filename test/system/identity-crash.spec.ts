import { once } from "node:events";
import { createImages } from "@rubrica/images";
import { systemClock } from "@rubrica/runtime";
import { testRuntime } from "@rubrica/runtime/testing";
import { eventually, freePort, rubricaClient, startServiceProcess, temporaryFolder } from "@rubrica/test-kit";
import { adapterOf, type Handler, KEY, startServer } from "@rubrica/test-kit/identity/adapter";
import { afterAll, expect, test } from "vitest";
import { openIdentitySimulator } from "../../apps/simulator/src/identity/simulator.ts";
import { differentPhotos, requestPhotographed } from "../support/photographed.ts";

const images = createImages({ clock: systemClock });
afterAll(() => images.close());

/** A provider that lets each kind of question wait, the first time, until whoever asked is gone. */
const provider = async () => {
  const simulator = openIdentitySimulator({
    path: ":memory:",
    keys: [Buffer.alloc(32, 1)],
    images,
    runtime: testRuntime(),
  });
  const adapter = adapterOf(simulator);
  const held = { POST: false, GET: false };
  const checkIds: string[] = [];
  const handler: Handler = async (request, response, body) => {
    const method = request.method === "POST" ? "POST" : "GET";
    if (method === "POST") checkIds.push((JSON.parse(body) as { checkId: string }).checkId);
    if (held[method]) return adapter(request, response, body);
    held[method] = true;
    await once(response, "close");
  };
  const server = await startServer(handler);
  return { url: server.url, held, checkIds, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
};

test("a service killed while the identity provider is asked asks again, and records each answer once", async () => {
  using folder = temporaryFolder();
  await using identity = await provider();
  const environment = { IDENTITY_PROVIDER_URL: identity.url, IDENTITY_PROVIDER_KEY: KEY };
  const options = { dataDir: folder.path, port: await freePort(), environment };
  let service = await startServiceProcess(options);
  const document = await requestPhotographed({ client: rubricaClient(service), dataDir: folder.path });
  const killAndStart = async () => {
    await service.end("SIGKILL");
    service = await startServiceProcess(options);
  };

  await document.upload(await differentPhotos());
  await eventually("the check to be asked for", () => identity.held.POST);
  await killAndStart();
  expect(await document.validated()).toMatchObject({ can_sign: true });
  expect(new Set(identity.checkIds).size).toBe(1);

  await rubricaClient(service).sign(document.link);
  await eventually("the evidence to be asked for", () => identity.held.GET);
  await killAndStart();
  const types = await document.eventsUpTo("ReportGenerated");
  await service.end("SIGTERM");
  for (const type of ["SelfieValidated", "MrzValidated", "EvidenceFetched", "ReportGenerated"] as const) {
    expect(types.filter((one) => one === type)).toEqual([type]);
  }
  expect(types).not.toContain("IdentityProviderFailed");
});

import { configFrom } from "@rubrica/config";
import { type App, compose, openHost } from "@rubrica/hosting";
import { createHttpServer, createLogger, notFoundBody } from "@rubrica/http";
import { openEngines } from "@rubrica/open-engines/stores";
import { systemRuntime } from "@rubrica/runtime";
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
import { examplePath, routeTable, startReverseProxy } from "@rubrica/test-kit/deployment";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiPages } from "../../apps/query-api/src/index.ts";
import { openApps } from "../../apps/standalone/src/apps.ts";

const runtime = systemRuntime();
const logger = createLogger({ clock: runtime.clock, level: "silent" });

/** What an app registers: `GET /path/:parameter`. */
const routesOf = async (app: App): Promise<string[]> => {
  const found: string[] = [];
  const server = createHttpServer({ runtime, logger });
  server.addHook("onRoute", ({ method, url }) => {
    for (const each of [method].flat()) if (each !== "HEAD") found.push(`${each} ${url}`);
  });
  await server.register(compose([app]).routes);
  await server.close();
  return found;
};

test("docs/architecture.md says which app serves each route", async () => {
  using folder = temporaryFolder();
  const host = await openHost(openEngines, configFrom({ DATA_DIR: folder.path }), runtime, logger);
  const { apps, shared } = await openApps(host);
  const served: string[] = [];
  for (const [name, app] of Object.entries(apps))
    for (const route of await routesOf(app)) served.push(`${route} → ${name}`);
  // Swagger UI has more than one.
  const pages = (await routesOf(apiPages(host))).map((route) => route.replace(/\/reference\/.*/, "/reference/*"));
  for (const route of new Set(pages)) served.push(`${route} → query-api`);
  const all = compose([...shared, ...Object.values(apps)]);
  await all.run(AbortSignal.abort());
  await all.close();
  await host.engines.close();

  const said = routeTable.map(({ method, path, app }) => `${method} ${path} → ${app}`);
  expect(said.toSorted()).toEqual(served.toSorted());
});

test("who reads what is projected is not ready, and says so, when that is behind", async () => {
  using folder = temporaryFolder();
  const host = await openHost(openEngines, configFrom({ DATA_DIR: folder.path }), runtime, logger);
  const { apps, shared } = await openApps(host);
  const [asking, measuring] = [
    Object.keys(apps).filter((name) => apps[name]?.checks?.["read models"]),
    Object.keys(apps).filter((name) => apps[name]?.measurements?.projectionLag),
  ];
  const all = compose([...shared, ...Object.values(apps)]);
  await all.run(AbortSignal.abort());
  await all.close();
  await host.engines.close();
  expect(asking).toEqual(["query-api", "verify-web", "projector", "subscribers"]);
  expect(measuring).toEqual(asking);
});

describe("an app in a process of its own, beside a service on its data folder", () => {
  const alone = ["command-api", "query-api", "signing-web", "verify-web", "simulator"] as const;
  const processes = new Map<string, ServiceProcess>();
  const cleanup = new AsyncDisposableStack();
  let dataDir: string;
  let service: ServiceProcess;

  const clientOf = (app: (typeof alone)[number]): RubricaClient => {
    const { url } = processes.get(app) ?? service;
    return rubricaClient({ url, apiKey: service.apiKey });
  };

  beforeAll(async () => {
    dataDir = cleanup.use(temporaryFolder()).path;
    const [port, simulatorPort] = [await freePort(), await freePort()];
    const environment = {
      PUBLIC_URL: `http://localhost:${port}`,
      SIMULATOR_URL: `http://127.0.0.1:${simulatorPort}`,
      SERVICE_URL: `http://127.0.0.1:${port}`,
    };
    service = cleanup.use(await startServiceProcess({ dataDir, port, environment }));
    await Promise.all(
      alone.map(async (app) => {
        const own = app === "simulator" ? { port: simulatorPort } : {};
        processes.set(app, cleanup.use(await startServiceProcess({ dataDir, app, environment, ...own })));
      }),
    );
  });
  afterAll(() => cleanup.disposeAsync());

  test.each(alone)("%s serves its own routes, /livez and /readyz, and no other app's", async (app) => {
    const client = clientOf(app);
    expect((await client.send("GET", "/livez")).status).toBe(200);
    expect((await client.readiness()).json()).toEqual({ status: "ready" });
    const page = app === "signing-web" ? (await client.read("/s/a-token")).text : "";
    const [, asset = "/assets/none"] = /"\.\.(\/assets\/[^"]+)"/.exec(page) ?? [];
    for (const { method, path, app: owner } of routeTable) {
      const concrete = examplePath(path, asset);
      const { status, text } = await client.send(method, concrete, method === "GET" ? undefined : "{}");
      // Of an address that two apps have, each by its own method, the other method is a 405.
      const isServed = status !== 405 && (status !== 404 || text !== JSON.stringify(notFoundBody));
      expect([method, path, isServed]).toEqual([method, path, owner === app]);
    }
  });

  test("each path is answered alike by all apps in one process, and apart behind a proxy", async () => {
    await using proxy = await startReverseProxy(await freePort(), (app) => [processes.get(app)?.url ?? ""]);
    const ask = async (url: string, method: string, path: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(url + path, { method, headers, redirect: "manual" });
      await answer.arrayBuffer();
      return [method, path, answer.status, answer.headers.get("content-type")];
    };
    // This service has its simulator elsewhere.
    for (const { method, path } of routeTable.filter(({ app }) => app !== "simulator")) {
      const concrete = examplePath(path);
      expect(await ask(proxy.url, method, concrete)).toEqual(await ask(service.url, method, concrete));
    }
    const html = { accept: "text/html" };
    expect(await ask(proxy.url, "GET", "/", html)).toEqual(await ask(service.url, "GET", "/", html));
    expect((await ask(proxy.url, "GET", "/", html)).slice(2)).toEqual([200, "text/html; charset=utf-8"]);
    for (const path of ["/livez", "/readyz", "/metrics"]) expect((await ask(proxy.url, "GET", path))[2]).toBe(404);
  });

  test("a document is requested, read, signed and checked through them, and sealed by the service", async () => {
    const { id_seguimiento: id, urls } = await clientOf("command-api").requestDocument(await samplePdf(), [
      sampleSigner(1),
    ]);
    expect((await clientOf("query-api").status(id)).is_finished).toBe(false);
    const link = urls[0]?.link ?? "";
    const page = await clientOf("signing-web").read(new URL(link).pathname);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("<title>Firma electrónica</title>")]);
    await clientOf("command-api").sign(link);
    const sealed = await eventually("the sealed PDF", async () => {
      const { status, bytes } = await clientOf("query-api").read(`/api/v2/documents/${id}`);
      return status === 200 && bytes;
    });
    const report = await clientOf("query-api").read(`/api/v2/reporte/${id}`);
    expect([report.status, report.text.slice(0, 5)]).toEqual([200, "%PDF-"]);
    const pdf = { "content-type": "application/pdf" };
    const checked = await clientOf("verify-web").send("POST", "/api/verify", sealed, pdf);
    expect(checked.json()).toMatchObject({ verdict: "valid", document: { id_seguimiento: id, chain_intact: true } });
  });

  test("a signer is asked, and answers, on a phone of the simulator", async () => {
    const { url = "" } = processes.get("simulator") ?? {};
    const phones = rubricaClient({ url, apiKey: "", simulatorKey: service.simulatorKey });
    const signer = sampleSigner(2);
    await clientOf("command-api").requestDocument(await samplePdf(), [signer]);
    const phone = signer.phone.replace(/\D/g, "");
    const asked = await eventually("the question", async () => (await phones.messagesTo(phone))[0]);
    await phones.press(asked.id, "continue");
    const link = await eventually("the link", async () => (await phones.messagesTo(phone)).find((one) => one.link));
    expect(link.link).toContain("/s/");
  });

  test("a second command-api would work in the first one's folder: it does not start", async () => {
    await using second = await spawnService({ dataDir, app: "command-api" });
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(second.stderr()).toBe(
      `The data folder ${dataDir} is in use by another process: stop that one, or set DATA_DIR to another folder.\n`,
    );
  });

  test.each(["projector", "subscribers"])(
    "%s, which needs the service's message bus, says so and ends",
    async (app) => {
      await using process = await spawnService({ dataDir, app });
      expect(await process.ended).toEqual({ code: 1, signal: null });
      expect(process.stderr()).toBe(
        `The app ${app} can't run alone on embedded engines, whose message bus reaches no other process: set NATS_URL, or start the whole service instead (npm start).\n`,
      );
    },
  );

  test.each(alone)("%s ends when it is asked to", async (app) => {
    expect(await processes.get(app)?.end("SIGTERM")).toEqual({ code: 0, signal: null });
  });
});

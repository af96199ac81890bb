import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { eventually, freePort, toolsMissing } from "@rubrica/test-kit";
import { examplePath, routeTable } from "@rubrica/test-kit/deployment";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { composeWith, someEnvironment } from "./compose.ts";
import { APP_PORT, ownAddresses, type ProxyProcess, startProxy } from "./proxy.ts";

const SERVED = ["command-api", "query-api", "signing-web", "verify-web", "simulator"];
const { services } = composeWith(someEnvironment);

/** Has a container break the connection off. */
const HANG_UP = "/hang-up";

/** What a container was asked. */
interface Asked {
  app: string;
  address: string;
  method: string | undefined;
  url: string | undefined;
  forwardedFor: string | string[] | undefined;
}

const skipped = process.platform !== "linux" || toolsMissing("caddy");

test("every route's app is one that the proxy waits for, or the simulator", () => {
  expect(new Set(routeTable.map(({ app }) => app))).toEqual(new Set(SERVED));
  expect([...Object.keys(services.proxy?.depends_on ?? {}), "simulator"].toSorted()).toEqual(SERVED.toSorted());
});

describe.skipIf(skipped)("the proxy", () => {
  const addresses = new Map<string, string[]>();
  const servers = new Map<string, Server>();
  let proxy: ProxyProcess;
  let url: string;

  /** A container of an app: it says what it was asked. */
  const start = async (app: string, address: string): Promise<void> => {
    const server = createServer(({ method, url, headers }, response) => {
      if (url?.endsWith(HANG_UP)) return response.destroy();
      const asked: Asked = { app, address, method, url, forwardedFor: headers["x-forwarded-for"] };
      response.end(JSON.stringify(asked));
    });
    server.listen(APP_PORT, address);
    await once(server, "listening");
    servers.set(address, server);
    addresses.set(app, [...(addresses.get(app) ?? []), address]);
  };

  const ask = async (method: string, path: string, headers: Record<string, string> = {}): Promise<Asked> =>
    (await fetch(url + path, { method, headers })).json() as Promise<Asked>;

  beforeAll(async () => {
    const next = await ownAddresses();
    for (const app of SERVED)
      for (let replica = 0; replica < (services[app]?.deploy?.replicas ?? 1); replica++) await start(app, next());
    url = `http://localhost:${await freePort()}`;
    proxy = await startProxy(addresses, url);
  });
  afterAll(async () => {
    for (const server of servers.values()) server.close();
    await proxy?.[Symbol.asyncDispose]();
  });

  test.each(routeTable)("$method $path goes to $app", async ({ method, path, app }) => {
    const concrete = examplePath(path);
    expect(await ask(method, concrete)).toMatchObject({ app, method, url: concrete });
  });

  test("what no app has goes where it is said in the API's words", async () => {
    for (const path of ["/api", "/api/v2/documentSets", "/sx", "/verify/x"])
      expect(await ask("GET", path)).toMatchObject({ app: "query-api", url: path });
  });

  test.each(["/livez", "/readyz", "/metrics"])("nobody is asked for %s, which is each app's own", async (path) => {
    expect((await fetch(url + path)).status).toBe(404);
  });

  test("an app hears the caller's address from the proxy, and nobody else's word for it", async () => {
    const { forwardedFor } = await ask("GET", "/files/a", { "x-forwarded-for": "192.0.2.1" });
    expect(["127.0.0.1", "::1"]).toContain(forwardedFor);
  });

  test("all containers of an app are asked, and one that is gone is missed by nobody", async () => {
    const [first = "", second = ""] = addresses.get("command-api") ?? [];
    const asked = new Set<string>();
    await eventually("both to be asked", async () => {
      asked.add((await ask("GET", "/api/signing/a")).address);
      return asked.size === 2;
    });
    expect(asked).toEqual(new Set([first, second]));
    servers.get(first)?.close();
    servers.get(first)?.closeAllConnections();
    const askedNow = async (method: string, path: string) => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask(method, path)));
      return new Set(answers.map(({ address }) => address));
    };
    // In the moment in which it goes, what is sent on a connection that it had may be lost, and a POST is not sent again
    // by the proxy. GETs are, and leave it no such connection.
    expect(await askedNow("GET", "/api/signing/a")).toEqual(new Set([second]));
    expect(await askedNow("POST", "/api/v2/documentSet")).toEqual(new Set([second]));
  });

  test("no token and no key gets into its log", async () => {
    const path = `/api/signing/a-signers-token${HANG_UP}`;
    const headers = { "x-api-key": "an-integrators-key" };
    expect((await fetch(url + path, { method: "POST", headers })).status).toBe(502);
    await eventually("the log's line", () => proxy.log().includes('"status":502'));
    expect(proxy.log()).not.toMatch(/a-signers-token|an-integrators-key/);
  });

  test("a container that comes later is found", async () => {
    const [last = ""] = addresses.get("verify-web") ?? [];
    const added = last.replace(/\d+$/, "200");
    await start("verify-web", added);
    await eventually("the new one to be asked", async () => (await ask("GET", "/verify")).address === added);
  });
});

import { systemClock } from "@rubrica/runtime";
import { ManualClock, testRuntime } from "@rubrica/runtime/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  apiKeyAuth,
  countedBy,
  countLink,
  countStranger,
  createHttpServer,
  createLogger,
  createRateLimiter,
  type HttpServer,
  health,
  openApi,
  type RateLimits,
  senderOf,
} from "../src/index.ts";
import { directoryOf } from "./support.ts";

const Empty = { schema: { response: { 200: z.object({}) } } };

/** Two scopes, as the writing and the reading side are, that count together; links (`good-…` are); and an open page. */
const limited = async (rates: RateLimits, clock = new ManualClock()): Promise<HttpServer> => {
  const runtime = { ...testRuntime(), clock };
  const logger = createLogger({ clock, level: "silent" });
  const app = createHttpServer({ runtime, logger, rates, trustProxy: 1 });
  const directory = directoryOf({
    one: { accountId: "a1", keyId: "k1", blocked: false },
    two: { accountId: "a1", keyId: "k2", blocked: false },
    blocked: { accountId: "a2", keyId: "k3", blocked: true },
  });
  await app.register(openApi, { title: "t", description: "d", version: "1" });
  await app.register(health({ clock, checks: {} }));
  for (const url of ["/write", "/read"]) {
    await app.register(async (scope) => {
      await scope.register(apiKeyAuth, { directory, clock: systemClock });
      scope.post(url, Empty, async () => ({}));
      scope.put(url, { ...Empty, config: { errors: { tooManyRequests: { message: "slowly" } } } }, async () => ({}));
      scope.patch(url, { ...Empty, config: { limitedStatus: 503 } }, async () => ({}));
    });
  }
  await app.register(async (scope) => {
    countedBy(scope, "link");
    scope.addHook<{ Params: { token: string } }>("onRequest", async (request, reply) => {
      const { token } = request.params;
      if (token.startsWith("good")) countLink(request, reply, token);
      else countStranger(request, reply);
    });
    scope.get("/links/:token", async (request) => senderOf(request));
    scope.post("/links/:token", async () => ({}));
  });
  app.get("/page", Empty, async () => ({}));
  app.get("/sender", async (request) => senderOf(request));
  return app;
};

const post = (app: HttpServer, url = "/write", key = "one", from = "203.0.113.7") =>
  app.inject({ method: "POST", url, headers: { "x-api-key": key, "x-forwarded-for": from } });
const get = (app: HttpServer, url: string, from = "203.0.113.7") =>
  app.inject({ url, headers: { "x-forwarded-for": from } });
const statuses = (answers: { statusCode: number }[]) => answers.map(({ statusCode }) => statusCode);

describe("a key's requests", () => {
  test("are answered up to the limit, each telling what is left", async () => {
    const app = await limited({ perKey: 2 });
    const answers = [await post(app), await post(app, "/read"), await post(app)];
    expect(statuses(answers)).toEqual([200, 200, 429]);
    expect(answers.map(({ headers }) => headers["ratelimit-remaining"])).toEqual(["1", "0", "0"]);
    expect(answers.map(({ headers }) => headers["ratelimit-limit"])).toEqual(["2", "2", "2"]);
    expect(answers.map(({ headers }) => headers["retry-after"])).toEqual([undefined, undefined, "60"]);
    expect(answers[2]?.body).toBe('{"error":"Too many requests; try again later"}');
  });

  test("are counted anew when the minute is over", async () => {
    const clock = new ManualClock();
    const app = await limited({ perKey: 1 }, clock);
    expect((await post(app)).statusCode).toBe(200);
    clock.advance(59_001);
    const { statusCode, headers } = await post(app);
    expect([statusCode, headers["ratelimit-reset"], headers["retry-after"]]).toEqual([429, "1", "1"]);
    clock.advance(999);
    expect((await post(app)).statusCode).toBe(200);
  });

  test("take nothing from another key, of the same account too", async () => {
    const app = await limited({ perKey: 1 });
    expect(statuses([await post(app), await post(app, "/write", "two"), await post(app)])).toEqual([200, 200, 429]);
  });

  test("are refused in the route's own shape, and with its own status", async () => {
    const app = await limited({ perKey: 1 });
    await post(app);
    const headers = { "x-api-key": "one" };
    const put = await app.inject({ method: "PUT", url: "/read", headers });
    expect([put.statusCode, put.body]).toEqual([429, '{"message":"slowly"}']);
    const patch = await app.inject({ method: "PATCH", url: "/read", headers });
    expect([patch.statusCode, patch.headers["retry-after"]]).toEqual([503, "60"]);
  });

  test("are never limited by the address that others share, and those of a blocked key count by the key", async () => {
    const app = await limited({ perKey: 3, perAddress: 1 });
    expect(statuses([await get(app, "/page"), await get(app, "/page")])).toEqual([200, 429]);
    expect(statuses([await post(app), await post(app), await post(app)])).toEqual([200, 200, 200]);
    expect((await post(app, "/write", "blocked")).statusCode).toBe(403);
  });
});

describe("a link's requests", () => {
  test("are counted by the link, those that send something more strictly, and never by the address", async () => {
    const app = await limited({ perLink: 8, perAddress: 1 });
    await get(app, "/page");
    const sends = () =>
      app.inject({ method: "POST", url: "/links/good-1", headers: { "x-forwarded-for": "203.0.113.7" } });
    expect(statuses([await sends(), await sends(), await sends()])).toEqual([200, 200, 429]);
    const reads = await Promise.all(Array.from({ length: 6 }, () => get(app, "/links/good-1")));
    expect(statuses(reads)).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await get(app, "/links/good-2")).statusCode).toBe(200);
  });

  test("of links that there are not are counted by the address", async () => {
    const app = await limited({ perLink: 8, perAddress: 2 });
    const answers = [await get(app, "/links/a"), await get(app, "/links/b"), await get(app, "/links/c")];
    expect(statuses(answers)).toEqual([200, 200, 429]);
  });
});

describe("requests without a good key or link", () => {
  test("are counted by address: unknown keys, pages and addresses that there are not", async () => {
    const app = await limited({ perAddress: 4 });
    const answers = [
      await post(app, "/write", "three"),
      await get(app, "/page"),
      await app.inject({ method: "POST", url: "/nowhere", headers: { "x-forwarded-for": "203.0.113.7" } }),
      await app.inject({ method: "DELETE", url: "/page", headers: { "x-forwarded-for": "203.0.113.7" } }),
      await post(app, "/write", "three"),
      await get(app, "/nowhere"),
    ];
    expect(statuses(answers)).toEqual([401, 200, 404, 405, 429, 429]);
    expect((await get(app, "/page", "203.0.113.8")).statusCode).toBe(200);
  });

  test("share a count with their IPv6 network, however they write their address", async () => {
    const app = await limited({ perAddress: 3 });
    const from = ["2001:db8:0:7::1", "2001:DB8:0000:0007:ffff:1:2:3", "[2001:db8:0:7:a::]:4711", "2001:db8:0:7:b::"];
    const answers = [];
    for (const address of from) answers.push(await get(app, "/page", address));
    expect(statuses(answers)).toEqual([200, 200, 200, 429]);
    expect((await get(app, "/page", "2001:db8:0:8::1")).statusCode).toBe(200);
  });

  test("with whatever a proxy may tell instead of an address are counted together, as the proxy's", async () => {
    const app = await limited({ perAddress: 2 });
    const answers = [
      await get(app, "/page", "a"),
      await get(app, "/page", "b"),
      await get(app, "/page", "x".repeat(9_000)),
    ];
    expect(statuses(answers)).toEqual([200, 200, 429]);
  });

  test("for what tells how the service does, and for the reference's files, are always answered", async () => {
    const app = await limited({ perAddress: 1 });
    await get(app, "/page");
    const files = ["/livez", "/readyz", "/reference/static/index.css"];
    expect(statuses(await Promise.all(files.map((url) => get(app, url))))).toEqual([200, 200, 200]);
    expect((await get(app, "/reference/json")).statusCode).toBe(429);
  });
});

test("whoever asks is named by what they showed", async () => {
  const app = await limited({});
  expect((await get(app, "/links/good-1")).json()).toEqual({ kind: "link", name: "link:good-1" });
  expect((await get(app, "/sender")).json()).toEqual({
    kind: "address",
    name: expect.stringMatching(/^address:\d{1,5}$/),
  });
});

describe("the count", () => {
  test("carries refused requests over to the minute that follows, up to half of it", () => {
    const clock = new ManualClock();
    const limiter = createRateLimiter({ clock, perMinute: 10 });
    const takeTimes = (times: number) =>
      Array.from({ length: times }, () => limiter.take("a")).filter(({ allowed }) => allowed).length;
    expect(takeTimes(12)).toBe(10);
    clock.advance(60_000);
    expect(takeTimes(1_000)).toBe(8);
    clock.advance(60_000);
    // However much was asked for, half a minute's is granted.
    expect(takeTimes(1_000)).toBe(5);
    clock.advance(120_000);
    expect(takeTimes(10)).toBe(10);
  });

  test("forgets the oldest names rather than fill the memory", () => {
    const limiter = createRateLimiter({ clock: new ManualClock(), perMinute: 1 });
    limiter.take("first");
    expect(limiter.take("first").allowed).toBe(false);
    for (let name = 0; name < 65_535; name++) limiter.take(String(name));
    expect(limiter.take("first").allowed).toBe(false);
    limiter.take("one more");
    expect(limiter.take("first").allowed).toBe(true);
  });
});

test("the description tells the refusal on every limited route", async () => {
  const { paths } = (await (await limited({})).inject("/openapi.json")).json();
  for (const operation of [paths["/write"].post, paths["/page"].get]) {
    expect(operation.responses["429"].content["application/json"].example).toEqual({
      error: "Too many requests; try again later",
    });
  }
  expect(Object.keys(paths["/livez"].get.responses)).toEqual(["200"]);
});

import { Readable } from "node:stream";
import { systemClock } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { apiKeySha256 } from "@rubrica/secrets";
import { describe, expect, test } from "vitest";
import { apiKeyAuth, callerOf, type HttpServer, UnreadableAccount } from "../src/index.ts";
import { refreshGate } from "../src/refresh-gate.ts";
import { directoryOf, loggedServer } from "./support.ts";

const known = { accountId: "a1", keyId: "k1", blocked: false };

const guarded = async (directory: ReturnType<typeof directoryOf>): Promise<HttpServer> => {
  const { app } = loggedServer();
  await app.register(async (scope) => {
    await scope.register(apiKeyAuth, { directory, clock: systemClock });
    scope.get("/who", async (request) => callerOf(request));
    scope.post("/who", async () => ({}));
    scope.put(
      "/name",
      { config: { errors: { unauthorized: { message: "Unauthorized" }, blocked: { message: "blocked" } } } },
      async () => ({}),
    );
  });
  app.get("/open", async (request) => callerOf(request));
  return app;
};
const get = (app: HttpServer, key?: string) => app.inject({ url: "/who", headers: key ? { "x-api-key": key } : {} });

describe("the key of a request", () => {
  test("opens its account", async () => {
    const app = await guarded(directoryOf({ good: known }));
    expect((await get(app, "good")).json()).toEqual({ accountId: "a1", keyId: "k1" });
  });

  test.each([
    ["missing", undefined],
    ["unknown", "bad"],
    ["oversized", "x".repeat(5_000)],
  ])("is refused when %s", async (_name, key) => {
    const response = await get(await guarded(directoryOf({ good: known })), key);
    expect([response.statusCode, response.body]).toEqual([401, '{"error":"Unauthorized"}']);
  });

  test("is said where it goes to who sent it as a bearer token", async () => {
    const app = await guarded(directoryOf({ good: known }));
    const clue = "The API key goes in the header x-api-key";
    const bearer = { authorization: "Bearer good" };
    expect((await app.inject({ url: "/who", headers: bearer })).json()).toEqual({ error: "Unauthorized", clue });
    expect((await app.inject({ method: "PUT", url: "/name", headers: bearer })).json()).toEqual({
      message: "Unauthorized",
      clue,
    });
    const both = await app.inject({ url: "/who", headers: { ...bearer, "x-api-key": "bad" } });
    expect(both.json()).toEqual({ error: "Unauthorized" });
  });

  test("is refused when blocked, with the text that says so", async () => {
    const response = await get(await guarded(directoryOf({ good: { ...known, blocked: true } })), "good");
    expect([response.statusCode, response.body]).toEqual([
      403,
      '{"error":"Tu API Key se encuentra bloqueada. Por favor contacta a soporte."}',
    ]);
  });

  test("is refused in the route's own shape", async () => {
    const app = await guarded(directoryOf({ good: { ...known, blocked: true } }));
    expect((await app.inject({ method: "PUT", url: "/name" })).body).toBe('{"message":"Unauthorized"}');
    const blocked = await app.inject({ method: "PUT", url: "/name", headers: { "x-api-key": "good" } });
    expect([blocked.statusCode, blocked.body]).toEqual([403, '{"message":"blocked"}']);
  });

  test("is looked at before the body is read", async () => {
    const app = await guarded(directoryOf({}));
    let readBytes = 0;
    const body = new Readable({
      read() {
        readBytes += 1;
        this.push("{");
      },
    });
    const response = await app.inject({
      method: "POST",
      url: "/who",
      headers: { "content-type": "application/json" },
      payload: body,
    });
    expect([response.statusCode, readBytes]).toEqual([401, expect.any(Number)]);
    expect(readBytes).toBeLessThan(10);
  });

  test("works at once when it was just made", async () => {
    const directory = directoryOf({}, async () => directory.add("fresh", known));
    expect((await get(await guarded(directory), "fresh")).statusCode).toBe(200);
  });

  test("leaves routes outside of the scope alone, which then have no caller", async () => {
    const app = await guarded(directoryOf({ good: known }));
    expect((await app.inject("/open")).statusCode).toBe(500);
  });

  test("of an account that can't be read is a 503, as is an unknown one meanwhile: it may be that account's", async () => {
    const directory = directoryOf({ good: known });
    const app = await guarded({
      ...directory,
      find: async (sha256) => {
        if (sha256 === apiKeySha256("unreadable")) throw new UnreadableAccount();
        return directory.find(sha256);
      },
      anyUnreadable: async () => true,
    });
    const refused = await get(app, "unreadable");
    expect([refused.statusCode, refused.headers["retry-after"]]).toEqual([503, "300"]);
    expect((await get(app, "bad")).statusCode).toBe(503);
    expect((await get(app, "good")).statusCode).toBe(200);
    expect((await get(app)).statusCode).toBe(401);
  });

  test("a store that can't be asked is a 500, and known keys work still", async () => {
    const directory = directoryOf({ good: known }, () => Promise.reject(new Error("down")));
    const app = await guarded(directory);
    expect((await get(app, "bad")).statusCode).toBe(500);
    expect((await get(app, "good")).statusCode).toBe(200);
  });
});

describe("looking for unknown keys", () => {
  const settle = () => new Promise(setImmediate);

  test("a thousand at once cost two looks", async () => {
    const directory = directoryOf({});
    const app = await guarded(directory);
    await app.ready();
    const answers = await Promise.all(Array.from({ length: 1_000 }, (_, n) => get(app, `bad${n}`)));
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([401]));
    expect(directory.refreshes).toBeLessThanOrEqual(2);
  });

  test("whoever asks gets a look that began after the question", async () => {
    const clock = new ManualClock();
    const looks: PromiseWithResolvers<void>[] = [];
    const look = refreshGate(
      () => {
        const made = Promise.withResolvers<void>();
        looks.push(made);
        return made.promise;
      },
      clock,
      100,
    );
    const first = look();
    await settle();
    let secondDone = false;
    const second = look().then(() => {
      secondDone = true;
    });
    looks[0]?.resolve();
    await first;
    await settle();
    expect([looks.length, secondDone]).toEqual([1, false]);
    clock.advance(100);
    await settle();
    expect(looks.length).toBe(2);
    looks[1]?.resolve();
    await second;
  });

  test("a look that failed does not stop the next", async () => {
    const clock = new ManualClock();
    let fails = true;
    const look = refreshGate(() => (fails ? Promise.reject(new Error("down")) : Promise.resolve()), clock, 0);
    await expect(look()).rejects.toThrow("down");
    fails = false;
    await expect(look()).resolves.toBeUndefined();
  });
});

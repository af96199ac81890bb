import { systemClock } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { apiKeyAuth, createRateLimiter, type HttpServer, openApi, rateLimit } from "../src/index.ts";
import { directoryOf, loggedServer } from "./support.ts";

/** Two scopes, as the writing and the reading side are, that count together. */
const limited = async (perMinute: number, clock = new ManualClock()): Promise<HttpServer> => {
  const { app } = loggedServer();
  const limiter = createRateLimiter({ clock, perMinute });
  const directory = directoryOf({
    one: { accountId: "a1", keyId: "k1", blocked: false },
    two: { accountId: "a1", keyId: "k2", blocked: false },
  });
  await app.register(openApi, { title: "t", description: "d", version: "1" });
  for (const url of ["/write", "/read"]) {
    await app.register(async (scope) => {
      await scope.register(apiKeyAuth, { directory, clock: systemClock });
      await scope.register(rateLimit, { limiter });
      scope.post(url, { schema: { response: { 200: z.object({}) } } }, async () => ({}));
      scope.put(
        url,
        { config: { errors: { tooManyRequests: { message: "slowly" } } }, schema: { response: { 200: z.object({}) } } },
        async () => ({}),
      );
    });
  }
  return app;
};
const post = (app: HttpServer, url = "/write", key = "one") =>
  app.inject({ method: "POST", url, headers: { "x-api-key": key } });

describe("a key's requests", () => {
  test("are answered up to the limit, each telling what is left", async () => {
    const app = await limited(2);
    const answers = [await post(app), await post(app, "/read"), await post(app)];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429]);
    expect(answers.map(({ headers }) => headers["ratelimit-remaining"])).toEqual(["1", "0", "0"]);
    expect(answers.map(({ headers }) => headers["ratelimit-limit"])).toEqual(["2", "2", "2"]);
    expect(answers.map(({ headers }) => headers["retry-after"])).toEqual([undefined, undefined, "60"]);
    expect(answers[2]?.body).toBe('{"error":"Too many requests; try again later"}');
  });

  test("are counted anew when the minute is over, and refused ones do not count", async () => {
    const clock = new ManualClock();
    const app = await limited(1, clock);
    expect((await post(app)).statusCode).toBe(200);
    clock.advance(59_001);
    const refused = await post(app);
    expect([refused.statusCode, refused.headers["ratelimit-reset"], refused.headers["retry-after"]]).toEqual([
      429,
      "1",
      "1",
    ]);
    clock.advance(999);
    expect((await post(app)).statusCode).toBe(200);
    expect((await post(app)).statusCode).toBe(429);
  });

  test("take nothing from another key", async () => {
    const app = await limited(1);
    expect((await post(app)).statusCode).toBe(200);
    expect((await post(app, "/write", "two")).statusCode).toBe(200);
    expect((await post(app)).statusCode).toBe(429);
  });

  test("are refused in the route's own shape", async () => {
    const app = await limited(1);
    await post(app);
    const put = await app.inject({ method: "PUT", url: "/read", headers: { "x-api-key": "one" } });
    expect([put.statusCode, put.body]).toEqual([429, '{"message":"slowly"}']);
  });
});

test("an unknown key is told that it is unknown, and nothing of limits", async () => {
  const answer = await post(await limited(1), "/write", "three");
  expect([answer.statusCode, answer.headers["ratelimit-limit"]]).toEqual([401, undefined]);
});

test("the description tells the refusal on every limited route", async () => {
  const { paths } = (await (await limited(1)).inject("/openapi.json")).json();
  expect(paths["/write"].post.responses["429"].content["application/json"].example).toEqual({
    error: "Too many requests; try again later",
  });
});

import { ManualClock } from "@rubrica/runtime/testing";
import { describe, expect, test } from "vitest";
import { createLogger, describeError } from "../src/index.ts";
import { loggedServer } from "./support.ts";

const secret = "Ana Paz 30123456";

describe("a request's log line", () => {
  test("is one, and names the route's template, never the URL", async () => {
    const { app, lines } = loggedServer();
    app.get("/s/:token", async () => ({}));
    const response = await app.inject("/s/tok123?phone=5491122334455");
    expect(lines()).toHaveLength(1);
    expect(lines()[0]).toEqual({
      level: "info",
      time: expect.stringMatching(/Z$/),
      requestId: response.headers["x-request-id"],
      method: "GET",
      route: "/s/:token",
      status: 200,
      durationMs: expect.any(Number),
      msg: "request",
    });
    expect(JSON.stringify(lines())).not.toMatch(/tok123|5491122334455/);
  });

  test("of an unknown address names no address", async () => {
    const { app, lines } = loggedServer();
    await app.inject("/nowhere/tok123");
    expect(lines()).toMatchObject([{ route: null, status: 404 }]);
    expect(JSON.stringify(lines())).not.toContain("tok123");
  });

  test("of a failure tells type, code, stack and causes, and nothing that the message quotes", async () => {
    const { app, lines } = loggedServer();
    app.get("/broken", async () => {
      const cause = Object.assign(new TypeError(secret), { code: "E_CAUSE" });
      throw new Error(secret, { cause });
    });
    await app.inject("/broken");
    expect(lines()).toHaveLength(1);
    expect(lines()[0]).toMatchObject({
      level: "error",
      status: 500,
      err: {
        type: "Error",
        stack: expect.stringContaining("log.spec.ts"),
        cause: { type: "TypeError", code: "E_CAUSE" },
      },
    });
    expect(JSON.stringify(lines())).not.toContain("Ana");
  });

  test("of a body that can't be read quotes nothing of it", async () => {
    const { app, lines } = loggedServer();
    app.post("/documents", async () => ({}));
    await app.inject({
      method: "POST",
      url: "/documents",
      payload: `{${secret}`,
      headers: { "content-type": "application/json" },
    });
    expect(lines()).toMatchObject([{ status: 400 }]);
    expect(JSON.stringify(lines())).not.toContain("Ana");
  });
});

describe("the logger", () => {
  const logged = (log: (logger: ReturnType<typeof createLogger>) => void, pretty = false): string => {
    let text = "";
    const stream = {
      write: (line: string) => {
        text += line;
      },
    };
    log(createLogger({ clock: new ManualClock(), stream, pretty }));
    return text;
  };

  test.each([
    ["an error alone", (logger: ReturnType<typeof createLogger>) => logger.error(new Error(secret))],
    ["an error as err", (logger: ReturnType<typeof createLogger>) => logger.error({ err: new Error(secret) })],
    ["an error with a text", (logger: ReturnType<typeof createLogger>) => logger.error(new Error(secret), "failed")],
  ])("leaves out the message of %s", (_name, log) => {
    const text = logged(log);
    expect(text).toContain('"type":"Error"');
    expect(text).not.toContain("Ana");
  });

  test("takes its time from the clock", () => {
    expect(JSON.parse(logged((logger) => logger.info("started")))).toEqual({
      level: "info",
      time: "2026-01-01T00:00:00.000Z",
      msg: "started",
    });
  });

  test("writes for a person when asked to", () => {
    const text = logged((logger) => logger.info({ port: 3000 }, "listening"), true);
    expect(text).toContain("listening");
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  test("follows causes to a limit", () => {
    const loop = new Error("a");
    loop.cause = loop;
    expect(JSON.stringify(describeError(loop)).match(/"type"/g)).toHaveLength(6);
  });
});

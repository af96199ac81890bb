import { HelpersBusy } from "@rubrica/helpers";
import { describe, expect, test } from "vitest";
import { HttpError, NotYetThere } from "../src/index.ts";
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
        stack: expect.stringContaining("request-log.spec.ts"),
        cause: { type: "TypeError", code: "E_CAUSE" },
      },
    });
    expect(JSON.stringify(lines())).not.toContain("Ana");
  });

  test.each([
    ["by count", new HttpError(503, { error: "later" })],
    ["for want of room", new HelpersBusy("full")],
    ["while read models are behind", new NotYetThere()],
  ])("of what is refused %s is no error", async (_why, refusal) => {
    const { app, lines } = loggedServer();
    app.get("/refused", async () => {
      throw refusal;
    });
    await app.inject("/refused");
    expect(lines()).toMatchObject([{ level: "info", status: 503 }]);
    expect(lines()[0]).not.toHaveProperty("err");
  });

  test("of helpers that are busy since one ended tells how", async () => {
    const { app, lines } = loggedServer();
    app.get("/ended", async () => {
      throw new HelpersBusy("images ended", { cause: new Error("out of memory") });
    });
    await app.inject("/ended");
    expect(lines()).toMatchObject([{ level: "error", status: 503, err: { cause: { type: "Error" } } }]);
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

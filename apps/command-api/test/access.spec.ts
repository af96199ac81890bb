import { describe, expect, test } from "vitest";
import { ask, LEGACY, pdfOf, requestOf, V2 } from "./requests.ts";
import { world } from "./world.ts";

const BLOCKED = "Tu API Key se encuentra bloqueada. Por favor contacta a soporte.";

describe.each([V2, LEGACY])("POST %s", (url) => {
  test.each([
    ["missing", null],
    ["unknown", "nobody's"],
    ["empty", ""],
    ["given twice", "pro, pro"],
  ])("is a 401 when the key is %s, whatever the body", async (_what, key) => {
    const { status, body } = await (await world()).send("POST", url, "{", { key });
    expect([status, body]).toEqual([401, { error: "Unauthorized" }]);
  });

  test("is a 403 when the key is blocked, whatever the body", async () => {
    const { status, body } = await (await world()).send("POST", url, "{", { key: "blocked" });
    expect([status, body]).toEqual([403, { error: BLOCKED }]);
  });

  test("looks at the key before the size, at the size before the content", async () => {
    const made = await world({ limits: { documentBytes: 1_000 } });
    const large = `{${" ".repeat(2_000_000)}`;
    expect((await made.send("POST", url, large, { key: null })).status).toBe(401);
    expect((await made.send("POST", url, large, { key: "blocked" })).status).toBe(403);
    const { status, body } = await made.send("POST", url, large);
    expect([status, body]).toEqual([413, { error: "Request body is larger than 1050076 bytes" }]);
  });

  test("is a 413 when the document is too large, whatever else is wrong", async () => {
    const limits = { documentBytes: 4_000 };
    const document = Buffer.alloc(4_001).toString("base64");
    const { status, body } = await (await world({ limits })).send("POST", url, { document, datos_firmantes: 1 });
    expect([status, body]).toEqual([413, { error: "The document is larger than 4000 bytes" }]);
  });

  test("is a 500 that says nothing when something fails on this side", async () => {
    const made = await world();
    made.dependencies.files.put = () => Promise.reject(new Error("disk on fire"));
    const { status, body } = await made.send("POST", url, requestOf());
    expect([status, body]).toEqual([500, { error: "Internal Server Error" }]);
    expect(made.log()).not.toContain("disk on fire");
  });

  test("counts what was refused and what was repeated", async () => {
    const made = await world({ rates: { perKey: 4 } });
    const repeated = { headers: { "idempotency-key": "once" } };
    const answers = [
      await made.send("POST", url, "{"),
      await made.send("POST", url, {}),
      await made.send("POST", url, requestOf(), repeated),
      await made.send("POST", url, requestOf(), repeated),
      await made.send("POST", url, requestOf(), repeated),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 200, 200, 429]);
  });

  test("is a 429 when the key has made its requests of this minute", async () => {
    const made = await world({ rates: { perKey: 1 } });
    expect((await made.send("POST", url, requestOf())).headers["ratelimit-remaining"]).toBe("0");
    const { status, body, headers } = await made.send("POST", url, "{");
    expect([status, body, headers["retry-after"]]).toEqual([
      429,
      { error: "Too many requests; try again later" },
      "60",
    ]);
    expect((await made.send("POST", url, "{", { key: null })).status).toBe(401);
  });
});

test("a document of exactly the limit is taken", async () => {
  const document = pdfOf();
  const limits = { documentBytes: Buffer.from(document, "base64").length };
  expect((await ask(await world({ limits }), requestOf({ document }))).status).toBe(200);
});

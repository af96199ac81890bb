import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { UnreadableStreamError } from "@rubrica/journal";
import { systemClock } from "@rubrica/runtime";
import { KeyUnreadableError } from "@rubrica/storage";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type ErrorBodies,
  HttpError,
  shutDown,
  tooLargeText,
  UNREACHABLE_TEXT,
  UNREADABLE_TEXT,
} from "../src/index.ts";
import { loggedServer } from "./support.ts";

const opened: { close(): Promise<unknown> }[] = [];
const server = (...args: Parameters<typeof loggedServer>) => {
  const made = loggedServer(...args);
  opened.push(made.app);
  return made;
};
afterEach(async () => {
  for (const app of opened.splice(0)) await app.close();
});

const Body = z.object({ signers: z.array(z.object({ dni: z.string() })) });
const errors: ErrorBodies = {
  badRequest: (details) => ({ error: ["Missing data or error information"], details }),
  tooLarge: (limitBytes) => ({ error: [tooLargeText(limitBytes)] }),
  internal: { error: "Error al obtener el documento" },
};

const damaged = {
  id: "0198c1c5-2f2b-7cc0-9d52-1f0f5a4b7c11",
  stream: "document-019aa5c0-0000-7000-8000-0000000000d1",
  streamKind: "document",
  streamId: "019aa5c0-0000-7000-8000-0000000000d1",
  revision: 3n,
  position: { commit: 9n, prepare: 9n },
  reason: "its data can't be read as JSON",
  accountId: null,
  at: null,
} as const;

describe("answers", () => {
  test("an unknown address is a 404 with the same body everywhere", async () => {
    const { app } = server();
    const response = await app.inject("/nowhere/5491122334455");
    expect([response.statusCode, response.body]).toEqual([404, '{"error":"Not found"}']);
  });

  test("an address that there is, for other methods, is a 405 that names them", async () => {
    const { app } = server();
    app.get("/things/:id", async () => ({}));
    app.put("/things/:id", async () => ({}));
    app.get("/assets/*", async () => ({}));
    for (const [method, url, status, allow] of [
      ["POST", "/things/1?a=/b", 405, "GET, HEAD, PUT"],
      ["DELETE", "/assets/a/b.css", 405, "GET, HEAD"],
      ["POST", "/things/1/more", 404, undefined],
      ["POST", "/things", 404, undefined],
    ] as const) {
      const { statusCode, headers } = await app.inject({ method, url, payload: {} });
      expect([url, statusCode, headers.allow]).toEqual([url, status, allow]);
    }
  });

  test("every answer carries a request id of the server's own making", async () => {
    const { app } = server();
    app.get("/ok", async () => ({}));
    const response = await app.inject({ url: "/ok", headers: { "x-request-id": "mine" } });
    expect(response.headers["x-request-id"]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(response.headers["x-content-type-options"]).toBe("nosniff");
  });

  test("a thrown HttpError is answered as it is", async () => {
    const { app } = server();
    app.get("/gone", async () => {
      throw new HttpError(404, { error: "No se encontró el archivo" });
    });
    const response = await app.inject("/gone");
    expect([response.statusCode, response.json()]).toEqual([404, { error: "No se encontró el archivo" }]);
  });

  test("a failure on this side gives the route's own 500 and never the error's message", async () => {
    const { app } = server();
    app.get("/broken", { config: { errors } }, async () => {
      throw Object.assign(new Error("Ana Paz 30123456"), { code: "SQLITE_IOERR" });
    });
    const response = await app.inject("/broken");
    expect([response.statusCode, response.body]).toEqual([500, '{"error":"Error al obtener el documento"}']);
  });

  test.each([
    ["a stream", new UnreadableStreamError(damaged)],
    ["a key", new KeyUnreadableError()],
  ])("%s that is damaged is a 503 with the route's own body, and says nothing of what is damaged", async (_, error) => {
    const { app, lines } = server();
    const config = { errors: { unreadable: { message: "come again" } } };
    for (const [path, options] of Object.entries({ "/own": { config }, "/default": {} }))
      app.get(path, options, async () => {
        throw error;
      });
    const [own, other] = [await app.inject("/own"), await app.inject("/default")];
    expect([own.statusCode, own.headers["retry-after"], own.body]).toEqual([503, "300", '{"message":"come again"}']);
    expect([other.statusCode, other.json()]).toEqual([503, { error: UNREADABLE_TEXT }]);
    expect(JSON.stringify(lines())).toContain(error.name);
  });

  test("an engine that does not answer is a 503 with the route's own body, to be asked again soon", async () => {
    const { app, lines } = server({ isOutage: (error) => error instanceof RangeError });
    const config = { errors: { unreachable: { message: "come again" } } };
    for (const [path, options] of Object.entries({ "/own": { config }, "/default": {} }))
      app.get(path, options, async () => {
        throw new RangeError("no answer from mongodb");
      });
    const [own, other] = [await app.inject("/own"), await app.inject("/default")];
    expect([own.statusCode, own.headers["retry-after"], own.body]).toEqual([503, "5", '{"message":"come again"}']);
    expect([other.statusCode, other.json()]).toEqual([503, { error: UNREACHABLE_TEXT }]);
    expect(JSON.stringify(lines())).toContain("RangeError");
  });

  test("a failure without a body of its own is the default 500", async () => {
    const { app } = server();
    app.get("/broken", async () => {
      throw new Error("secret");
    });
    expect((await app.inject("/broken")).body).toBe('{"error":"Internal Server Error"}');
  });

  test("an answer that does not fit its schema is a 500 and says nothing of it", async () => {
    const { app } = server();
    app.get("/odd", { schema: { response: { 200: z.object({ n: z.number() }) } } }, async () => ({ n: "x" }) as never);
    const response = await app.inject("/odd");
    expect([response.statusCode, response.body]).toEqual([500, '{"error":"Internal Server Error"}']);
  });

  test.each([
    ["/ids/%ff%zz", "%ff%zz"],
    ["/ids/%", "%"],
    ["/ids/a%2Fb?x=%zz", "a/b"],
    [`/ids/${"x".repeat(9_000)}`, "x".repeat(9_000)],
  ])("a hostile path parameter reaches its route as text", async (url, id) => {
    const { app } = server();
    app.get("/ids/:id", { schema: { params: z.object({ id: z.string() }) } }, async ({ params }) => params);
    expect((await app.inject(url)).json()).toEqual({ id });
  });
});

describe("bodies that can't be taken", () => {
  const withPost = (bodyLimitBytes = 1_000) => {
    const made = server({ bodyLimitBytes });
    made.app.post("/documents", { schema: { body: Body }, config: { errors } }, async () => ({ ok: true }));
    return made;
  };
  const post = (payload: string, contentType = "application/json") =>
    withPost().app.inject({ method: "POST", url: "/documents", payload, headers: { "content-type": contentType } });

  test("all faults at once, by the caller's path, without the value", async () => {
    const response = await post('{"signers":[{"dni":"1"},{"dni":30123456},{}]}');
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual({
      error: ["Missing data or error information"],
      details: [
        { path: "signers[1].dni", message: "Invalid input: expected string, received number" },
        { path: "signers[2].dni", message: "Invalid input: expected string, received undefined" },
      ],
    });
  });

  test.each([
    ["broken JSON", '{"a":', "application/json", "the body is not valid JSON"],
    ["a JSON too deep", "[".repeat(900), "application/json", "must not be nested deeper than 64"],
    ["no body", "", "application/json", "the body is empty"],
    ["plain text", "{}", "text/plain", "Content-Type must be application/json"],
    ["a form", "a=1", "application/x-www-form-urlencoded", "Content-Type must be application/json"],
  ])("%s has the endpoint's own 400", async (_name, payload, contentType, message) => {
    const response = await post(payload, contentType);
    expect([response.statusCode, response.json()]).toEqual([
      400,
      { error: ["Missing data or error information"], details: [{ path: "", message }] },
    ]);
  });

  test("a body that is too large is refused in the endpoint's shape", async () => {
    const response = await post(`{"signers":[${"1,".repeat(2_000)}1]}`);
    expect([response.statusCode, response.json()]).toEqual([
      413,
      { error: ["Request body is larger than 1000 bytes"] },
    ]);
  });

  test("a body announced as too large is refused before it is sent", async () => {
    const { app } = withPost();
    await app.listen({ port: 0, host: "127.0.0.1" });
    const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
    socket.write(
      "POST /documents HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 999999\r\n\r\n",
    );
    const [chunk] = await once(socket, "data");
    expect(String(chunk)).toMatch(/^HTTP\/1\.1 413 /);
    expect(String(chunk)).toContain('{"error":["Request body is larger than 1000 bytes"]}');
    socket.destroy();
  });

  test("a sender of 30 MB gets to send it all, and reads the refusal", async () => {
    const { app } = withPost(28_000_000);
    await app.listen({ port: 0, host: "127.0.0.1" });
    const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
    socket.write(
      "POST /documents HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 30000000\r\n\r\n",
    );
    await once(app.server, "request");
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.write(Buffer.alloc(30_000_000, " "), () => resolve());
    });
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
    expect(String(answer)).toContain('{"error":["Request body is larger than 28000000 bytes"]}');
    socket.destroy();
  });

  test("a client that leaves in the middle of its body is no failure of ours", async () => {
    const { app, lines } = withPost();
    const closed = new Promise((resolve) => {
      app.addHook("onRequest", async (_request, reply) => void reply.raw.once("close", resolve));
    });
    await app.listen({ port: 0, host: "127.0.0.1" });
    const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
    socket.write(
      "POST /documents HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{",
    );
    await once(app.server, "request");
    socket.destroy();
    await closed;
    await app.close();
    const [line] = lines().filter(({ msg }) => msg === "request");
    expect(line).toMatchObject({ level: "info", route: "/documents", aborted: true });
    expect(line?.status).not.toBe(500);
  });
});

describe("limits of time and closing", () => {
  test("headers that never end lose their connection", async () => {
    const { app } = server({ headersTimeoutMs: 100 });
    await app.listen({ port: 0, host: "127.0.0.1" });
    const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.write("GET /livez HTTP/1.1\r\nx-slow: ");
    await once(socket, "close");
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("a body that never ends loses its connection", async () => {
    const { app } = server({ headersTimeoutMs: 100, requestTimeoutMs: 200 });
    app.post("/documents", async () => ({}));
    await app.listen({ port: 0, host: "127.0.0.1" });
    const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
    socket.write(
      "POST /documents HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{",
    );
    socket.resume();
    await once(socket, "close");
    expect(socket.closed).toBe(true);
  });

  test("a request in flight is answered while the server closes, and its connection ends", async () => {
    const { app } = server();
    const entered = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    app.get("/slow", async () => {
      entered.resolve();
      await release.promise;
      return { done: true };
    });
    await app.listen({ port: 0, host: "127.0.0.1" });
    const { port } = app.server.address() as AddressInfo;
    const answer = fetch(`http://127.0.0.1:${port}/slow`);
    await entered.promise;
    const closing = shutDown(app, { clock: systemClock }, 20_000);
    await new Promise(setImmediate);
    release.resolve();
    const response = await answer;
    expect([response.headers.get("connection"), await response.json()]).toEqual(["close", { done: true }]);
    await closing;
  });

  test("a request that does not end is cut when the grace is over", async () => {
    const { app } = server();
    const entered = Promise.withResolvers<void>();
    app.get("/stuck", () => {
      entered.resolve();
      return new Promise(() => undefined);
    });
    await app.listen({ port: 0, host: "127.0.0.1" });
    const { port } = app.server.address() as AddressInfo;
    const answer = fetch(`http://127.0.0.1:${port}/stuck`).then(
      () => "answered",
      () => "cut",
    );
    await entered.promise;
    await shutDown(app, { clock: systemClock }, 50);
    expect(await answer).toBe("cut");
  });
});

test("answers that are ready in one iteration of the event loop are sent after all of them were made", async () => {
  const { app } = server();
  const seen: string[] = [];
  const others: Promise<unknown>[] = [];
  app.addHook("onSend", async ({ url }) => void seen.push(`sent ${url}`));
  app.get("/first", async () => {
    others.push(app.inject("/second"));
    seen.push("made /first");
    return {};
  });
  app.get("/second", async () => {
    seen.push("made /second");
    return {};
  });
  await app.inject("/first");
  await Promise.all(others);
  expect(seen).toEqual(["made /first", "made /second", "sent /first", "sent /second"]);
});

test("one address holds a quarter of the connections at most, and gets others when it closes some", async () => {
  const { app } = server({ maxConnections: 8 });
  app.get("/ok", async () => ({}));
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const open = () => connect(port, "127.0.0.1").on("error", () => undefined);
  const isAnswered = async () => {
    const socket = open();
    socket.write("GET /ok HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    // A connection that is dropped may break with an error first.
    await new Promise<void>((resolve) => socket.once("close", () => resolve()));
    return answer.startsWith("HTTP/1.1 200");
  };
  const held = [open(), open()];
  await Promise.all(held.map((socket) => once(socket, "connect")));
  expect(await isAnswered()).toBe(false);
  held[0]?.destroy();
  await expect.poll(isAnswered).toBe(true);
  held[1]?.destroy();
});

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { systemClock } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { loopbackServer } from "@rubrica/test-kit/web-servers";
import { describe, expect, test } from "vitest";
import { createOutbound, OutboundFailed, type OutboundOptions, type OutboundRequest } from "../src/index.ts";

const outbound = (options: Partial<OutboundOptions> = {}) =>
  createOutbound({ clock: systemClock, allowPrivate: false, ...options });
const get = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: "GET",
  url,
  timeoutMs: 10_000,
  maxAnswerBytes: 1_000,
  ...more,
});
const failureOf = async (answer: Promise<unknown>) => {
  const error = await answer.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof OutboundFailed ? error.failure : error;
};

/** Resolves when a request of this process has the head of an answer with that status. */
const headOf = (status: number): Promise<void> =>
  new Promise((resolve) => {
    const see = (message: unknown) => {
      if ((message as { response: IncomingMessage }).response.statusCode !== status) return;
      unsubscribe("http.client.response.finish", see);
      resolve();
    };
    subscribe("http.client.response.finish", see);
  });

describe("a private address is not reached", () => {
  test.each([
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "0x7f000001",
    "2130706433",
    "017700000001",
    "0177.0.0.1",
    "127.0.0.1.",
    "0",
    "①②⑦.⓪.⓪.①",
    "127。0。0。1",
    "%31%32%37.0.0.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[0:0:0:0:0:0:0:1]",
    "localhost",
    "LOCALHOST",
  ])("spelled http://%s", async (host) => {
    await using server = await loopbackServer((_request, response) => response.end("secret"));
    expect(await failureOf(outbound().request(get(`http://${host}:${server.port}/`)))).toBe("not_public");
    expect(server.connections).toBe(0);
  });

  test.each([
    ["its only address", ["127.0.0.1"]],
    ["one of its addresses", ["8.8.8.8", "127.0.0.1"]],
    ["a mapped one of its addresses", ["2606:4700:4700::1111", "::ffff:127.0.0.1"]],
  ])("by a name: %s", async (_what, addresses) => {
    await using server = await loopbackServer((_request, response) => response.end("secret"));
    const resolve = async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    const url = `http://harmless.example:${server.port}/`;
    expect(await failureOf(outbound({ resolve }).request(get(url)))).toBe("not_public");
    expect(server.connections).toBe(0);
  });
});

describe("a request", () => {
  test("connects to the addresses that were checked: the name is resolved once", async () => {
    await using server = await loopbackServer((request, response) => response.end(request.headers.host));
    const asked: string[] = [];
    const resolve = async (hostname: string) => {
      asked.push(hostname);
      return [{ address: asked.length === 1 ? "127.0.0.1" : "192.0.2.1", family: 4 }];
    };
    const answer = await outbound({ resolve, allowPrivate: true }).request(get(`http://some.example:${server.port}/`));
    expect(answer.body.toString()).toBe(`some.example:${server.port}`);
    expect(asked).toEqual(["some.example"]);
  });

  test("sends method, headers and body, and gives the answer", async () => {
    await using server = await loopbackServer(async (request, response) => {
      response.statusCode = 202;
      response.end(`${request.method} ${request.headers["x-one"]} ${await text(request)}`);
    });
    const request = get(server.url, { method: "POST", headers: { "x-one": "1" }, body: "hello" });
    const answer = await outbound({ allowPrivate: true }).request(request);
    expect(answer).toEqual({ status: 202, body: Buffer.from("POST 1 hello"), isWhole: true });
  });

  test("gives a redirect as it is", async () => {
    await using server = await loopbackServer((_request, response) =>
      response.writeHead(302, { location: server.url }).end(),
    );
    expect((await outbound({ allowPrivate: true }).request(get(server.url))).status).toBe(302);
    expect(server.connections).toBe(1);
  });

  test("reads no more of an endless answer than it may, and hangs up", async () => {
    const { promise: end, resolve: hungUp } = Promise.withResolvers<void>();
    await using server = await loopbackServer((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384, "x")));
      };
      response.on("drain", more).on("close", hungUp);
      more();
    });
    const answer = await outbound({ allowPrivate: true }).request(get(server.url, { maxAnswerBytes: 100 }));
    expect(answer.isWhole).toBe(false);
    expect(answer.body.toString()).toBe("x".repeat(100));
    await end;
  });

  test("is whole at exactly its limit", async () => {
    await using server = await loopbackServer((_request, response) => response.end("x".repeat(100)));
    const answer = await outbound({ allowPrivate: true }).request(get(server.url, { maxAnswerBytes: 100 }));
    expect(answer).toMatchObject({ isWhole: true, body: { length: 100 } });
  });

  test("is given up when its time is over, whatever has arrived", async () => {
    const clock = new ManualClock();
    const { promise: answering, resolve: begin } = Promise.withResolvers<void>();
    const { promise: hungUp, resolve: hangUp } = Promise.withResolvers<void>();
    await using server = await loopbackServer((_request, response) => {
      response.once("close", hangUp).write("a beginning");
      begin();
    });
    const failure = failureOf(outbound({ clock, allowPrivate: true }).request(get(server.url, { timeoutMs: 5_000 })));
    await answering;
    clock.advance(5_000);
    expect(await failure).toBe("timed_out");
    await hungUp;
  });

  test("whose headers suffice has an answer without the body that does not come, or breaks off", async () => {
    await using silent = await loopbackServer(
      (_request, response) => void response.writeHead(201).write("a beginning"),
    );
    await using broken = await loopbackServer((_request, response) => {
      response.writeHead(202, { "content-length": 100, "retry-after": "7" }).write("a beginning", () => {
        setImmediate(() => response.destroy());
      });
    });
    const clock = new ManualClock();
    const all = outbound({ clock, allowPrivate: true });
    const head = headOf(201);
    const waiting = all.request(get(silent.url, { headersSuffice: true, timeoutMs: 1_000 }));
    await head;
    clock.advance(1_000);
    expect(await waiting).toMatchObject({ status: 201, isWhole: false });
    expect(await all.request(get(broken.url, { headersSuffice: true }))).toMatchObject({
      status: 202,
      retryAfter: "7",
    });
  });

  test("is given up when it is not wanted any more, and that is what is thrown", async () => {
    const { promise: answering, resolve: begin } = Promise.withResolvers<void>();
    const { promise: hungUp, resolve: hangUp } = Promise.withResolvers<void>();
    await using server = await loopbackServer((_request, response) => {
      response.once("close", hangUp).write("a beginning");
      begin();
    });
    const unwanted = new AbortController();
    const request = get(server.url, { signal: unwanted.signal });
    const failure = failureOf(outbound({ allowPrivate: true }).request(request));
    await answering;
    unwanted.abort(new Error("not wanted"));
    expect(await failure).toEqual(new Error("not wanted"));
    await hungUp;
    expect(await failureOf(outbound({ allowPrivate: true }).request(request))).toEqual(new Error("not wanted"));
    expect(server.connections).toBe(1);
  });

  test("is given up while its host's name is looked up", async () => {
    const unwanted = new AbortController();
    const resolve = () => new Promise<never>(() => {});
    const failure = failureOf(outbound({ resolve }).request(get("http://slow.example/", { signal: unwanted.signal })));
    unwanted.abort(new Error("not wanted"));
    expect(await failure).toEqual(new Error("not wanted"));
  });

  test("gives when to ask again, as it came", async () => {
    await using server = await loopbackServer((_request, response) =>
      response.writeHead(202, { "retry-after": "7" }).end(),
    );
    expect(await outbound({ allowPrivate: true }).request(get(server.url))).toMatchObject({ retryAfter: "7" });
  });

  test("is given up when its host's name does not resolve in time", async () => {
    const clock = new ManualClock();
    const resolve = () => new Promise<never>(() => {});
    const failure = failureOf(outbound({ clock, resolve }).request(get("http://slow.example/")));
    clock.advance(10_000);
    expect(await failure).toBe("timed_out");
  });

  test("fails when an answer breaks off", async () => {
    await using server = await loopbackServer((_request, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("half", () => response.destroy());
    });
    expect(await failureOf(outbound({ allowPrivate: true }).request(get(server.url)))).toBe("no_answer");
  });

  test("fails when nobody listens", async () => {
    const server = await loopbackServer(() => {});
    await server[Symbol.asyncDispose]();
    expect(await failureOf(outbound({ allowPrivate: true }).request(get(server.url)))).toBe("no_answer");
  });

  test.each([
    ["unknown_host", async () => Promise.reject(new Error("ENOTFOUND"))],
    ["unknown_host", async () => []],
  ])("fails for a name that nobody has: %s", async (failure, resolve) => {
    expect(await failureOf(outbound({ resolve }).request(get("http://nobody.example/")))).toBe(failure);
  });

  test.each(["ftp://example.com/f", "file:///etc/passwd", "http://user:word@example.com/", "nothing", "http://"])(
    "is refused for %s",
    async (url) => {
      const resolve = () => Promise.reject(new Error("never asked"));
      expect(await failureOf(outbound({ resolve }).request(get(url)))).toBe("bad_url");
    },
  );
});

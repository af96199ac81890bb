import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type ManualClock, testRuntime } from "@rubrica/runtime/testing";
import { afterEach, describe, expect, test } from "vitest";
import { apiKeyAuth, createHttpServer, createLogger, type HttpServer } from "../src/index.ts";
import { directoryOf } from "./support.ts";

const MEGABYTE = 1_048_576;
/** What Node reads at once of a connection on which more waits. */
const PIECE_BYTES = 65_536;
/** Of bodies that are told of piece by piece. */
const PIECES = "application/x-pieces";
/** Of one sender without a key, and of all of them, as it is by default. */
const [OF_ONE, OF_ALL] = [24 * MEGABYTE, 48 * MEGABYTE];

const opened: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

/** A server that says how long the bodies are that it gets, on a clock that stands still. */
const server = async ({ onPiece = (_bytes: number): void => undefined } = {}) => {
  const runtime = testRuntime();
  const { clock } = runtime;
  const logger = createLogger({ clock, level: "silent" });
  const app = createHttpServer({ runtime, logger, trustProxy: 1, bodyLimitBytes: 20 * MEGABYTE });
  const waiting: (() => void)[] = [];
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.addContentTypeParser(PIECES, async (_request: unknown, payload: AsyncIterable<Buffer>) => {
    for await (const { length } of payload) onPiece(length);
  });
  const sizeOf = (body: unknown) => ({ size: Buffer.isBuffer(body) ? body.length : 0 });
  app.post("/open", async ({ body }) => sizeOf(body));
  app.post("/held", async ({ body }) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return sizeOf(body);
  });
  const slowly = { tooSlow: { message: "slow" }, busy: { message: "full" } };
  app.post("/own", { config: { errors: slowly } }, async ({ body }) => sizeOf(body));
  await app.register(async (scope) => {
    const directory = directoryOf({ good: { accountId: "a1", keyId: "k1", blocked: false } });
    await scope.register(apiKeyAuth, { directory, clock });
    scope.post("/keyed", async ({ body }) => sizeOf(body));
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const sockets: Socket[] = [];
  opened.push({
    async close() {
      for (const socket of sockets) socket.destroy();
      for (const end of waiting) end();
      await app.close();
    },
  });
  const { port } = app.server.address() as AddressInfo;
  return { app, clock, waiting, send: (request: Sent) => sender(port, sockets, request) };
};

interface Sent {
  path?: string;
  /** The address. */
  from?: string;
  key?: string;
  type?: string;
  announcedBytes: number | null;
  sentBytes?: number;
}

/** A request of which a part was sent; `more` sends more of it. Resolves when what was sent has come. */
const sender = async (
  port: number,
  sockets: Socket[],
  { path = "/open", from = "203.0.113.1", key, type = "image/png", announcedBytes, sentBytes = 0 }: Sent,
) => {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => undefined);
  let received = "";
  socket.setEncoding("latin1").on("data", (text) => {
    received += text;
  });
  const length = announcedBytes === null ? "transfer-encoding: chunked" : `content-length: ${announcedBytes}`;
  const lines = [`POST ${path} HTTP/1.1`, "host: a", `content-type: ${type}`, `x-forwarded-for: ${from}`, length];
  socket.write([...lines, ...(key ? [`x-api-key: ${key}`] : []), "", ""].join("\r\n"));
  const more = (bytes: number) =>
    new Promise<void>((resolve) => void socket.write(Buffer.alloc(bytes), () => resolve()));
  if (sentBytes > 0) await more(sentBytes);
  return {
    socket,
    more,
    async answer() {
      while (!received.includes("\r\n\r\n") && !socket.destroyed) await once(socket, "data");
      const [head = "", body] = received.split("\r\n\r\n");
      return { status: Number(head.slice(9, 12)), retryAfter: /retry-after: (\d+)/.exec(head)?.[1], body };
    },
  };
};

const whole = { announcedBytes: MEGABYTE, sentBytes: MEGABYTE };

/** Of a body that is held up. */
const REST = 1_000;

/** Sends a body but for its rest from each of many addresses, and waits until it has come. */
const fill = async ({ app, send }: Awaited<ReturnType<typeof server>>, senders: number, sentBytes: number) => {
  const arrived = countedArrivals(app);
  const sent = [];
  for (let index = 0; index < senders; index++)
    sent.push(await send({ from: `198.51.100.${index}`, announcedBytes: sentBytes + REST, sentBytes }));
  await expect.poll(arrived).toBeGreaterThanOrEqual(senders * sentBytes);
  return sent;
};

/** How many bytes came over all of the server's connections since. */
const countedArrivals = ({ server }: HttpServer) => {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  return () => [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0);
};

test("of all long bodies together, one piece is read in each iteration of the event loop", async () => {
  /** The iteration of each piece, as the event loop counts them. */
  const readIn: number[] = [];
  const { send } = await server({
    onPiece: (bytes) => {
      // Rests that were read at once with others come together, in any length: they are no whole pieces.
      if (bytes === PIECE_BYTES) readIn.push(performance.nodeTiming.uvMetricsInfo.loopCount);
    },
  });
  const bodies = Array.from({ length: 4 }, () =>
    send({ type: PIECES, announcedBytes: 4 * MEGABYTE, sentBytes: 4 * MEGABYTE }).then((sent) => sent.answer()),
  );
  for (const { status } of await Promise.all(bodies)) expect(status).toBe(200);
  expect(readIn.length).toBeGreaterThan(100);
  expect(new Set(readIn).size).toBe(readIn.length);
});

describe("bodies without a key", () => {
  test("are taken while there is room, and not beyond, whatever was announced", async () => {
    const made = await server();
    // Four times as much as there is room for, but in words alone.
    for (let index = 0; index < 10; index++)
      await made.send({ from: `192.0.2.${index}`, announcedBytes: 20 * MEGABYTE });
    expect(await (await made.send(whole)).answer()).toMatchObject({ status: 200 });
    const half = await fill(made, 47, MEGABYTE);
    const refused = await (await made.send({ announcedBytes: 2 * MEGABYTE })).answer();
    expect(refused).toEqual({
      status: 503,
      retryAfter: "5",
      body: '{"error":"Too much is being done at once; try again later"}',
    });
    for (const { socket } of half) socket.destroy();
    await expect.poll(async () => (await (await made.send(whole)).answer()).status).toBe(200);
  });

  test("are cut off when they grow over the room that there is", async () => {
    const made = await server();
    await fill(made, 47, MEGABYTE);
    const growing = await made.send({ announcedBytes: null });
    await growing.more(0);
    growing.socket.write(`${(2 * MEGABYTE).toString(16)}\r\n`);
    growing.socket.write(Buffer.alloc(2 * MEGABYTE));
    expect(await growing.answer()).toMatchObject({ status: 503, retryAfter: "5" });
  });

  test("leave room for bodies with a key", async () => {
    const made = await server();
    await fill(made, 47, MEGABYTE);
    expect(await (await made.send({ announcedBytes: 2 * MEGABYTE })).answer()).toMatchObject({ status: 503 });
    const keyed = await made.send({
      path: "/keyed",
      key: "good",
      announcedBytes: 9 * MEGABYTE,
      sentBytes: 9 * MEGABYTE,
    });
    expect(await keyed.answer()).toMatchObject({ status: 200, body: '{"size":9437184}' });
  });

  test("of one address leave half of the room to others", async () => {
    const made = await server();
    const mine = { from: "198.51.100.7", announcedBytes: 20 * MEGABYTE, sentBytes: 12 * MEGABYTE };
    const arrived = countedArrivals(made.app);
    await made.send(mine);
    await made.send({ ...mine, announcedBytes: 12 * MEGABYTE, sentBytes: 12 * MEGABYTE - REST });
    await expect.poll(arrived).toBeGreaterThanOrEqual(OF_ONE - REST);
    expect(await (await made.send({ ...mine, announcedBytes: MEGABYTE, sentBytes: 0 })).answer()).toMatchObject({
      status: 503,
    });
    const others = { announcedBytes: OF_ALL - OF_ONE - 5 * MEGABYTE };
    expect(await (await made.send({ ...others, sentBytes: others.announcedBytes })).answer()).toMatchObject({
      status: 200,
    });
  });

  test("are held until they are answered, also when their senders are gone", async () => {
    const made = await server();
    const held = { path: "/held", announcedBytes: 12 * MEGABYTE, sentBytes: 12 * MEGABYTE };
    for (const number of [1, 2, 3, 4]) {
      const { socket } = await made.send({ ...held, from: `198.51.100.${number}` });
      // Who goes before all of a body was read is no request.
      await expect.poll(() => made.waiting.length).toBe(number);
      const gone = once(socket, "close");
      socket.end();
      await gone;
    }
    expect(await (await made.send(whole)).answer()).toMatchObject({ status: 503 });
    for (const end of made.waiting.splice(0)) end();
    await expect.poll(async () => (await (await made.send(whole)).answer()).status).toBe(200);
  });

  test("that have stalled make room for others", async () => {
    const made = await server();
    const [first, second] = await fill(made, 47, MEGABYTE);
    made.clock.advance(2_000);
    const next = await made.send({ announcedBytes: 2 * MEGABYTE, sentBytes: 2 * MEGABYTE });
    expect(await next.answer()).toMatchObject({ status: 200 });
    expect(await first?.answer()).toMatchObject({ status: 503 });
    await second?.more(REST);
    expect(await second?.answer()).toMatchObject({ status: 200 });
  });
});

describe("a slow body", () => {
  const advance = async (clock: ManualClock, seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      clock.advance(1_000);
      await new Promise(setImmediate);
    }
  };

  test("is cut off when less than 64 KiB of it came in 20 s", async () => {
    const made = await server();
    const arrived = countedArrivals(made.app);
    const slow = await made.send({ announcedBytes: 10 * MEGABYTE, sentBytes: 70_000 });
    const stalled = await made.send({ path: "/own", announcedBytes: MEGABYTE, sentBytes: 60_000 });
    await expect.poll(arrived).toBeGreaterThanOrEqual(130_000);
    await advance(made.clock, 21);
    expect(await stalled.answer()).toEqual({ status: 408, retryAfter: undefined, body: '{"message":"slow"}' });
    await once(stalled.socket, "close");
    await slow.more(66_000);
    await expect.poll(arrived).toBeGreaterThanOrEqual(196_000);
    await advance(made.clock, 21);
    await advance(made.clock, 21);
    expect(await slow.answer()).toMatchObject({ status: 408, body: '{"error":"The body came too slowly"}' });
  });

  test("that has come is not hurried while it is worked on", async () => {
    const made = await server();
    const held = await made.send({ ...whole, path: "/held" });
    await expect.poll(() => made.waiting.length).toBe(1);
    await advance(made.clock, 60);
    for (const end of made.waiting.splice(0)) end();
    expect(await held.answer()).toMatchObject({ status: 200 });
  });
});

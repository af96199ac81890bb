import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { seededRandom } from "@rubrica/runtime/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FaultProxy, startFaultProxy, throughProxy } from "../../src/engines/fault-proxy.ts";
import { eventually } from "../../src/index.ts";

let server: ReturnType<typeof createServer>;
let proxy: FaultProxy;
let arrived: string;
let sockets: Socket[];

beforeEach(async () => {
  arrived = "";
  sockets = [];
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.setEncoding("latin1").on("data", (text: string) => {
      arrived += text;
      socket.write(text.toUpperCase());
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  proxy = await startFaultProxy(`x://127.0.0.1:${(address as { port: number }).port}/`, seededRandom(1));
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await proxy[Symbol.asyncDispose]();
  server.close();
});

/** A client, with what it was sent, and how it ended. */
const client = async () => {
  const socket = connect(proxy.port, "127.0.0.1");
  const seen = { text: "", error: undefined as string | undefined };
  socket.setEncoding("latin1").on("data", (text: string) => {
    seen.text += text;
  });
  socket.on("error", (error: NodeJS.ErrnoException) => {
    seen.error = error.code;
  });
  sockets.push(socket);
  await once(socket, "connect");
  return { socket, seen };
};

test("it passes all bytes on, both ways, and that a side has ended", async () => {
  const { socket, seen } = await client();
  const big = "x".repeat(1_000_000);
  socket.end(big);
  await once(socket, "close");
  expect(arrived).toBe(big);
  expect(seen.text).toBe(big.toUpperCase());
});

test("it cuts the connections that there are and those that come, until it is over", async () => {
  const { socket, seen } = await client();
  socket.write("hello");
  await eventually("the answer", () => seen.text === "HELLO");
  proxy.suffer({ kind: "cut" });
  await eventually("the reset", () => seen.error === "ECONNRESET");
  await expect(once(connect(proxy.port, "127.0.0.1"), "close")).rejects.toThrow("ECONNRESET");
  proxy.suffer({ kind: "none" });
  const last = await client();
  last.socket.write("again");
  await eventually("the answer", () => last.seen.text === "AGAIN");
});

test("it delays what is sent, and keeps its order", async () => {
  proxy.suffer({ kind: "delay", upToMs: 50 });
  const { socket, seen } = await client();
  const words = Array.from({ length: 20 }, (_, number) => `w${number};`);
  for (const word of words) {
    socket.write(word);
    await new Promise(setImmediate);
  }
  await eventually("all of it", () => seen.text.length === words.join("").length);
  expect(seen.text).toBe(words.join("").toUpperCase());
});

test("it lets half of what is sent through and then nothing, and the connection stays open until that is over", async () => {
  const { socket, seen } = await client();
  proxy.suffer({ kind: "halve" });
  socket.write("1234567890");
  await eventually("half of it", () => arrived === "12345");
  socket.write("more");
  const other = await client();
  other.socket.write("ab");
  await eventually("half of the other's", () => arrived === "12345a");
  expect(seen).toEqual({ text: "", error: undefined });
  proxy.suffer({ kind: "none" });
  await eventually("the reset", () => seen.error === "ECONNRESET" && other.seen.error === "ECONNRESET");
});

test("it stands in the place of the server's port alone", () => {
  const place = { port: 99 };
  expect(throughProxy("esdb://127.0.0.1:2113?tls=false", place)).toBe("esdb://127.0.0.1:99?tls=false");
  expect(throughProxy("nats://user:p4ss@127.0.0.1:4222", place)).toBe("nats://user:p4ss@127.0.0.1:99");
});

test("clients of MongoDB do not go past it to where a replica set says that its servers are", () => {
  const through = (url: string) => throughProxy(url, { port: 99 });
  expect(through("mongodb://127.0.0.1:27017/a")).toBe("mongodb://127.0.0.1:99/a?directConnection=true");
  const ofSet = "mongodb://127.0.0.1:27017/a?replicaSet=rs0";
  expect(through(ofSet)).toBe("mongodb://127.0.0.1:99/a?replicaSet=rs0&directConnection=true");
  const direct = "mongodb://127.0.0.1:27017/a?directConnection=true";
  expect(through(direct)).toBe("mongodb://127.0.0.1:99/a?directConnection=true");
});

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { BUNDLES } from "@rubrica/runtime/bundle";
import { build } from "esbuild";
import { BSON } from "mongodb";
import { afterEach, describe, expect, test } from "vitest";
import type { Mongo } from "../../src/mongodb.ts";
import * as sources from "../../src/mongodb.ts";

const [OP_REPLY, OP_MSG] = [1, 2013];
const HEADER_BYTES = 16;
const LARGEST_DOCUMENT_BYTES = 15 * 1_048_576;

let cleanup = new AsyncDisposableStack();
afterEach(async () => {
  await cleanup.disposeAsync();
  cleanup = new AsyncDisposableStack();
});

const numbers = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeInt32LE(value, index * 4);
  return bytes;
};

/** An answer to any command, as a single server gives it that is the primary: that it is, and that all is well. */
const answerTo = (message: Buffer): Buffer => {
  const answer = BSON.serialize({
    helloOk: true,
    ismaster: true,
    isWritablePrimary: true,
    minWireVersion: 0,
    maxWireVersion: 21,
    ok: 1,
  });
  const [requestId, kind] = [message.readInt32LE(4), message.readInt32LE(12)];
  const start = kind === OP_MSG ? Buffer.concat([numbers(0), Buffer.alloc(1)]) : numbers(0, 0, 0, 0, 1);
  const length = HEADER_BYTES + start.length + answer.length;
  return Buffer.concat([numbers(length, 1, requestId, kind === OP_MSG ? OP_MSG : OP_REPLY), start, answer]);
};

/** A server that answers everything, and the connections to it. */
const startServer = async (): Promise<{ server: Server; connections: Set<Socket> }> => {
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    let received = Buffer.alloc(0);
    socket.on("close", () => connections.delete(socket)).on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= HEADER_BYTES && received.length >= received.readInt32LE(0)) {
        socket.write(answerTo(received));
        received = received.subarray(received.readInt32LE(0));
      }
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanup.defer(() => void server.close());
  return { server, connections };
};

/** The sockets that clients make from now on. */
const clientSockets = (): readonly Socket[] => {
  const sockets: Socket[] = [];
  const collect = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
  subscribe("net.client.socket", collect);
  cleanup.defer(() => void unsubscribe("net.client.socket", collect));
  return sockets;
};

const outcomeOf = async (mongo: Mongo): Promise<string> => {
  try {
    await mongo.ping();
    return "answered";
  } catch (error) {
    return error instanceof Error ? error.message : "unknown";
  }
};

/** What the module is in a bundle, as apps run: with the driver in it, and another copy among the installed libraries. */
const bundled = async (): Promise<typeof sources> => {
  const installed = dirname(dirname(BUNDLES));
  const folder = await mkdtemp(join(installed, ".rubrica-closed-sockets-"));
  cleanup.defer(() => rm(folder, { recursive: true }));
  const outfile = join(folder, "mongodb.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "../../src/mongodb.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    external: ["mongodb-client-encryption", "@mongodb-js/zstd", "@aws-sdk/credential-providers", "gcp-metadata"].concat(
      ["kerberos", "snappy", "socks", "aws4"],
    ),
    banner: {
      js: `import { createRequire as from } from "node:module"; const require = from(${JSON.stringify(pathToFileURL(outfile).href)});`,
    },
    logLevel: "silent",
  });
  return import(pathToFileURL(outfile).href);
};

describe.each([
  ["by its sources", async () => sources],
  ["in a bundle", bundled],
])("%s", (_, load) => {
  test("a command that meets a connection just as it closes fails; it does not wait for ever", async () => {
    const { server, connections } = await startServer();
    const { port } = server.address() as AddressInfo;
    const sockets = clientSockets();
    const { openMongo } = await load();
    const mongo = await openMongo({ url: `mongodb://127.0.0.1:${port}/x` });
    cleanup.defer(() => mongo.close());

    // Node destroys a socket whose server ended it, and says so some callbacks later: commands are sent in between.
    const sent: Promise<string>[] = [];
    for (const socket of sockets) {
      const destroy = socket._destroy;
      socket._destroy = function (...args) {
        destroy.apply(this, args);
        process.nextTick(() => sent.push(outcomeOf(mongo)));
      };
    }
    const ended = Promise.all(sockets.map((socket) => once(socket, "close")));
    for (const connection of connections) connection.end();
    await ended;
    const outcomes = await Promise.all(sent);
    expect(outcomes).toContainEqual(expect.stringContaining("closed"));
    await mongo.ping();
  });

  test("a command that waits to be taken when its connection is given up fails; it does not wait for ever", async () => {
    const { server, connections } = await startServer();
    const { port } = server.address() as AddressInfo;
    const sockets = clientSockets();
    const { openMongo } = await load();
    const mongo = await openMongo({ url: `mongodb://127.0.0.1:${port}/x` });
    for (const connection of connections) connection.pause();
    // More than the system holds for a server that reads nothing.
    const data = Buffer.alloc(LARGEST_DOCUMENT_BYTES);
    const written = mongo.db.collection("x").insertMany([{ data }, { data }]);
    const failed = expect(written).rejects.toThrow("closed");
    await expect.poll(() => sockets.some(({ writableNeedDrain }) => writableNeedDrain)).toBe(true);
    await mongo.close();
    await failed;
  });
});

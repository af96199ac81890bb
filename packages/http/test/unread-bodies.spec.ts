import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { systemClock } from "@rubrica/runtime";
import { afterEach, expect, test } from "vitest";
import { apiKeyAuth, type HttpServer } from "../src/index.ts";
import { directoryOf, loggedServer } from "./support.ts";

const BODY_BYTES = 8_388_608;
/** What streams hold at most between them; Node reads 2 MB in a turn if nobody stops it. */
const FEW_CHUNKS_BYTES = 6 * 65_536;

let app: HttpServer;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await app.close();
});

const guarded = async (): Promise<number> => {
  ({ app } = loggedServer());
  app.get("/open", async () => "open");
  app.addContentTypeParser("*", { parseAs: "buffer" }, async () => "");
  app.post("/taken", { bodyLimit: 2 * BODY_BYTES }, async () => "taken");
  await app.register(async (scope) => {
    await scope.register(apiKeyAuth, { directory: directoryOf({}), clock: systemClock });
    scope.post("/guarded", { bodyLimit: 2 * BODY_BYTES }, async () => "never");
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  return (app.server.address() as AddressInfo).port;
};

/** A connection, and the status lines of the answers that came on it. */
const connected = async (port: number) => {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  let text = "";
  socket.setEncoding("latin1").on("data", (more: string) => {
    text += more;
  });
  await once(socket, "connect");
  return { socket, statuses: () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status)) };
};

test("who is refused before the body can send it to its end, and go on with the connection", async () => {
  const port = await guarded();
  const senders = await Promise.all(Array.from({ length: 10 }, () => connected(port)));
  for (const { socket } of senders) {
    socket.write(`POST /guarded HTTP/1.1\r\nhost: x\r\ncontent-length: ${BODY_BYTES}\r\n\r\n`);
    socket.write(Buffer.alloc(BODY_BYTES));
    socket.write("GET /open HTTP/1.1\r\nhost: x\r\n\r\n");
  }
  for (const { statuses } of senders) await expect.poll(statuses).toEqual([401, 200]);
});

test("who is silent in the middle of a refused body holds up nobody, and may leave", async () => {
  const port = await guarded();
  const silent = await connected(port);
  silent.socket.write(`POST /guarded HTTP/1.1\r\nhost: x\r\ncontent-length: ${BODY_BYTES}\r\n\r\nthe beginning`);
  await expect.poll(silent.statuses).toEqual([401]);
  const other = await connected(port);
  other.socket.write("GET /open HTTP/1.1\r\nhost: x\r\n\r\n");
  await expect.poll(other.statuses).toEqual([200]);
  silent.socket.end();
  await once(silent.socket, "close");
});

test("of a body that is taken an iteration of the event loop reads no more than a few chunks", async () => {
  const port = await guarded();
  const accepted = once(app.server, "connection");
  const { socket, statuses } = await connected(port);
  const [server] = (await accepted) as [Socket];
  socket.write(`POST /taken HTTP/1.1\r\nhost: x\r\ncontent-length: ${BODY_BYTES}\r\n\r\n`);
  socket.write(Buffer.alloc(BODY_BYTES));
  let [most, before] = [0, server.bytesRead];
  while (server.bytesRead < BODY_BYTES) {
    await new Promise(setImmediate);
    most = Math.max(most, server.bytesRead - before);
    before = server.bytesRead;
  }
  expect(most).toBeLessThanOrEqual(FEW_CHUNKS_BYTES);
  await expect.poll(statuses).toEqual([200]);
});

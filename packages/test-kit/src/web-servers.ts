import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A web server on the loopback that counts who connects. */
export interface LoopbackServer extends AsyncDisposable {
  port: number;
  url: string;
  connections: number;
  server: Server;
}

/** Starts one on a port of its own. */
export const loopbackServer = async (listener: RequestListener): Promise<LoopbackServer> => {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const started: LoopbackServer = {
    port,
    url: `http://127.0.0.1:${port}/file.pdf`,
    connections: 0,
    server,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  server.on("connection", () => {
    started.connections += 1;
  });
  return started;
};

/**
 * How many bytes of an answer that never ends are waited for, where the first `bytes` do not suffice and one more does.
 * @param ask asks the server, and resolves once it has its answer; its clock must stand still
 * @throws when `bytes` suffice
 */
export const expectReadUpTo = async <Answer>(
  bytes: number,
  ask: (port: number) => Promise<Answer>,
): Promise<Answer> => {
  const answering = Promise.withResolvers<ServerResponse>();
  await using server = await loopbackServer((_request, response) => {
    response.write("x".repeat(bytes), () => answering.resolve(response));
  });
  let hasEnded = false;
  const asked = ask(server.port).finally(() => {
    hasEnded = true;
  });
  const response = await Promise.race([answering.promise, asked.then(() => answering.promise)]);
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  if (hasEnded) throw new Error(`no more than ${bytes} bytes were waited for`);
  response.write("x");
  return await asked;
};

import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
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

import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

/** A webhook as it came. */
export interface Call {
  id: string;
  type: string;
  documentId: string;
  /** What it was answered with. */
  status: number;
}

/** A receiver of webhooks on a port, which answers with the status that it is told. */
export const callReceiver = async (port: number) => {
  const calls: Call[] = [];
  const state = { status: 200 };
  const server = createServer(async (request, response) => {
    const { type, data } = JSON.parse(await text(request));
    const { status } = state;
    calls.push({ id: String(request.headers["webhook-id"]), type, documentId: data.id_seguimiento, status });
    response.writeHead(status).end();
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    calls,
    state,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

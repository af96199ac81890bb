import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listeningPort } from "@rubrica/test-kit";

/** A webhook as it came over the wire. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver extends AsyncDisposable {
  url: string;
  received: Received[];
  /** Resolves once so many webhooks came. */
  has(count: number): Promise<void>;
}

/** An integrator's server on the loopback. It answers 200, or as said. */
export const openReceiver = async (
  answer: (response: ServerResponse) => void = (response) => void response.end("thanks"),
): Promise<Receiver> => {
  const received: Received[] = [];
  let news = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const { method = "", url: path = "", headers } = request;
    received.push({ method, path, headers, body: await text(request) });
    news.resolve();
    news = Promise.withResolvers();
    answer(response);
  }).listen(0, "127.0.0.1");
  const port = await listeningPort(server);
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    async has(count) {
      while (received.length < count) await news.promise;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listeningPort } from "../ports.ts";
import { MetaError } from "./errors.ts";

const MAX_BODY_BYTES = 1_048_576;

/** What a route does with a request's JSON body; undefined: the connection is cut. */
export type Route = (body: unknown) => object | undefined;

const json = (response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
};

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_BODY_BYTES) throw new MetaError(100, "the body is too large");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new MetaError(100, "the body is not JSON");
  }
};

/** The Graph API's manners: who asks, for what, in JSON. `routes`: by method and path. */
const answer = async (
  request: IncomingMessage,
  response: ServerResponse,
  token: string,
  routes: ReadonlyMap<string, Route>,
): Promise<void> => {
  if (request.headers.authorization !== `Bearer ${token}`) throw new MetaError(190, "the token is not valid");
  const route = routes.get(`${request.method} ${request.url}`);
  if (!route) throw new MetaError(100, "Unsupported post request. The object does not exist", { subcode: 33 });
  if (!request.headers["content-type"]?.startsWith("application/json")) throw new MetaError(100, "send JSON");
  const answered = route(await bodyOf(request));
  if (answered) json(response, 200, answered);
  else request.socket.destroy();
};

/** Listens on the loopback. */
export const serveGraph = async (
  token: string,
  routes: ReadonlyMap<string, Route>,
): Promise<{ url: string; close(): Promise<void> }> => {
  const server = createServer((request, response) => {
    answer(request, response, token, routes).catch((error: unknown) => {
      const refusal = error instanceof MetaError ? error : new MetaError(131000, String(error));
      const { retryAfterSeconds: after } = refusal;
      json(response, refusal.status, refusal.body(), after === undefined ? {} : { "retry-after": String(after) });
    });
  }).listen(0, "127.0.0.1");
  const port = await listeningPort(server);
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

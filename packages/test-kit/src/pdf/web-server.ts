import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What a page answers: a body with status 200, or another status. */
export type Answer = Buffer | { status: number; body: Buffer };

/** Answers a request's body; a promise that never resolves keeps the asker waiting. */
export type Page = (body: Buffer) => Answer | Promise<Answer>;

/** A server on a free port of the loopback whose pages tests put up and take down. */
export interface WebServer {
  url: string;
  /** By path. What is not here is a 404. */
  pages: Map<string, Page>;
  /** The path of each request, in their order. */
  requests: string[];
  close(): Promise<void>;
}

/** Types of answers by those of requests (RFC 3161, 3.4; RFC 6960, A.1); other tools demand them. */
const contentTypes: Record<string, string> = {
  "application/timestamp-query": "application/timestamp-reply",
  "application/ocsp-request": "application/ocsp-response",
};

/** Starts one without pages. */
export const startWebServer = async (): Promise<WebServer> => {
  const pages = new Map<string, Page>();
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? "";
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    requests.push(path);
    const answer = (await pages.get(path)?.(Buffer.concat(chunks))) ?? { status: 404, body: Buffer.alloc(0) };
    const { status, body } = Buffer.isBuffer(answer) ? { status: 200, body: answer } : answer;
    const type = contentTypes[request.headers["content-type"] ?? ""] ?? "application/octet-stream";
    response.writeHead(status, { "content-type": type, "content-length": body.length }).end(body);
  });
  // An idle connection is the asker's to close: one that the server closes may be used for the next request in that very
  // moment, which then reaches nobody. Answers here hold up the whole process for as long as a program takes.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pages,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { systemClock } from "@rubrica/runtime";
import { appFor } from "./route-table.ts";

/** How long a process of the app is looked for that can be connected to, and how often. */
const TRY_MS = 10_000;
const PAUSE_MS = 100;

/** Makes one address of the apps' processes: each request goes to the next process of the app that serves it. */
export interface ReverseProxy extends AsyncDisposable {
  url: string;
}

/** A reverse proxy on that port of the loopback. `processesOf` gives the addresses of an app's processes. */
export const startReverseProxy = async (
  port: number,
  processesOf: (app: string) => readonly string[],
): Promise<ReverseProxy> => {
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    void forward(incoming, outgoing, (attempt) => {
      const { pathname } = new URL(incoming.url ?? "/", "http://proxy");
      const app = appFor(incoming.method ?? "GET", pathname);
      const processes = app === undefined ? [] : processesOf(app);
      turn += 1;
      return processes[(turn + attempt) % processes.length];
    });
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

/** Forwards a request to the first process that can be connected to; none of it was sent to those before. */
const forward = async (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  pick: (attempt: number) => string | undefined,
): Promise<void> => {
  const endMs = systemClock.monotonicMs() + TRY_MS;
  for (let attempt = 0; ; attempt++) {
    const upstream = pick(attempt);
    if (upstream === undefined) return refuse(outgoing, 404);
    const outcome = await tryOnce(incoming, outgoing, upstream);
    if (outcome === "answered") return;
    if (outcome === "broken" || systemClock.monotonicMs() > endMs) return refuse(outgoing, 502);
    await systemClock.wait(PAUSE_MS);
  }
};

const refuse = (outgoing: ServerResponse, status: number): void => {
  if (outgoing.headersSent) outgoing.destroy();
  else outgoing.writeHead(status, { connection: "close" }).end();
};

/** "refused": nothing was sent. "broken": something was, and what came of it is not known. */
const tryOnce = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  upstream: string,
): Promise<"answered" | "refused" | "broken"> =>
  new Promise((resolve) => {
    let isConnected = false;
    const address = incoming.socket.remoteAddress ?? "";
    const headers = { ...incoming.headers, "x-forwarded-for": address, connection: "close" };
    const { method = "GET", url = "/" } = incoming;
    // A connection of its own for each: none that the process has just closed.
    const sent = request(`${upstream}${url}`, { method, headers, agent: false });
    sent.once("socket", (socket) =>
      socket.once("connect", () => {
        isConnected = true;
        incoming.pipe(sent);
      }),
    );
    const cut = () => {
      if (!outgoing.writableEnded) sent.destroy();
    };
    sent.once("error", () => {
      outgoing.off("close", cut);
      resolve(isConnected ? "broken" : "refused");
    });
    sent.once("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, connection: "close" });
      answer.pipe(outgoing);
      answer.once("end", () => resolve("answered"));
      answer.once("error", () => resolve("broken"));
    });
    outgoing.once("close", cut);
  });

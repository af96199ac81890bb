import { once } from "node:events";
import { createServer } from "node:http";
import { freePort } from "@rubrica/test-kit";
import type { Host } from "./host.ts";

/** What may be asked of a host from another process. */
const CALLS = ["attacked", "begin", "end", "hush", "resume", "look"] as const satisfies (keyof Host)[];

/** Lets the processes that run the files of tests share a host. */
export const shareHost = async (host: Host): Promise<AsyncDisposable & { url: string }> => {
  const port = await freePort();
  const server = createServer(async ({ url = "" }, response) => {
    const call = CALLS.find((name) => url === `/${name}`);
    try {
      response.end(JSON.stringify((call && (await host[call]())) ?? null));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  // An end may come after minutes.
  server.requestTimeout = 0;
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** A host that another process shares at this address. */
export const remoteHost = (url: string): Host => {
  const ask = (call: (typeof CALLS)[number]) => async () => {
    const response = await fetch(`${url}/${call}`);
    if (!response.ok) throw new Error(`${call}: ${await response.text()}`);
    return await response.json();
  };
  return Object.fromEntries(CALLS.map((call) => [call, ask(call)])) as unknown as Host;
};

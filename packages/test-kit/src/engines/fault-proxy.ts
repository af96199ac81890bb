import { once } from "node:events";
import { createConnection, createServer, type Socket } from "node:net";
import { type Clock, type Random, systemClock } from "@rubrica/runtime";
import { listeningPort } from "../ports.ts";

/**
 * What a proxy does to the connections through it.
 * - `none`: it passes all bytes on.
 * - `cut`: it resets every connection, those that come too.
 * - `delay`: what is sent, either way, comes up to `upToMs` later, in its order.
 * - `halve`: of what is sent next, either way, half comes, and then nothing any more; the connection stays open.
 */
export type Fault = { kind: "none" } | { kind: "cut" } | { kind: "delay"; upToMs: number } | { kind: "halve" };

/** Stands between a client and a server, on a port of the loopback, and fails as it is told. */
export interface FaultProxy extends AsyncDisposable {
  port: number;
  /** From now on, for the connections that there are and those that come. What was halved is reset once it is over. */
  suffer(fault: Fault): void;
}

/** A connection through the proxy. */
interface Pair {
  client: Socket;
  server: Socket;
  /** It lost bytes: nothing more may come through it. */
  isHalved: boolean;
}

/** The URL with the proxy's port in the place of the server's. */
export const throughProxy = (url: string, { port }: Pick<FaultProxy, "port">): string => {
  const through = url.replace(portOf(url).match, `:${port}`);
  if (!url.startsWith("mongodb:") || url.includes("directConnection=")) return through;
  // The server of a replica set, also of one, says where it is: its clients would go there, past the proxy.
  return `${through}${through.includes("?") ? "&" : "?"}directConnection=true`;
};

const portOf = (url: string): { match: string; port: number } => {
  const [match, port] = /:(\d+)(?=[/?]|$)/.exec(url) ?? [];
  if (match === undefined) throw new Error("a URL without a port");
  return { match, port: Number(port) };
};

/** A proxy to the server of the loopback that the URL names. `random` decides how long what is delayed takes. */
export const startFaultProxy = async (url: string, random: Random, clock: Clock = systemClock): Promise<FaultProxy> => {
  const { port: target } = portOf(url);
  const pairs = new Set<Pair>();
  let fault: Fault = { kind: "none" };
  const reset = (pair: Pair): void => {
    pairs.delete(pair);
    pair.client.resetAndDestroy();
    pair.server.resetAndDestroy();
  };

  /** Passes on what one side sends, as the fault of the moment has it. */
  const pump = async (pair: Pair, from: Socket, to: Socket): Promise<void> => {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      if (fault.kind === "delay") await clock.wait(random.fraction() * fault.upToMs);
      if (pair.isHalved) continue;
      if (fault.kind === "halve") {
        to.write(chunk.subarray(0, chunk.length / 2));
        pair.isHalved = true;
      } else if (!to.write(chunk)) {
        await Promise.race([once(to, "drain"), once(to, "close")]);
      }
    }
    if (!pair.isHalved) to.end();
  };

  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = createConnection({ port: target, host: "127.0.0.1", allowHalfOpen: true });
    const pair: Pair = { client, server: upstream, isHalved: false };
    for (const socket of [client, upstream]) socket.setNoDelay(true).on("error", () => reset(pair));
    upstream.on("close", () => pairs.delete(pair));
    pairs.add(pair);
    if (fault.kind === "cut") return reset(pair);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      pump(pair, from, to).catch(() => reset(pair));
  }).listen(0, "127.0.0.1");
  const port = await listeningPort(server);

  return {
    port,
    suffer(next) {
      fault = next;
      for (const pair of pairs) if (next.kind === "cut" || (next.kind !== "halve" && pair.isHalved)) reset(pair);
    },
    async [Symbol.asyncDispose]() {
      for (const pair of pairs) reset(pair);
      server.close();
      await once(server, "close");
    },
  };
};

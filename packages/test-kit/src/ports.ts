import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { systemRandom } from "@rubrica/runtime";

/**
 * Below the ports that the system gives to outgoing connections: one of those may take a port between the moment at
 * which it is found free and the one at which a server that starts listens on it.
 */
const FIRST = 11_000;
const SLICES = 42;
const SLICE = 500;

/** By chance, so that a server that a file left behind is not met by the next file. */
let next = 1 + Math.floor(systemRandom.fraction() * (SLICE - 1));
let slice: Promise<number> | undefined;

/** Listens on the port; undefined when somebody does. */
const listened = async (port: number): Promise<Server | undefined> => {
  const server = createServer();
  const outcome = new Promise<boolean>((resolve, reject) => {
    server.once("listening", () => resolve(true));
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(false) : reject(error),
    );
  });
  server.listen(port);
  return (await outcome) ? server : undefined;
};

const isFree = async (port: number): Promise<boolean> => {
  const server = await listened(port);
  if (server === undefined) return false;
  server.close();
  await once(server, "close");
  return true;
};

/**
 * Test files run side by side, in several runs at a time. A port that is found free is listened on a moment later: until
 * then another process must not find it as well. Each takes a slice for as long as it lives, by listening on its first port.
 */
const sliceOfMine = async (): Promise<number> => {
  for (let tried = 0; tried < SLICES; tried++) {
    const first = FIRST + ((process.pid + tried) % SLICES) * SLICE;
    const server = await listened(first);
    if (server === undefined) continue;
    server.unref();
    return first;
  }
  throw new Error(`${SLICES} processes hold all ports from ${FIRST} on`);
};

/** A TCP port that nobody listens on, and that no other test is given meanwhile. */
export const freePort = async (): Promise<number> => {
  slice ??= sliceOfMine();
  const first = await slice;
  for (let tried = 0; tried < SLICE; tried++) {
    const port = first + next;
    next = (next % (SLICE - 1)) + 1;
    if (await isFree(port)) return port;
  }
  throw new Error(`of the ${SLICE} ports from ${first} on none is free`);
};

/** The port that the system gave a server, once it listens. */
export const listeningPort = async (server: Server): Promise<number> => {
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the system gave no port");
  return address.port;
};

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

/** Test files run side by side; each of the processes that run them takes ports of its own slice. */
const slice = Number(process.env.VITEST_POOL_ID ?? process.pid) % SLICES;
/** By chance, so that a server that a file left behind is not met by the next file. */
let next = Math.floor(systemRandom.fraction() * SLICE);

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer();
  const outcome = new Promise<boolean>((resolve, reject) => {
    server.once("listening", () => resolve(true));
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(false) : reject(error),
    );
  });
  server.listen(port);
  if (!(await outcome)) return false;
  server.close();
  await once(server, "close");
  return true;
};

/** A TCP port that nobody listens on, and that no other test is given meanwhile. */
export const freePort = async (): Promise<number> => {
  for (let tried = 0; tried < SLICE; tried++) {
    const port = FIRST + slice * SLICE + next;
    next = (next + 1) % SLICE;
    if (await isFree(port)) return port;
  }
  throw new Error(`of the ${SLICE} ports from ${FIRST + slice * SLICE} on none is free`);
};

/** The port that the system gave a server, once it listens. */
export const listeningPort = async (server: Server): Promise<number> => {
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the system gave no port");
  return address.port;
};

import { createConnection, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { temporaryFolder } from "../folders.ts";
import type { EngineProcess } from "./engine-process.ts";
import { startFerretDb } from "./ferretdb.ts";

/** All writes to FerretDB wait for one lock: more files at once would only wait for each other. */
const MOST_AT_ONCE = 2;

/** A FerretDB that files of tests share which neither stop it nor end it. */
interface SharedFerretDb extends AsyncDisposable {
  /** The socket that {@link borrowFerretDb} asks at. */
  path: string;
}

/** It starts when the first file asks for it. Who asks is told its URL when it is his turn, and gives it back by hanging up. */
export const shareFerretDb = async (): Promise<SharedFerretDb> => {
  const folder = temporaryFolder();
  const path = join(folder.path, "shared");
  let started: Promise<EngineProcess> | undefined;
  const waiting: Socket[] = [];
  const having = new Set<Socket>();
  const serve = (): void => {
    while (having.size < MOST_AT_ONCE) {
      const next = waiting.shift();
      if (!next) return;
      having.add(next);
      started ??= startFerretDb();
      started.then(
        ({ url }) => next.write(JSON.stringify({ url })),
        ({ message }: Error) => next.end(JSON.stringify({ message })),
      );
    }
  };
  const server = createServer((socket) => {
    waiting.push(socket);
    // A process of tests that is killed resets its connection; the close that follows is what counts.
    socket.on("error", () => {});
    socket.once("close", () => {
      having.delete(socket);
      if (waiting.includes(socket)) waiting.splice(waiting.indexOf(socket), 1);
      serve();
    });
    serve();
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    path,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of [...waiting, ...having]) socket.destroy();
      await (await started?.catch(() => undefined))?.[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
};

/** The FerretDB that is shared by that socket, until it is disposed of. @throws {Error} when it could not be started. */
export const borrowFerretDb = (path: string): Promise<AsyncDisposable & { url: string }> =>
  new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("nobody shares a FerretDB any more")));
    socket.once("data", (told) => {
      const { url, message }: { url?: string; message?: string } = JSON.parse(told.toString("utf8"));
      if (url === undefined) reject(new Error(message));
      else resolve({ url, [Symbol.asyncDispose]: async () => void socket.destroy() });
    });
  });

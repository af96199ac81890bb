import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type FileHandle, mkdir, open, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { memoryMbOf } from "../memory.ts";
import { type OfficeProcess, UnreadableDocx } from "../office.ts";
import { type Confinement, temporaryIn } from "./confinement.ts";
import { writeProfile } from "./profile.ts";
import { exited, killGroup, spawnOffice } from "./spawn.ts";
import { pipeOf, profileIn, removeTraces } from "./traces.ts";

/**
 * Starts an office program that stays and converts document after document (see `serve.bas`).
 * @param folder its own, made here and removed when it is killed. Confined, it calls by a socket that lies there, which is
 * named by way of a descriptor: the system takes no more than 107 bytes of path for one.
 */
export const startNativeProcess = async (options: {
  soffice: string;
  folder: string;
  confinement: Confinement | undefined;
  token: string;
  signal: AbortSignal;
}): Promise<OfficeProcess> => {
  const { soffice, folder, confinement, token, signal } = options;
  const server = createServer();
  let temporary: FileHandle | undefined;
  let child: ChildProcess | undefined;
  const undo = async () => {
    server.close();
    if (child) await killGroup(child);
    await removeTraces(folder);
  };
  try {
    await mkdir(folder, { mode: 0o700 });
    await confinement?.prepare(folder);
    if (confinement) temporary = await open(temporaryIn(folder));
    server.listen(pipeOf(token, temporary && `/proc/self/fd/${temporary.fd}`));
    await once(server, "listening");
    await writeProfile(profileIn(folder), { pipe: token, token });
    signal.throwIfAborted();
    child = spawnOffice({ soffice, folder, confinement, arguments: ["macro:///Standard.Rubrica.Serve"] });
    const gone = exited(child).then(() => {
      throw new Error("the office program ended while it started");
    });
    const connection = await Promise.race([caller(server, token, signal), gone]);
    server.close();
    return new NativeProcess(child, connection, folder);
  } catch (error) {
    await undo();
    throw error;
  } finally {
    await temporary?.close();
  }
};

/** The lines of a connection, one by one. */
interface Lines {
  socket: Socket;
  next(): Promise<string>;
}

/** The connection of whoever knows the token. Others of this machine may call first, and are hung up on. */
const caller = (server: Server, token: string, signal: AbortSignal): Promise<Lines> =>
  new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("the start was given up")), { once: true });
    server.on("connection", async (socket) => {
      const lines = linesOf(socket);
      const isOurs = await lines.next().then(
        (line) => line === token,
        () => false,
      );
      if (isOurs) resolve(lines);
      else socket.destroy();
    });
  });

const linesOf = (socket: Socket): Lines => {
  // A connection that breaks ends its lines, which is told there.
  socket.on("error", () => undefined);
  const iterator = createInterface({ input: socket })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await iterator.next();
    if (done) throw new Error("the office program hung up");
    return String(value);
  };
  return { socket, next };
};

class NativeProcess implements OfficeProcess {
  readonly #child: ChildProcess;
  readonly #connection: Lines;
  readonly #folder: string;

  constructor(child: ChildProcess, connection: Lines, folder: string) {
    this.#child = child;
    this.#connection = connection;
    this.#folder = folder;
  }

  async convert(docx: Uint8Array): Promise<Uint8Array> {
    const from = join(this.#folder, "document.docx");
    const to = join(this.#folder, "document.pdf");
    try {
      await writeFile(from, docx, { mode: 0o600 });
      this.#connection.socket.write(`${pathToFileURL(from)}\t${pathToFileURL(to)}\n`);
      const answer = await this.#connection.next();
      if (answer === "unreadable") throw new UnreadableDocx();
      if (answer !== "done") throw new Error("the office program failed");
      return await readFile(to);
    } finally {
      await Promise.all([rm(from, { force: true }), rm(to, { force: true })]);
    }
  }

  memoryMb(): number {
    return this.#child.pid === undefined ? 0 : memoryMbOf(this.#child.pid);
  }

  async kill(): Promise<void> {
    this.#connection.socket.destroy();
    await killGroup(this.#child);
    await removeTraces(this.#folder);
  }
}

import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { temporaryFolder } from "../folders.ts";
import { freePort } from "../ports.ts";
import { toolsMissing } from "../tools.ts";
import { child } from "./child.ts";
import type { EngineProcess } from "./engine-process.ts";
import { deleteStream } from "./jetstream.ts";

const PROGRAM = "nats-server";

/** Whether a `nats-server` is installed; says on the console what is skipped when none is. */
export const hasNatsServer = (): boolean => !toolsMissing(PROGRAM);

/** A NATS server as a process. */
export interface NatsProcess extends EngineProcess {
  /** Deletes a JetStream stream, with all that is in it. */
  deleteStream(name: string): Promise<void>;
  /** Removes a stream's files of messages behind the server's back. */
  loseFiles(stream: string): void;
}

/**
 * A true NATS server with JetStream on a free port of the loopback, its files in a folder of its own. From 2.10 on it
 * flushes what it stores to the disk before it acknowledges; older ones can't be told to.
 */
export const startNatsServer = async (): Promise<NatsProcess> => {
  const folder = temporaryFolder();
  const port = await freePort();
  const config = join(folder.path, "nats.conf");
  const write = (more: string) =>
    writeFileSync(config, `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${folder.path}"${more} }\n`);
  write(", sync_interval: always");
  if (spawnSync(PROGRAM, ["-t", "-c", config]).status !== 0) write("");
  const server = child(PROGRAM, ["-c", config], { answers: () => greets(port) });
  try {
    await server.start();
  } catch (error) {
    folder[Symbol.dispose]();
    throw error;
  }
  return {
    url: `nats://127.0.0.1:${port}`,
    isTrue: true,
    ...server,
    deleteStream: (name) => deleteStream({ port }, name),
    loseFiles(stream) {
      const messages = join(folder.path, "jetstream", "$G", "streams", stream, "msgs");
      rmSync(messages, { recursive: true });
    },
    async [Symbol.asyncDispose]() {
      await server.kill();
      folder[Symbol.dispose]();
    },
  };
};

/** Whether a NATS server says on that port who it is, which it does to every connection, once JetStream is there. */
const greets = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, "127.0.0.1");
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("data", (data) => done(data.toString("latin1").startsWith("INFO ")));
    socket.once("error", () => done(false));
    socket.once("close", () => done(false));
  });

import { join } from "node:path";
import { BACKWARDS, END, EventStoreDBClient } from "@eventstore/db-client";
import { rewriteEvent } from "../damage.ts";
import { temporaryFolder } from "../folders.ts";
import { freePort } from "../ports.ts";
import { child } from "./child.ts";
import type { EngineProcess } from "./engine-process.ts";

const MAIN = join(import.meta.dirname, "eventstoredb", "main.ts");

/** The double of EventStoreDB as a process. */
export interface EventStoreDbProcess extends EngineProcess {
  /** Damages what is stored of an event, behind the double's back. */
  damage(stream: string, revision: bigint, part: "data" | "metadata"): void;
}

/** Whether a read of all is answered, however little there is. */
const answers = async (url: string): Promise<boolean> => {
  const client = EventStoreDBClient.connectionString(url);
  try {
    for await (const _ of client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }));
    return true;
  } catch {
    return false;
  } finally {
    await client.dispose();
  }
};

/**
 * A double of EventStoreDB 23.10, in a process of its own on a free port of the loopback: it speaks the protocol by the
 * definitions that the official client ships, keeps what it is given in the embedded engine's file, and has the true
 * server's manners and faults (`test/eventstoredb-double.spec.ts` lists them).
 *
 * It deletes nothing, knows no users, stores JSON objects alone, and has no events of its own.
 * @param options.folder where it keeps its file; one of its own, which goes with it, by default.
 */
export const startEventStoreDb = async (options: { folder?: string } = {}): Promise<EventStoreDbProcess> => {
  const own = options.folder === undefined ? temporaryFolder() : undefined;
  const folder = options.folder ?? own?.path ?? "";
  const port = await freePort();
  const url = `esdb://127.0.0.1:${port}?tls=false`;
  const server = child(process.execPath, ["--trace-warnings", MAIN, folder, String(port)], {
    answers: () => answers(url),
  });
  const dispose = async () => {
    await server.kill();
    own?.[Symbol.dispose]();
  };
  try {
    await server.start();
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    url,
    isTrue: false,
    ...server,
    damage: (stream, revision, part) =>
      void rewriteEvent(join(folder, "events.sqlite"), stream, Number(revision), (row) => ({
        [part]: row[part].slice(0, -1),
      })),
    [Symbol.asyncDispose]: dispose,
  };
};

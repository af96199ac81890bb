import { rmSync } from "node:fs";
import { join } from "node:path";
import { linesOf } from "@rubrica/cli/testing";
import { openEmbeddedEventStore } from "@rubrica/event-store/embedded";
import { type StreamKind, streamName } from "@rubrica/events";
import { systemRuntime } from "@rubrica/runtime";
import { type EventRow, rewriteEvent } from "@rubrica/test-kit/damage";

const runtime = systemRuntime();

/** What `/readyz` answers. */
export interface Readiness {
  status: string;
  degraded?: Record<string, string>;
}

/** Appends an event that nobody can read to the stream, as another process would, or begins a stream with it. */
export const poison = async (dataDir: string, stream: string): Promise<void> => {
  const store = openEmbeddedEventStore({ path: join(dataDir, "events.sqlite"), ...runtime });
  try {
    const end = await store.streamEnd(stream);
    const event = { id: runtime.ids.uuidv7(), type: "Nonsense", data: { data: {}, personal: null }, metadata: {} };
    await store.append(stream, end?.revision ?? "no_stream", [event]);
  } finally {
    await store.close();
  }
};

/** The streams of a kind that there are. */
export const streamsOf = async (dataDir: string, kind: StreamKind): Promise<string[]> => {
  const store = openEmbeddedEventStore({ path: join(dataDir, "events.sqlite"), ...runtime });
  const names = new Set<string>();
  for await (const { stream } of store.readAll(undefined, { streamPrefix: streamName(kind, "") })) names.add(stream);
  await store.close();
  return [...names];
};

/** Spoils the row of an event; doing it with what it gives mends it. */
export const spoil = (dataDir: string, stream: string, revision: number, change: Partial<EventRow>): EventRow =>
  rewriteEvent(join(dataDir, "events.sqlite"), stream, revision, () => change);

/** Takes the read models away: they are built anew from the events. */
export const dropReadModels = (dataDir: string): void => {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(join(dataDir, `read-models.sqlite${suffix}`), { force: true });
};

/** Runs the CLI beside the service and gives what it printed. */
export const rubrica = async (dataDir: string, ...args: string[]): Promise<string> =>
  (await linesOf(args, { DATA_DIR: dataDir }, runtime)).join("\n");

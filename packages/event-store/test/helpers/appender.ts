import { systemClock } from "@rubrica/runtime";
import { openEmbeddedEventStore } from "../../src/embedded/store.ts";
import { ConflictError, type EventStore } from "../../src/index.ts";
import { anEvent } from "./events.ts";

// A process of its own, for tests that need two: `appender.ts <path> <mode> <count>`. Each acknowledged append
// is a line on its standard output, written before the next is made.

// Written at once on POSIX, also where the pipe is full: `writeSync` would throw EAGAIN there.
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

/** Appends one by one to a stream that others append to as well: reads, tries, reads again. */
const contend = async (store: EventStore, stream: string, count: number): Promise<void> => {
  for (let done = 0; done < count; ) {
    const end = await store.streamEnd(stream);
    try {
      const { revision } = await store.append(stream, end?.revision ?? "no_stream", [anEvent({ pid: process.pid })]);
      say(`${stream} ${revision}`);
      done += 1;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
};

/** Several writers, each with a stream of its own. */
const spread = async (store: EventStore, count: number): Promise<void> => {
  const writers = Array.from({ length: 8 }, (_, writer) => contend(store, `own-${process.pid}-${writer}`, count));
  await Promise.all(writers);
};

const [path = "", mode = "", count = "0"] = process.argv.slice(2);
const store = openEmbeddedEventStore({ path, clock: systemClock });
try {
  say("open");
  if (mode === "contend") await contend(store, "shared-stream", Number(count));
  else await spread(store, Number(count));
} catch (error) {
  say(`failed ${error instanceof Error && "failure" in error ? error.failure : error}`);
} finally {
  await store.close();
}

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openEmbeddedEventStore } from "@rubrica/event-store/embedded";
import { type Extent, perSecond, type Row, ratio, runtime, timeOf, whole, withFolder } from "./measure.ts";

const WRITERS = 64;
const DATA = { data: { signerId: "019aa5c0-0000-7000-8000-000000000051", text: "x".repeat(300) }, personal: null };
const METADATA = {
  accountId: "019aa5c0-0000-7000-8000-0000000000a1",
  at: "2026-11-21T00:00:00.000Z",
  text: "y".repeat(300),
};

const rawMs = (folder: string, count: number): Promise<number> => {
  const database = new DatabaseSync(join(folder, "raw.sqlite"));
  database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE event (id TEXT, data TEXT, metadata TEXT)",
  );
  const insert = database.prepare("INSERT INTO event VALUES (?, ?, ?)");
  return timeOf(() => {
    for (let done = 0; done < count; done += WRITERS) {
      database.exec("BEGIN IMMEDIATE");
      for (let writer = 0; writer < WRITERS; writer++) {
        insert.run(runtime.ids.uuidv7(), JSON.stringify(DATA), JSON.stringify(METADATA));
      }
      database.exec("COMMIT");
    }
  }).finally(() => database.close());
};

const storeMs = async (folder: string, count: number): Promise<number> => {
  const { clock, random, ids } = runtime;
  const store = openEmbeddedEventStore({ path: join(folder, "events.sqlite"), clock, random });
  const writer = async (stream: string) => {
    for (let revision = 0n; revision < count / WRITERS; revision++) {
      const event = { id: ids.uuidv7(), type: "Benchmarked", data: DATA, metadata: METADATA };
      await store.append(stream, revision === 0n ? "no_stream" : revision - 1n, [event]);
    }
  };
  const ms = await timeOf(() =>
    Promise.all(Array.from({ length: WRITERS }, (_, index) => writer(`document-${index}`))),
  );
  await store.close();
  return ms;
};

/** Durable appends by 64 writers at once, one event each, against 64 rows a raw transaction. */
export const benchAppend = ({ quick }: Extent): Promise<Row> =>
  withFolder(async (folder) => {
    const count = quick ? 6_400 : 64_000;
    const raw = perSecond(count, await rawMs(folder, count));
    const store = perSecond(count, await storeMs(folder, count));
    return {
      what: "append, 64 writers, durable",
      measured: `${whole(store)}/s`,
      baseline: `raw node:sqlite, 64 rows a transaction: ${whole(raw)}/s`,
      result: ratio(store / raw),
      aim: "≥ 0.6",
      note: "revision and id checks, two more indexes, a promise for each writer",
    };
  });

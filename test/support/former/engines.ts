import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HANGING_MS } from "@rubrica/test-kit";
import { startEventStoreDb, startMongo, startNatsServer } from "@rubrica/test-kit/engines";
import { BSON, type Db, MongoClient } from "mongodb";

/** Engines over the wire whose contents lie in a folder: EventStoreDB's as its double's file, MongoDB's as lines. */
export interface FormerEngines extends AsyncDisposable {
  /** EVENTSTORE_URL, MONGODB_URL and NATS_URL. */
  environment: Readonly<Record<string, string>>;
  /** MongoDB's. */
  db: Db;
  /**
   * Stops EventStoreDB and writes what MongoDB holds into the folder. What NATS holds is not kept: it is sent again where it
   * is missed.
   */
  save(): Promise<void>;
}

const EJSON = BSON.EJSON;

/** Starts engines with what a folder holds of them, which may be nothing yet. */
export const startFormerEngines = async (folder: string): Promise<FormerEngines> => {
  await using starting = new AsyncDisposableStack();
  const [eventStoreFolder, file] = [join(folder, "eventstoredb"), join(folder, "mongodb.ndjson")];
  mkdirSync(eventStoreFolder, { recursive: true });
  const eventStore = starting.use(await startEventStoreDb({ folder: eventStoreFolder }));
  const mongo = starting.use(await startMongo());
  const nats = starting.use(await startNatsServer());
  const url = mongo.newDatabase();
  const client = await MongoClient.connect(url, { serverSelectionTimeoutMS: HANGING_MS });
  starting.defer(() => client.close());
  const db = client.db();
  for (const line of linesOf(file)) {
    const { collection, document } = EJSON.parse(line, { relaxed: false });
    await db.collection(collection).insertOne(document);
  }
  const started = starting.move();
  return {
    environment: { EVENTSTORE_URL: eventStore.url, MONGODB_URL: url, NATS_URL: nats.url },
    db,
    async save() {
      await eventStore[Symbol.asyncDispose]();
      const lines: string[] = [];
      for (const { name: collection } of await db.listCollections().toArray())
        for await (const document of db.collection(collection).find())
          lines.push(EJSON.stringify({ collection, document }, { relaxed: false }));
      writeFileSync(file, `${lines.join("\n")}\n`);
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
};

const linesOf = (file: string): string[] => {
  try {
    return readFileSync(file, "utf8").trim().split("\n");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
};

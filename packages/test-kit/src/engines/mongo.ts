import { systemRandom } from "@rubrica/runtime";
import { hasFerretDb, startFerretDb } from "./ferretdb.ts";

/** A MongoDB, or FerretDB in its place, for the tests of one file. */
export interface MongoForTests extends AsyncDisposable {
  /** Whether it is MongoDB itself. */
  isTrue: boolean;
  /** The URL of a database that nobody has used yet. It stays where the server does: drop it. */
  newDatabase(): string;
}

/** Whether there is one: the true one that MONGODB_URL names, or FerretDB. Says on the console what is skipped without. */
export const hasMongo = (): boolean => process.env.MONGODB_URL !== undefined || hasFerretDb();

let databases = 0;

/** Starts FerretDB, unless MONGODB_URL names a true server. */
export const startMongo = async (): Promise<MongoForTests> => {
  const trueUrl = process.env.MONGODB_URL;
  const server = trueUrl === undefined ? await startFerretDb() : undefined;
  const url = trueUrl ?? server?.url ?? "";
  // Unlike those of any other run, on a server that outlives this one.
  const run = systemRandom.bytes(6).toString("hex");
  return {
    isTrue: server === undefined,
    newDatabase() {
      databases += 1;
      const database = new URL(url);
      database.pathname = `/rubrica-test-${run}-${databases}`;
      return database.href;
    },
    [Symbol.asyncDispose]: async () => server?.[Symbol.asyncDispose](),
  };
};

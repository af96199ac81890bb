import { type Db, type DbOptions, MongoClient, type MongoClientOptions, ReadConcern } from "mongodb";
import { failOnClosedSockets } from "./closed-sockets.ts";

const DEFAULT_DATABASE = "rubrica";

/**
 * What holds whatever the URL says. What is acknowledged is on the disks of a majority, and outlives the primary.
 *
 * Reads go to the primary and see all that was acknowledged, by whichever process: "majority" would not, for a moment
 * after another primary was elected. Where what is not acknowledged yet must not be seen, that read says so itself.
 */
const GUARANTEES: DbOptions = {
  readPreference: "primary",
  readConcern: new ReadConcern("local"),
  writeConcern: { w: "majority", journal: true, wtimeoutMS: 8_000 },
};

/**
 * A call takes as long as finding the server, a connection and the answer may take together, and once more where the
 * driver retries: it ends, also where the server takes connections and stays silent.
 */
const OPTIONS: MongoClientOptions = {
  appName: "rubrica",
  serverSelectionTimeoutMS: 5_000,
  connectTimeoutMS: 5_000,
  waitQueueTimeoutMS: 5_000,
  socketTimeoutMS: 10_000,
};

/** The database, for all engines of a process that are kept in it. */
export interface Mongo {
  readonly db: Db;
  /** Resolves when the primary answers. @throws what the driver fails with, in bounded time. */
  ping(): Promise<void>;
  /** Ends the connections; what is under way fails. */
  close(): Promise<void>;
}

/** The URL can't be read. Its message shows nothing of it: there may be a password in it. */
export class MongoUrlError extends Error {
  constructor() {
    super("the URL of MongoDB can't be read: it is to be mongodb://… or mongodb+srv://…, its password percent-encoded");
    this.name = "MongoUrlError";
  }
}

/**
 * Connects to MongoDB (`mongodb://…` or `mongodb+srv://…`, credentials and TLS by the URL), one client for a process. The
 * database is the one that the URL names, else `rubrica`.
 * @throws {MongoUrlError} when the URL can't be read. @throws what the driver fails with (it names hosts, no password)
 * when no primary answers within some seconds.
 */
export const openMongo = async ({ url }: { url: string }): Promise<Mongo> => {
  failOnClosedSockets();
  const client = clientOf(url);
  const db = client.db(databaseOf(url), GUARANTEES);
  const ping = async (): Promise<void> => void (await db.command({ ping: 1 }));
  try {
    await client.connect();
    await ping();
  } catch (error) {
    await client.close();
    throw error;
  }
  return { db, ping, close: () => client.close() };
};

const clientOf = (url: string): MongoClient => {
  try {
    return new MongoClient(url, OPTIONS);
  } catch {
    // What was thrown may quote the URL.
    throw new MongoUrlError();
  }
};

const databaseOf = (url: string): string => {
  const name = /^[^:]+:\/\/[^/?]+\/([^?]+)/.exec(url)?.[1];
  return name === undefined ? DEFAULT_DATABASE : decodeURIComponent(name);
};

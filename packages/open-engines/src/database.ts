import { join } from "node:path";
import { ConfigError } from "@rubrica/config";
import { openEmbeddedReadModelStore, type ReadModelStore } from "@rubrica/read-models";
import type { Secrets } from "@rubrica/secrets";
import { type FileStore, type KeyStore, KeyUnreadableError, type KnownLog, type LeaseStore } from "@rubrica/storage";
import {
  openDiskFileStore,
  openEmbeddedKeyStore,
  openEmbeddedKnownLog,
  openEmbeddedLeaseStore,
} from "@rubrica/storage/embedded";
import { IN_MEMORY } from "@rubrica/storage/sqlite";
import { DataFolderError } from "./data-folder.ts";
import type { Surroundings } from "./surroundings.ts";
import { MONGODB, reaching } from "./unreachable.ts";

/** Where read models, keys and files are kept: whoever opens one of them closes it before the database. */
export interface Database {
  readModels(): Promise<ReadModelStore>;
  /** @param options.mayHold whether a key may be kept in memory. */
  keys(options: { secrets: Secrets; mayHold: () => boolean }): Promise<KeyStore>;
  /** What is known of the log beside the keys, without them. */
  knownLog(): Promise<KnownLog & { close(): Promise<void> }>;
  files(keys: KeyStore): Promise<FileStore>;
  /** Which of several processes does what goes by that name. */
  lease(name: string): Promise<LeaseStore>;
  /** Resolves when it answers; undefined where that needs no asking. */
  ping?(): Promise<void>;
  close(): Promise<void>;
}

/** The database that the configuration names: the data folder when it names none. @throws {EngineUnreachable} */
export const openDatabase = async (surroundings: Surroundings): Promise<Database> => {
  const { mongodbUrl } = surroundings.config;
  return mongodbUrl === undefined ? embedded(surroundings) : overTheWire(mongodbUrl, surroundings);
};

const embedded = ({ config: { dataDir, natsUrl }, runtime, listeners, keepsReads }: Surroundings): Database => {
  const { clock, random } = runtime;
  return {
    async readModels() {
      const onReplaced = (path: string) =>
        listeners.warn?.(`The file ${path} was damaged, and is built anew from the events.`);
      return openEmbeddedReadModelStore({
        path: join(dataDir, "read-models.sqlite"),
        onReplaced,
        ...(keepsReads && { clock }),
      });
    },
    keys: ({ secrets, mayHold }) =>
      fittingSecret(`the data folder ${dataDir}`, async () =>
        openEmbeddedKeyStore({ path: join(dataDir, "keys.sqlite"), secrets, random, clock, mayHold }),
      ),
    knownLog: async () => openEmbeddedKnownLog(join(dataDir, "keys.sqlite")),
    files: (keys) => openDiskFileStore({ dir: join(dataDir, "files"), keys, random, clock }),
    async lease(name) {
      // On a bus within this process, no other one can work.
      const path = natsUrl === undefined ? IN_MEMORY : join(dataDir, "lease.sqlite");
      return openEmbeddedLeaseStore({ path, name });
    },
    async close() {},
  };
};

const overTheWire = async (url: string, { runtime: { clock, random } }: Surroundings): Promise<Database> => {
  // The driver takes a tenth of a second to load, and memory: only who uses it does.
  const { MongoUrlError, mongoKnownLog, openGridFsFileStore, openMongo, openMongoKeyStore, openMongoLeaseStore } =
    await import("@rubrica/storage/mongodb");
  const mongo = await reaching(MONGODB, async () => {
    try {
      return await openMongo({ url });
    } catch (error) {
      if (error instanceof MongoUrlError)
        throw new ConfigError(`The variable MONGODB_URL can't be used: ${error.message}.`);
      throw error;
    }
  });
  return {
    async readModels() {
      const { openMongoReadModelStore } = await import("@rubrica/read-models/mongodb");
      return reaching(MONGODB, () => openMongoReadModelStore({ mongo, random, clock }));
    },
    async keys(options) {
      const open = () => openMongoKeyStore({ mongo, random, clock, ...options });
      return reaching(MONGODB, () => fittingSecret("what is kept where MONGODB_URL says", open));
    },
    async knownLog() {
      return { ...mongoKnownLog(mongo.db), close: async () => {} };
    },
    async files(keys) {
      return reaching(MONGODB, () => openGridFsFileStore({ mongo, keys, random, clock }));
    },
    async lease(name) {
      return openMongoLeaseStore({ mongo, name });
    },
    ping: () => mongo.ping(),
    close: () => mongo.close(),
  };
};

/** @param what names where the keys are. @throws {DataFolderError} when the SECRET opens none of them. */
const fittingSecret = async (what: string, open: () => Promise<KeyStore>): Promise<KeyStore> => {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof KeyUnreadableError)) throw error;
    throw new DataFolderError(
      `The SECRET does not fit ${what}: set the one that it was made with, or name that one in FORMER_SECRETS.`,
      error,
    );
  }
};

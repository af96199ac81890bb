import { join } from "node:path";
import { createHandlers, type Handlers } from "@rubrica/commands";
import type { Config } from "@rubrica/config";
import { type EventStore, openEmbeddedEventStore } from "@rubrica/event-store";
import { type FileStore, openDiskFileStore } from "@rubrica/file-store";
import { Journal } from "@rubrica/journal";
import { type KeyStore, KeyUnreadableError, openEmbeddedKeyStore } from "@rubrica/key-store";
import { openEmbeddedReadModelStore, type ReadModelStore } from "@rubrica/read-models";
import type { Runtime } from "@rubrica/runtime";
import { createSecrets, loadOrCreateSecret, type Secrets } from "@rubrica/secrets";
import { DataFolderError, ensureDataFolder } from "./data-folder.ts";

/** The stores that everything is kept in, and what commands go through. */
export interface Engines {
  secrets: Secrets;
  keys: KeyStore;
  files: FileStore;
  events: EventStore;
  journal: Journal;
  handlers: Handlers;
  readModels: ReadModelStore;
  close(): Promise<void>;
}

/**
 * Opens the engines that the configuration names; embedded ones live in its data folder.
 * @param warn takes sentences that the operator should read.
 * @throws {DataFolderError} when the folder can't be used, or SECRET is not the one that it was made with.
 * @throws {StoreFileError} when one of its files can't be used.
 */
export const openEngines = async (
  config: Config,
  runtime: Runtime,
  warn: (sentence: string) => void = () => {},
): Promise<Engines> => {
  const { clock, random } = runtime;
  const { dataDir } = config;
  ensureDataFolder(dataDir);
  const current = config.secret ?? (await loadOrCreateSecret(dataDir, random));
  const secrets = createSecrets({ current, former: config.formerSecrets });
  const keys = openKeys(dataDir, secrets, runtime);
  const files = await openDiskFileStore({ dir: join(dataDir, "files"), keys, random, clock });
  const events = openEmbeddedEventStore({ path: join(dataDir, "events.sqlite"), clock, random });
  const readModels = openEmbeddedReadModelStore({
    path: join(dataDir, "read-models.sqlite"),
    onReplaced: (path) => warn(`The file ${path} was damaged, and is built anew from the events.`),
  });
  const journal = new Journal(events, keys, runtime);
  return {
    secrets,
    keys,
    files,
    events,
    journal,
    handlers: createHandlers(journal, runtime),
    readModels,
    async close() {
      await events.close();
      await readModels.close();
      await files.close();
      await keys.close();
    },
  };
};

const openKeys = (dataDir: string, secrets: Secrets, { random, clock }: Runtime): KeyStore => {
  try {
    return openEmbeddedKeyStore({ path: join(dataDir, "keys.sqlite"), secrets, random, clock });
  } catch (error) {
    if (!(error instanceof KeyUnreadableError)) throw error;
    throw new DataFolderError(
      `The SECRET does not fit the data folder ${dataDir}: set the one that it was made with, or name that one in FORMER_SECRETS.`,
      error,
    );
  }
};

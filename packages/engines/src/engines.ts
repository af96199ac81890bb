import { join } from "node:path";
import { createHandlers, type Handlers } from "@rubrica/commands";
import type { Config } from "@rubrica/config";
import { type EventStore, openEmbeddedEventStore } from "@rubrica/event-store";
import { type FileStore, openDiskFileStore } from "@rubrica/file-store";
import { Journal } from "@rubrica/journal";
import { type KeyStore, openEmbeddedKeyStore } from "@rubrica/key-store";
import { openEmbeddedReadModelStore, type ReadModelStore } from "@rubrica/read-models";
import type { Runtime } from "@rubrica/runtime";
import { createSecrets, loadOrCreateSecret, type Secrets } from "@rubrica/secrets";
import { ensureDataFolder } from "./data-folder.ts";

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
 * @throws {DataFolderError} when the folder can't be made.
 */
export const openEngines = async (config: Config, runtime: Runtime): Promise<Engines> => {
  const { clock, random } = runtime;
  const { dataDir } = config;
  ensureDataFolder(dataDir);
  const current = config.secret ?? (await loadOrCreateSecret(dataDir, random));
  const secrets = createSecrets({ current, former: config.formerSecrets });
  const keys = openEmbeddedKeyStore({ path: join(dataDir, "keys.sqlite"), secrets, random, clock });
  const files = await openDiskFileStore({ dir: join(dataDir, "files"), keys, random, clock });
  const events = openEmbeddedEventStore({ path: join(dataDir, "events.sqlite"), clock, random });
  const readModels = openEmbeddedReadModelStore({ path: join(dataDir, "read-models.sqlite") });
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

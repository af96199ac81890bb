// Opens the engines that the configuration names, and says in a sentence why one can't be opened.
// It must not know the apps: each asks for what it needs, and a driver is loaded with the engine that is named.
export { DataFolderError, ensureDataFolder, lockDataFolder, probeDataFolder, requireStore } from "./data-folder.ts";
export {
  type Engines,
  type Kept,
  type NoEngines,
  type OpenEngines,
  openEngines,
  openKept,
  openNoEngines,
  openRecords,
  openStores,
  type Records,
  type Stores,
} from "./engines.ts";
export { exitMessage } from "./exit-message.ts";
export type { EngineListeners } from "./surroundings.ts";
export { EngineUnreachable, explainWire, isOutage } from "./unreachable.ts";

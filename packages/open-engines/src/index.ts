// Opens the engines that the configuration names, and says in a sentence why one can't be opened.
// It must not know the apps: each asks for what it needs. What loads drivers stands apart, for those who open engines or
// lock the data folder: `/records`, `/stores`, `/folder-lock`.

export { DataFolderError, ensureDataFolder, probeDataFolder, requireStore } from "./data-folder.ts";
export { exitMessage, saidAtExit } from "./exit-message.ts";
export { type NoEngines, type OpenEngines, openNoEngines } from "./no-engines.ts";
export type { Kept, Records } from "./records.ts";
export type { Engines, Stores } from "./stores.ts";
export type { EngineListeners } from "./surroundings.ts";
export { EngineUnreachable, explainWire, isOutage } from "./unreachable.ts";

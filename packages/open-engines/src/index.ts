// Opens the engines that the configuration names, and says in a sentence why one can't be opened.
// It must not know the apps: each asks for what it needs, and an engine is loaded by who opens it, at `/records` and `/stores`.

export { DataFolderError, ensureDataFolder, lockDataFolder, probeDataFolder, requireStore } from "./data-folder.ts";
export { exitMessage, saidAtExit } from "./exit-message.ts";
export { type NoEngines, type OpenEngines, openNoEngines } from "./no-engines.ts";
export type { Kept, Records } from "./records.ts";
export type { Engines, Stores } from "./stores.ts";
export type { EngineListeners } from "./surroundings.ts";
export { EngineUnreachable, explainWire, isOutage } from "./unreachable.ts";

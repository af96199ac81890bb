export { DataFolderError, ensureDataFolder, lockDataFolder } from "./data-folder.ts";
export { type Engines, openEngines } from "./engines.ts";

export { DataFolderError, ensureDataFolder, lockDataFolder, probeDataFolder } from "./data-folder.ts";
export { type Engines, openEngines } from "./engines.ts";
export { lastWords } from "./last-words.ts";

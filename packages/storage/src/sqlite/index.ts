export { emptyLog } from "./empty-log.ts";
export { explain, isBusy, reasonOf, StoreFileError, type StoreFileFailure } from "./failure.ts";
export { IN_MEMORY, makeOwnersAlone, openSqlite } from "./open.ts";

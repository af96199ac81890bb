export { findByIds } from "./by-ids.ts";
export { isDuplicateKey, retryingDuplicates } from "./duplicates.ts";
export { isFerretDb } from "./features.ts";
export { type Mongo, MongoUrlError, openMongo } from "./open.ts";

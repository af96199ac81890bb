// The ports on MongoDB, and what every store there needs of the connection.

export { openGridFsFileStore } from "./files/gridfs/store.ts";
export { mongoKnownLog } from "./keys/mongodb/known-log.ts";
export { openMongoKeyStore } from "./keys/mongodb/store.ts";
export { openMongoLeaseStore } from "./lease/mongodb.ts";
export { findByIds } from "./mongodb/by-ids.ts";
export { isDuplicateKey, retryingDuplicates } from "./mongodb/duplicates.ts";
export { isFerretDb } from "./mongodb/features.ts";
export { type Mongo, MongoUrlError, openMongo } from "./mongodb/open.ts";

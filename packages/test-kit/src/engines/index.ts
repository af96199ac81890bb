export { type Child, child } from "./child.ts";
export type { EngineProcess } from "./engine-process.ts";
export { type EventStoreDbProcess, startEventStoreDb } from "./eventstoredb.ts";
export { type Fault, type FaultProxy, startFaultProxy, throughProxy } from "./fault-proxy.ts";
export { hasFerretDb, startFerretDb } from "./ferretdb.ts";
export { hasMongo, type MongoForTests, startMongo } from "./mongo.ts";
export { hasNatsServer, type NatsProcess, startNatsServer } from "./nats.ts";

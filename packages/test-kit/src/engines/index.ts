export { type Child, child } from "./child.ts";
export {
  commandedEngine,
  type EngineCommands,
  engineCommandsIn,
  type How,
  isCluster,
  type Which,
} from "./commanded.ts";
export type { EngineProcess } from "./engine-process.ts";
export { type Failing, type FailingEventStoreDb, startFailingEventStoreDb } from "./eventstoredb/failing.ts";
export { type EventStoreDbProcess, startEventStoreDb } from "./eventstoredb.ts";
export { type ClusterMember, type EventStoreDbCluster, startEventStoreDbCluster } from "./eventstoredb-cluster.ts";
export { type Fault, type FaultProxy, startFaultProxy, throughProxy } from "./fault-proxy.ts";
export { type EngineOptions, hasFerretDb, startFerretDb } from "./ferretdb.ts";
export { askJetStream, deleteStream } from "./jetstream.ts";
export { hasMongo, inDatabase, type MongoForTests, startMongo } from "./mongo.ts";
export { hasNatsServer, type NatsProcess, startNatsServer } from "./nats.ts";
export { type NatsCluster, startNatsCluster } from "./nats-cluster.ts";
export { borrowFerretDb, shareFerretDb } from "./shared-ferretdb.ts";

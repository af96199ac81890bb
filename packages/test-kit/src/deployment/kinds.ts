import {
  type EngineOptions,
  hasFerretDb,
  hasNatsServer,
  startEventStoreDb,
  startFerretDb,
  startNatsServer,
} from "../engines/index.ts";

/** A kind of engine, and what stands for it where no URL names one; `isTrue`: that this is the same program. */
export const KINDS = [
  {
    name: "EventStoreDB",
    variable: "EVENTSTORE_URL",
    standIn: "a double, which speaks its protocol",
    isTrue: false,
    isThere: () => true,
    start: () => startEventStoreDb(),
  },
  {
    name: "MongoDB",
    variable: "MONGODB_URL",
    standIn: "FerretDB in its place, over PostgreSQL",
    isTrue: false,
    isThere: hasFerretDb,
    start: (options: EngineOptions) => startFerretDb(options),
  },
  {
    name: "NATS",
    variable: "NATS_URL",
    standIn: "a true nats-server",
    isTrue: true,
    isThere: hasNatsServer,
    start: () => startNatsServer(),
  },
] as const;

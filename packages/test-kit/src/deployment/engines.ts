import { systemRandom } from "@rubrica/runtime";
import {
  type EngineProcess,
  hasFerretDb,
  hasNatsServer,
  startEventStoreDb,
  startFerretDb,
  startNatsServer,
} from "../engines/index.ts";

/** The engines over the wire that apps stand on. */
export interface DeploymentEngines extends AsyncDisposable {
  /** EVENTSTORE_URL, MONGODB_URL and NATS_URL. */
  environment: Readonly<Record<string, string>>;
  /** By the names that `/readyz` tells; those that a URL of the test's own environment names are not among them. */
  processes: Readonly<Record<string, EngineProcess>>;
}

/** A kind of engine, and what stands for it where no URL names one. */
const KINDS = [
  {
    name: "EventStoreDB",
    variable: "EVENTSTORE_URL",
    standIn: "a double, which speaks its protocol",
    isThere: () => true,
    start: () => startEventStoreDb(),
  },
  {
    name: "MongoDB",
    variable: "MONGODB_URL",
    standIn: "FerretDB in its place, over PostgreSQL",
    isThere: hasFerretDb,
    start: startFerretDb,
  },
  {
    name: "NATS",
    variable: "NATS_URL",
    standIn: "a true nats-server",
    isThere: hasNatsServer,
    start: startNatsServer,
  },
] as const;

/** Whether there is one of each kind: named by a URL, or to be started here. Says on the console what is missing. */
export const hasEngines = (): boolean =>
  KINDS.map(({ variable, isThere }) => process.env[variable] !== undefined || isThere()).every(Boolean);

/** Which engines tests are on: true ones, doubles, or none. */
export const sayEngines = (): string[] =>
  KINDS.map(({ name, variable, isThere, standIn }) => {
    if (process.env[variable] !== undefined) return `${name}: a true one, where ${variable} says`;
    return `${name}: ${isThere() ? standIn : "none on this machine; its tests were skipped"}`;
  });

/**
 * Starts the engines that no URL of the environment names, and says on the console which are true, and which doubles. Those that a URL names are to be empty; of MongoDB a database of its own is used.
 */
export const startEngines = async (): Promise<DeploymentEngines> => {
  await using starting = new AsyncDisposableStack();
  const environment: Record<string, string> = {};
  const processes: Record<string, EngineProcess> = {};
  for (const { name, variable, start } of KINDS) {
    const given = process.env[variable];
    if (given === undefined) processes[name] = starting.use(await start());
    environment[variable] = given ?? processes[name]?.url ?? "";
  }
  console.info(sayEngines().join("\n"));
  const database = new URL(environment.MONGODB_URL ?? "");
  database.pathname = `/rubrica-test-${systemRandom.bytes(6).toString("hex")}`;
  const started = starting.move();
  return {
    environment: { ...environment, MONGODB_URL: database.href },
    processes,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
};

import { systemRandom } from "@rubrica/runtime";
import {
  commandedEngine,
  type EngineCommands,
  type EngineOptions,
  type EngineProcess,
  engineCommandsIn,
  inDatabase,
  isCluster,
} from "../engines/index.ts";
import { KINDS } from "./kinds.ts";
import { noting } from "./noted-faults.ts";

/** The engines over the wire that apps stand on. */
export interface DeploymentEngines extends AsyncDisposable {
  /** EVENTSTORE_URL, MONGODB_URL and NATS_URL. */
  environment: Readonly<Record<string, string>>;
  /**
   * By the names that `/readyz` tells. Of those that a URL of the test's own environment names, single servers alone, and
   * where ENGINES_STOP and ENGINES_START say how they are stopped.
   */
  processes: Readonly<Record<string, EngineProcess>>;
  /** The clusters that URLs name, where commands say how their servers are stopped. */
  clusters: readonly { name: string; commands: EngineCommands }[];
}

/** Whether there is one of each kind: named by a URL, or to be started here. Says on the console what is missing. */
export const hasEngines = (): boolean =>
  KINDS.map(({ variable, isThere }) => process.env[variable] !== undefined || isThere()).every(Boolean);

/** Which engines tests are on: true ones, doubles, or none. */
export const sayEngines = (): string[] =>
  KINDS.map(({ name, variable, isThere, standIn }) => {
    if (process.env[variable] !== undefined)
      return `${name}: a true one, where ${variable} says; in tests that break a server of their own, ${standIn}`;
    return `${name}: ${isThere() ? standIn : "none on this machine; its tests were skipped"}`;
  });

/** What is asked of a true MongoDB alone, and was not. */
export const sayNotAsked = (): string[] =>
  process.env.MONGODB_URL === undefined ? ["MongoDB: its views, and a role that may read them alone"] : [];

/** One for all files of a run, on engines that outlive them: what one file stored, the next one reads. */
const database = (): string =>
  process.env.RUBRICA_TEST_DATABASE ?? `rubrica-test-${systemRandom.bytes(6).toString("hex")}`;

/**
 * Starts the engines that no URL of the environment names, and says on the console which are true, and which doubles.
 * Those that a URL names are to be empty; of MongoDB a database of its own is used.
 */
export const startEngines = async (options: EngineOptions = {}): Promise<DeploymentEngines> => {
  await using starting = new AsyncDisposableStack();
  const environment: Record<string, string> = {};
  const processes: Record<string, EngineProcess> = {};
  const clusters: { name: string; commands: EngineCommands }[] = [];
  const commands = engineCommandsIn(process.env);
  for (const { name, variable, start } of KINDS) {
    const given = process.env[variable];
    if (given === undefined) processes[name] = noting<EngineProcess>(name, starting.use(await start(options)));
    else if (commands && isCluster(given)) clusters.push({ name, commands });
    else if (commands) processes[name] = noting(name, starting.use(commandedEngine(name, given, commands)));
    environment[variable] = given ?? processes[name]?.url ?? "";
  }
  console.info(sayEngines().join("\n"));
  const mongoUrl = inDatabase(environment.MONGODB_URL ?? "", database());
  const started = starting.move();
  return {
    environment: { ...environment, MONGODB_URL: mongoUrl },
    processes,
    clusters,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
};

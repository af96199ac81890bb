import { systemClock } from "@rubrica/runtime";
import { seededRandom } from "@rubrica/runtime/testing";
import { eventually } from "@rubrica/test-kit";
import {
  type AppProcess,
  type Deployment,
  type DeploymentEngines,
  isLocal,
  startDeployment,
  startEngines,
} from "@rubrica/test-kit/deployment";
import {
  type EngineProcess,
  type FaultProxy,
  type NatsProcess,
  startFaultProxy,
  throughProxy,
} from "@rubrica/test-kit/engines";

const STREAM = "rubrica";

/** An engine, and what stands between it and the apps. */
export interface Engine {
  /** As `/readyz` names it. */
  name: string;
  process: EngineProcess;
  /** Undefined where none can stand before it: a server of another machine, or one that speaks TLS. */
  proxy: FaultProxy | undefined;
}

/** All apps on engines over the wire, with what may befall them. */
export interface World extends AsyncDisposable {
  deployment: Deployment;
  engines: readonly Engine[];
  /** Engines of several servers, of which one can be stopped. */
  clusters: DeploymentEngines["clusters"];
  /** What opens the engines themselves, past the proxies. */
  environment: Readonly<Record<string, string>>;
  /** Undefined where the server of the bus was not started here. */
  deleteStream: (() => Promise<void>) | undefined;
}

const VARIABLES: Readonly<Record<string, string>> = {
  EventStoreDB: "EVENTSTORE_URL",
  MongoDB: "MONGODB_URL",
  NATS: "NATS_URL",
};
/** What has no engine at all. */
const WITHOUT_ENGINES = ["signing-web", "simulator"];
const ON_BUS = ["projector", "subscribers"];

export const openWorld = async (seed: number): Promise<World> => {
  await using opening = new AsyncDisposableStack();
  const started: DeploymentEngines = opening.use(await startEngines());
  const engines: Engine[] = [];
  const urls: Record<string, string> = {};
  for (const [index, [name, process]] of Object.entries(started.processes).entries()) {
    const variable = VARIABLES[name] ?? "";
    const url = started.environment[variable] ?? "";
    const proxy = isLocal(url) ? opening.use(await startFaultProxy(url, seededRandom(seed + index))) : undefined;
    if (proxy) urls[variable] = throughProxy(url, proxy);
    engines.push({ name, process, proxy });
  }
  const deployment = opening.use(
    await startDeployment({
      engines: { ...started.environment, ...urls },
      environment: { ALLOW_PRIVATE_URLS: "true" },
    }),
  );
  const opened = opening.move();
  return {
    deployment,
    engines,
    clusters: started.clusters,
    environment: { ...deployment.environment, ...started.environment },
    deleteStream: deleterOf(started),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
};

const deleterOf = ({ processes: { NATS } }: DeploymentEngines): World["deleteStream"] =>
  NATS && "deleteStream" in NATS ? () => (NATS as NatsProcess).deleteStream(STREAM) : undefined;

/** The processes that an engine's loss stops. */
const needing = ({ deployment }: World, engine: string): readonly AppProcess[] =>
  deployment.apps.filter(({ app }) => (engine === "NATS" ? ON_BUS.includes(app) : !WITHOUT_ENGINES.includes(app)));

/** Waits until every process that needs the engine says that it is not ready, for want of it, and all others that they are. */
export const saidToBeMissing = async (world: World, engine: string): Promise<void> => {
  const without = needing(world, engine);
  await eventually(`what needs ${engine} to say so`, async () => {
    const said = await Promise.all(without.map((one) => one.readiness()));
    return said.every((answer) => answer?.status === 503 && answer.body.failing?.includes(engine));
  });
  const others = world.deployment.apps.filter((one) => !without.includes(one));
  // Each by itself: one that is asked while the machine does much else may answer late.
  await Promise.all(
    others.map((one) =>
      eventually(`${one.name} to be ready without ${engine}`, async () => (await one.readiness())?.status === 200),
    ),
  );
};

const WORKS = "this projector works";
const WORKS_NO_MORE = "this projector does not work any more";

/** Whether the projector works, by its log since it was started last. */
const isWorking = (projector: AppProcess): boolean => {
  const log = projector.log();
  return log.lastIndexOf(`"${WORKS}"`) > log.lastIndexOf(`"${WORKS_NO_MORE}"`);
};

/** The projector that works, once one does; of those that are given. */
export const workingProjector = (projectors: readonly AppProcess[]): Promise<AppProcess> =>
  eventually("a projector to work", () => projectors.find(isWorking));

/** Stops the projector that works until another one has taken over, and for `forMs` at least; then it is the first's to find out. */
export const stopWorkingProjector = async ({ deployment }: World, forMs: number): Promise<void> => {
  const projectors = deployment.processesOf("projector");
  const stopped = await workingProjector(projectors);
  const beganMs = systemClock.monotonicMs();
  await stopped.silence();
  try {
    await workingProjector(projectors.filter((one) => one !== stopped));
    await systemClock.wait(beganMs + forMs - systemClock.monotonicMs());
  } finally {
    stopped.signal("SIGCONT");
  }
  await eventually("the one that was stopped to know", () => !isWorking(stopped));
};

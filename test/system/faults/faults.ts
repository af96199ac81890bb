import { type Random, systemClock } from "@rubrica/runtime";
import { type AppProcess, noteFault } from "@rubrica/test-kit/deployment";
import type { FaultProxy, How, Fault as ProxyFault, Which } from "@rubrica/test-kit/engines";
import { type Engine, saidToBeMissing, stopWorkingProjector, type World } from "./world.ts";

/** How long what is cut, halved or killed stays so, once all who need it have said so. */
const HELD_MS = 1_000;
const DELAYED_MS = 8_000;
const LONGEST_DELAY_MS = 200;
/** How long a server of a cluster is stopped. */
const STOPPED_MS = 12_000;

/** Something that befalls apps or engines, and is over when it resolves; readiness is looked at meanwhile. */
export interface Fault {
  name: string;
  /** Whether it befalls a true engine or what stands for it; undefined where it befalls an app. */
  on?: string;
  happen(world: World): Promise<void>;
}

/** An engine can't be used, until all who need it have said so, and it is mended. */
const missing = async (world: World, engine: Engine, breaks: () => unknown, mends: () => unknown): Promise<void> => {
  await breaks();
  try {
    await saidToBeMissing(world, engine.name);
    await systemClock.wait(HELD_MS);
  } finally {
    await mends();
  }
};

const whatIs = ({ process: { isTrue } }: Engine): string => (isTrue ? "the server" : "what stands for the server");

const onTheWire = (engine: Engine, proxy: FaultProxy, fault: ProxyFault & { kind: "cut" | "halve" }): Fault => ({
  name: `what goes to ${engine.name} and comes from it is ${fault.kind === "cut" ? "cut" : "halved"}`,
  on: whatIs(engine),
  happen: (world) =>
    missing(
      world,
      engine,
      () => {
        proxy.suffer(fault);
        noteFault(engine.name, fault.kind === "cut" ? "cut on the wire" : "halved on the wire");
      },
      () => proxy.suffer({ kind: "none" }),
    ),
});

const delayed = (engine: Engine, proxy: FaultProxy): Fault => ({
  name: `what goes to ${engine.name} and comes from it is late`,
  on: whatIs(engine),
  async happen() {
    proxy.suffer({ kind: "delay", upToMs: LONGEST_DELAY_MS });
    noteFault(engine.name, "late on the wire");
    await systemClock.wait(DELAYED_MS);
    proxy.suffer({ kind: "none" });
  },
});

const engineKilled = (engine: Engine): Fault => ({
  name: `${engine.name} is killed`,
  on: whatIs(engine),
  happen: (world) =>
    missing(
      world,
      engine,
      () => engine.process.kill(),
      () => engine.process.start(),
    ),
});

/** One of a cluster's servers is stopped for longer than the others need to go on without it: nobody is to lack it. */
const serverStopped = ({ name, commands }: World["clusters"][number], which: Which, how: How): Fault => ({
  name: `${name}'s ${which} is ${how === "kill" ? "killed" : "silenced"}`,
  on: "the server",
  async happen() {
    await commands.stop(name, which, how);
    noteFault(name, how === "kill" ? "one server of it killed" : "one server of it silent");
    try {
      await systemClock.wait(STOPPED_MS);
    } finally {
      await commands.start(name, which, how);
    }
  },
});

/** An app is killed, and started again a while later. */
export const appKilled = (app: AppProcess): Fault => ({
  name: `${app.name} is killed`,
  async happen() {
    await app.kill();
    await systemClock.wait(HELD_MS);
    await app.start();
  },
});

const projectorStopped = (forMs: number): Fault => ({
  name: "the projector that works stands still",
  happen: (world) => stopWorkingProjector(world, forMs),
});

const streamDeleted = (happen: () => Promise<void>): Fault => ({
  name: "the stream of obligations is deleted",
  on: "the server",
  async happen() {
    await happen();
    noteFault("NATS", "its stream deleted");
  },
});

/** Every fault that there is, each of its own; of apps those that take part in a document's way. */
export const allFaults = ({ engines, clusters, deployment, deleteStream }: World, stoppedMs: number): Fault[] => [
  ...engines.flatMap((engine) => [
    ...(engine.proxy
      ? [
          onTheWire(engine, engine.proxy, { kind: "cut" }),
          onTheWire(engine, engine.proxy, { kind: "halve" }),
          delayed(engine, engine.proxy),
        ]
      : []),
    engineKilled(engine),
  ]),
  ...clusters.flatMap((cluster) =>
    (["leader", "member"] as const).flatMap((which) =>
      (["kill", "silence"] as const).map((how) => serverStopped(cluster, which, how)),
    ),
  ),
  ...["command-api", "query-api", "projector", "subscribers"].flatMap((app) =>
    deployment.processesOf(app).map(appKilled),
  ),
  projectorStopped(stoppedMs),
  ...(deleteStream ? [streamDeleted(deleteStream)] : []),
];

/** So many of them in an order by chance, each once before any comes again. */
export const drawn = (faults: readonly Fault[], count: number, random: Random): Fault[] => {
  const order: Fault[] = [];
  // A server that a URL names is nobody's to kill: there may be none of a kind.
  while (faults.length > 0 && order.length < count) {
    const left = [...faults];
    while (left.length > 0) order.push(...left.splice(Math.floor(random.fraction() * left.length), 1));
  }
  return order.slice(0, count);
};

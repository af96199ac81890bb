import { type Random, systemClock } from "@rubrica/runtime";
import type { AppProcess } from "@rubrica/test-kit/deployment";
import type { Fault as ProxyFault } from "@rubrica/test-kit/engines";
import { type Engine, saidToBeMissing, stopWorkingProjector, type World } from "./world.ts";

/** How long what is cut, halved or killed stays so, once all who need it have said so. */
const HELD_MS = 1_000;
const DELAYED_MS = 8_000;
const LONGEST_DELAY_MS = 200;

/** Something that befalls apps or engines, and is over when it resolves; readiness is looked at meanwhile. */
export interface Fault {
  name: string;
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

const onTheWire = (engine: Engine, fault: ProxyFault): Fault => ({
  name: `what goes to ${engine.name} and comes from it is ${fault.kind === "cut" ? "cut" : "halved"}`,
  happen: (world) =>
    missing(
      world,
      engine,
      () => engine.proxy.suffer(fault),
      () => engine.proxy.suffer({ kind: "none" }),
    ),
});

const delayed = (engine: Engine): Fault => ({
  name: `what goes to ${engine.name} and comes from it is late`,
  async happen() {
    engine.proxy.suffer({ kind: "delay", upToMs: LONGEST_DELAY_MS });
    await systemClock.wait(DELAYED_MS);
    engine.proxy.suffer({ kind: "none" });
  },
});

const engineKilled = (engine: Engine): Fault => ({
  name: `${engine.name} is killed`,
  happen: (world) =>
    missing(
      world,
      engine,
      () => engine.process.kill(),
      () => engine.process.start(),
    ),
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

const streamDeleted: Fault = {
  name: "the stream of obligations is deleted",
  happen: (world) => world.deleteStream(),
};

/** Every fault that there is, each of its own; of apps those that take part in a document's way. */
export const allFaults = ({ engines, deployment }: World, stoppedMs: number): Fault[] => [
  ...engines.flatMap((engine) => [
    onTheWire(engine, { kind: "cut" }),
    onTheWire(engine, { kind: "halve" }),
    delayed(engine),
    engineKilled(engine),
  ]),
  ...["command-api", "query-api", "projector", "subscribers"].flatMap((app) =>
    deployment.processesOf(app).map(appKilled),
  ),
  projectorStopped(stoppedMs),
  ...(engines.some(({ name }) => name === "NATS") ? [streamDeleted] : []),
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

import { systemClock } from "@rubrica/runtime";
import { seededRandom } from "@rubrica/runtime/testing";
import { eventually, samplePdf } from "@rubrica/test-kit";
import { hasEngines } from "@rubrica/test-kit/deployment";
import { expect, test } from "vitest";
import { allFaults, drawn, type Fault } from "./faults.ts";
import { drive, emptyLedger, type Load, openReceiver } from "./integrator.ts";
import {
  chainsHold,
  nothingAnsweredIsLost,
  nothingHappenedTwice,
  readModelsEqualRebuild,
  settled,
  toldUnderOneId,
} from "./truth.ts";
import { openWorld, type World } from "./world.ts";

const isLong = process.env.RUBRICA_FAULTS === "long";
const SEED = Number(process.env.RUBRICA_FAULTS_SEED ?? 12);
const FAULTS = isLong ? 50 : 5;
const DOCUMENTS = isLong ? 1_000 : 100;
const CONCURRENCY = 4;
/** Of the log of a process that fails somebody, in characters. */
const LAST_WORDS = 2_000;
/** For the first signature, which the first helper processes are started for. */
const UNDER_WAY_MS = 120_000;
/** Longer than the lease of the projector that works; as long as the issue asks for where there is time. */
const STOPPED_MS = isLong ? 30_000 : 7_000;

/** One of each kind; which one is the seed's to say. */
const oneOfEachKind = (faults: readonly Fault[]): Fault[] => {
  const random = seededRandom(SEED);
  const one = (words: string) =>
    drawn(
      faults.filter(({ name }) => name.includes(words)),
      1,
      random,
    );
  return ["is halved", "EventStoreDB is killed", "subscribers", "stands still", "is deleted"].flatMap(one);
};

/** Of each process whether it is ready, and the end of its log: what tells why somebody was not served. */
const whatAppsSay = async ({ deployment: { apps } }: World): Promise<string> => {
  const said = apps.map(async (app) => {
    const readiness = JSON.stringify(await app.readiness());
    return `${app.name}: ${readiness}\n${app.log().slice(-LAST_WORDS)}`;
  });
  return (await Promise.all(said)).join("\n");
};

/** Has it happen while documents are requested and signed. */
const befall = async (world: World, fault: Fault, load: Load, numbers: readonly number[]): Promise<void> => {
  const beganMs = systemClock.monotonicMs();
  const before = load.ledger.signed.size;
  const driving = drive(load, numbers, CONCURRENCY);
  // Whoever waits for the fault waits for it too.
  driving.catch(() => {});
  await eventually("the load to be under way", () => load.ledger.signed.size > before, UNDER_WAY_MS);
  const repeated = load.ledger.repeated;
  await fault.happen(world);
  await driving.catch(async (error: Error) => {
    throw new Error(`${fault.name}: ${error.message}\n${await whatAppsSay(world)}`, { cause: error });
  });
  await world.deployment.ready();
  const seconds = ((systemClock.monotonicMs() - beganMs) / 1000).toFixed(1);
  console.info(
    `${fault.name}: ${numbers.length} documents in ${seconds} s, ${load.ledger.repeated - repeated} calls again`,
  );
};

test.skipIf(!hasEngines())(
  "faults between apps and engines lose nothing, double nothing, and are told",
  {
    timeout: isLong ? 4 * 3_600_000 : 1_200_000,
  },
  async () => {
    await using receiver = await openReceiver();
    await using world = await openWorld(SEED);
    const { deployment, environment } = world;
    const ledger = emptyLedger();
    const load = { client: deployment.client, ledger, pdf: await samplePdf(), webhookUrl: receiver.url };
    const known = allFaults(world, STOPPED_MS);
    const faults = isLong ? drawn(known, FAULTS, seededRandom(SEED)) : oneOfEachKind(known);
    const numbers = Array.from({ length: DOCUMENTS }, (_, number) => number);
    for (const [index, fault] of faults.entries()) {
      const some = numbers.filter((number) => number % faults.length === index);
      await befall(world, fault, load, some);
    }
    expect(ledger.accepted.size).toBe(DOCUMENTS);

    await using stores = await settled(environment);
    await nothingAnsweredIsLost(deployment.client, ledger);
    toldUnderOneId(ledger, receiver);
    nothingHappenedTwice(stores, ledger);
    await readModelsEqualRebuild(stores);
    chainsHold(environment);
  },
);

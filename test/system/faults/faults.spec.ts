import { seededRandom } from "@rubrica/runtime/testing";
import { samplePdf } from "@rubrica/test-kit";
import { hasEngines } from "@rubrica/test-kit/deployment";
import { expect, test } from "vitest";
import { befall } from "./befall.ts";
import { allFaults, drawn, type Fault } from "./faults.ts";
import { emptyLedger, openReceiver } from "./integrator.ts";
import {
  chainsHold,
  nothingAnsweredIsLost,
  nothingHappenedTwice,
  readModelsEqualRebuild,
  settled,
  toldInOrder,
  toldUnderOneId,
} from "./truth.ts";
import { openWorld } from "./world.ts";

const isLong = process.env.RUBRICA_FAULTS === "long";
const SEED = Number(process.env.RUBRICA_FAULTS_SEED ?? 12);
const FAULTS = isLong ? 50 : 5;
const DOCUMENTS = isLong ? 1_000 : 100;
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
  return [
    "is halved",
    "EventStoreDB is killed",
    "subscribers",
    "stands still",
    "is deleted",
    "EventStoreDB's leader is killed",
    "EventStoreDB's leader is silenced",
    "'s member is killed",
  ].flatMap(one);
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
    toldInOrder(ledger, receiver);
    nothingHappenedTwice(stores, ledger);
    await readModelsEqualRebuild(stores);
    await chainsHold(environment);
  },
);

import { samplePdf } from "@rubrica/test-kit";
import { hasEngines } from "@rubrica/test-kit/deployment";
import { expect, test } from "vitest";
import { befall } from "./befall.ts";
import { appKilled } from "./faults.ts";
import { emptyLedger, openReceiver } from "./integrator.ts";
import { nothingAnsweredIsLost, settled, toldInOrder, toldUnderOneId } from "./truth.ts";
import { openWorld } from "./world.ts";

const isLong = process.env.RUBRICA_FAULTS === "long";
const KILLS = isLong ? 50 : 5;
const DOCUMENTS = isLong ? 1_000 : 60;
const SEED = Number(process.env.RUBRICA_FAULTS_SEED ?? 12);

test.skipIf(!hasEngines())(
  "subscribers that are killed as they tell lose no callback: each comes under its first id, in order per document",
  { timeout: isLong ? 2 * 3_600_000 : 1_200_000 },
  async () => {
    await using receiver = await openReceiver();
    await using world = await openWorld(SEED);
    const { deployment, environment } = world;
    const ledger = emptyLedger();
    const load = { client: deployment.client, ledger, pdf: await samplePdf(), webhookUrl: receiver.url };
    const subscribers = deployment.processesOf("subscribers");
    const numbers = Array.from({ length: DOCUMENTS }, (_, number) => number);
    for (let kill = 0; kill < KILLS; kill++) {
      const killed = subscribers[kill % subscribers.length];
      if (!killed) throw new Error("no subscribers run");
      const some = numbers.filter((number) => number % KILLS === kill);
      await befall(world, appKilled(killed), load, some);
    }
    await using _stores = await settled(environment);
    expect(ledger.signed.size).toBe(DOCUMENTS);
    await nothingAnsweredIsLost(deployment.client, ledger);
    toldUnderOneId(ledger, receiver);
    toldInOrder(ledger, receiver);
  },
);

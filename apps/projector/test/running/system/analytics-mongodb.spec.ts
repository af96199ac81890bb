import { analytics, type ReadModelStore } from "@rubrica/read-models";
import { openMongoReadModelStore } from "@rubrica/read-models/mongodb";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { createMongoConnections } from "@rubrica/storage/mongodb/testing";
import { hasMongo, startMongo } from "@rubrica/test-kit/engines";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rebuildProjections } from "../../../src/running/index.ts";
import { differences, recountedTables } from "../lives/found.ts";
import { Lives } from "../lives/lives.ts";
import { recount } from "../lives/recount.ts";
import { projections, projectWith, subscribeTo } from "../lives/running.ts";

const DOCUMENTS = 300;
const SEED = 27;

describe.skipIf(!hasMongo())("in MongoDB", () => {
  let server: Awaited<ReturnType<typeof startMongo>>;
  let url: string;
  let lives: Lives;
  const { connect, drop } = createMongoConnections();
  beforeAll(async () => {
    server = await startMongo();
    url = server.newDatabase();
    lives = new Lives(DOCUMENTS, SEED);
  });
  afterAll(async () => {
    await drop();
    await server[Symbol.asyncDispose]();
  });

  const open = async (): Promise<ReadModelStore> =>
    openMongoReadModelStore({ mongo: await connect(url), random: systemRandom, clock: systemClock, keepReplacedMs: 0 });

  /** The tables' rows, times as text. */
  const found = async () => {
    const { db } = await connect(url);
    const { number } = await (await open()).liveGeneration(analytics);
    const name = `readModel.analytics.${analytics.version}.${number.toString(16).padStart(12, "0")}`;
    const records = await db.collection(name).find().toArray();
    const plain = JSON.parse(JSON.stringify(records)) as { rows: Record<string, Record<string, unknown>[]> }[];
    return Object.fromEntries(
      recountedTables.map(({ name: table, one }) => [
        table,
        one ? plain : plain.flatMap(({ rows }) => rows[table] ?? []),
      ]),
    ) as Record<string, Record<string, unknown>[]>;
  };
  const expectRecount = async () => expect(differences(await found(), recount(lives.events))).toEqual([]);

  test("by two projectors at once, each of which is started anew", async () => {
    const stores = [await open(), await open()];
    await Promise.all(stores.map((store, index) => projectWith(store, lives.events, { batches: 1 + index })));
    await Promise.all(stores.map((store) => projectWith(store, lives.events)));
    await expectRecount();
  });

  test("after a tenth of them was erased", async () => {
    for (let number = 0; number < DOCUMENTS; number += 10) lives.erase(number);
    await projectWith(await open(), lives.events);
    await expectRecount();
  });

  test("after a rebuild", async () => {
    const signal = new AbortController().signal;
    await rebuildProjections({ projections, store: await open(), subscribe: subscribeTo(lives.events), signal });
    await expectRecount();
  });
});

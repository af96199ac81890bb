import { systemClock, systemRandom } from "@rubrica/runtime";
import { createMongoConnections } from "@rubrica/storage/mongodb/testing";
import { hasMongo, startMongo } from "@rubrica/test-kit/engines";
import { projected } from "@rubrica/test-kit/history";
import { aggregate } from "mingo";
import type { Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { analytics, analyticTables } from "../../../src/index.ts";
import { openMongoReadModelStore } from "../../../src/mongodb/store.ts";
import { viewsOf } from "../../../src/mongodb/views.ts";
import { fourDocuments } from "../../analytics/four-documents.ts";
import { questions } from "../../analytics/questions.ts";

describe.skipIf(!hasMongo())("views in MongoDB", () => {
  let server: Awaited<ReturnType<typeof startMongo>>;
  const { connect, drop } = createMongoConnections();
  let records: Document[];
  /** What a view shows: by the server itself where it has views. */
  let shown: (view: string, pipeline?: readonly object[]) => Promise<unknown[]>;
  beforeAll(async () => {
    server = await startMongo();
    const mongo = await connect(server.newDatabase());
    const store = await openMongoReadModelStore({ mongo, random: systemRandom, clock: systemClock });
    const generation = await store.liveGeneration(analytics);
    const changes = [...projected(analytics, fourDocuments().events)].map(([id, document]) => ({
      id,
      position: { commit: 1n, prepare: 1n },
      document,
      rows: Object.entries(analytics.rowsOf?.(document) ?? {}).map(([table, rows]) => ({ table, rows, changed: [] })),
    }));
    const gone = { id: "gone", position: { commit: 1n, prepare: 1n }, document: null };
    const aside = { ...gone, id: "set aside", document: { stream: "x" } };
    await store.apply([{ generation, changes: [...changes, gone, aside] }], { commit: 1n, prepare: 1n });
    const [collection] = (await mongo.db.collections()).filter((one) => one.collectionName.startsWith("readModel."));
    records = (await collection?.find().toArray()) ?? [];
    const views = viewsOf(Object.values(analyticTables));
    shown = async (view, pipeline = []) => {
      if (server.isTrue)
        return mongo.db
          .collection(view)
          .aggregate([...pipeline])
          .toArray();
      const stages = views.find(({ name }) => name === view)?.pipeline ?? [];
      return aggregate(records, [...stages, ...pipeline] as Document[]);
    };
  });
  afterAll(async () => {
    await drop();
    await server[Symbol.asyncDispose]();
  });

  test.each(questions)("$asks", async ({ mongodb: [view, pipeline], answer }) => {
    expect(JSON.parse(JSON.stringify(await shown(view, pipeline)))).toEqual(answer);
  });

  test.each(Object.values(analyticTables))(
    "$name shows the rows that there are, by the declared fields",
    async (table) => {
      const rows = JSON.parse(JSON.stringify(await shown(table.name))) as Record<string, unknown>[];
      const ours = [...projected(analytics, fourDocuments().events).values()].map((record) =>
        analytics.rowsOf?.(record),
      );
      const expected = ours.flatMap((of) => of?.[table.select ? "signers" : table.name] ?? []);
      expect(rows).toHaveLength(expected.length);
      if (!table.select) expect(rows).toEqual(expected);
      const names = table.fields.map(({ name }) => name);
      // By mingo computed fields come in an order of their own.
      for (const row of rows)
        expect(server.isTrue ? Object.keys(row) : Object.keys(row).sort()).toEqual(
          server.isTrue ? names : names.toSorted(),
        );
    },
  );
});

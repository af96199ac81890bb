import { createMongoConnections } from "@rubrica/mongodb/testing";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { hasMongo, startMongo } from "@rubrica/test-kit/engines";
import { projected } from "@rubrica/test-kit/history";
import { aggregate } from "mingo";
import type { Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { analytics, analyticTables } from "../../src/index.ts";
import { openMongoReadModelStore } from "../../src/mongodb/store.ts";
import { mendViews, type Viewed, viewsOf } from "../../src/mongodb/views.ts";
import { fourDocuments } from "../analytics/four-documents.ts";
import { questions } from "../analytics/questions.ts";

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

/** What is asked of a database's views, without one. */
const databaseWith = (views: Record<string, { viewOn: string; pipeline: unknown }>, others: readonly string[] = []) => {
  const listed = ({ name, type }: { name?: string; type?: string }) =>
    [
      ...Object.entries(views).map(([view, options]) => ({ name: view, type: "view", options })),
      ...others.map((other) => ({ name: other, type: "collection", options: {} })),
    ].filter((one) => (name ?? one.name) === one.name && (type ?? one.type) === one.type);
  return {
    listCollections: (filter: object) => ({ toArray: async () => listed(filter) }),
    createCollection: async (name: string, options: { viewOn: string; pipeline: unknown }) => {
      if (others.includes(name) || views[name]) throw Object.assign(new Error("it is there"), { code: 48 });
      views[name] = options;
    },
    command: async ({ collMod, viewOn, pipeline }: { collMod: string; viewOn: string; pipeline: unknown }) => {
      views[collMod] = { viewOn, pipeline };
    },
  } as unknown as Parameters<typeof mendViews>[0];
};

describe("views that are mended", () => {
  const view = (name: string, stage: object = { $match: {} }) => ({ name, pipeline: [stage] });
  const live = (version: number, number: string, views = [view("a"), view("b")]): Viewed => ({
    name: "c",
    version,
    records: `readModel.c.${version}.${number}`,
    views,
  });
  const viewOn = (views: Record<string, { viewOn: string }>) => Object.values(views).map((one) => one.viewOn);

  test("are made over the live generation, follow a swap, and go to a higher version once it is alone", async () => {
    const views = {};
    const database = databaseWith(views);
    await mendViews(database, async () => [live(1, "aa")]);
    expect(viewOn(views)).toEqual(["readModel.c.1.aa", "readModel.c.1.aa"]);
    await mendViews(database, async () => [live(1, "bb")]);
    expect(viewOn(views)).toEqual(["readModel.c.1.bb", "readModel.c.1.bb"]);
    await mendViews(database, async () => [live(2, "cc"), live(1, "bb")]);
    expect(viewOn(views)).toEqual(["readModel.c.1.bb", "readModel.c.1.bb"]);
    await mendViews(database, async () => [live(2, "cc")]);
    expect(viewOn(views)).toEqual(["readModel.c.2.cc", "readModel.c.2.cc"]);
    // A former release that begins anew.
    await mendViews(database, async () => [live(1, "dd"), live(2, "cc")]);
    expect(viewOn(views)).toEqual(["readModel.c.2.cc", "readModel.c.2.cc"]);
  });

  test("are made otherwise where they are told otherwise", async () => {
    const views: Record<string, { viewOn: string; pipeline: unknown }> = {};
    await mendViews(databaseWith(views), async () => [live(1, "aa")]);
    await mendViews(databaseWith(views), async () => [live(1, "aa", [view("a", { $unset: "x" }), view("b")])]);
    expect(views.a?.pipeline).toEqual([{ $unset: "x" }]);
  });

  test("end up on what is live when it changes meanwhile", async () => {
    const views = {};
    let looks = 0;
    await mendViews(databaseWith(views), async () => [live(1, looks++ === 0 ? "aa" : "bb")]);
    expect(viewOn(views)).toEqual(["readModel.c.1.bb", "readModel.c.1.bb"]);
  });

  test("leave alone what somebody else calls so", async () => {
    const views = {};
    await mendViews(databaseWith(views, ["a"]), async () => [live(1, "aa")]);
    expect(Object.keys(views)).toEqual(["b"]);
  });
});

import { systemClock, systemRandom } from "@rubrica/runtime";
import { openMongo } from "@rubrica/storage/mongodb";
import { createMongoConnections } from "@rubrica/storage/mongodb/testing";
import { noteMissing } from "@rubrica/test-kit";
import { hasMongo, startMongo } from "@rubrica/test-kit/engines";
import { projected } from "@rubrica/test-kit/history";
import { aggregate } from "mingo";
import type { Db, Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { analytics, analyticTables } from "../../../src/index.ts";
import { openMongoReadModelStore } from "../../../src/mongodb/store.ts";
import { viewsOf } from "../../../src/mongodb/views.ts";
import { fiveDocuments } from "../../analytics/five-documents.ts";
import { roleBy } from "../../analytics/page.ts";
import { questions } from "../../analytics/questions.ts";

describe.skipIf(!hasMongo())("views in MongoDB", () => {
  let server: Awaited<ReturnType<typeof startMongo>>;
  const { connect, drop } = createMongoConnections();
  let url: string;
  let db: Db;
  let records: Document[];
  /** What a view shows: by the server itself where it has views. */
  let shown: (view: string, pipeline?: readonly object[]) => Promise<unknown[]>;
  beforeAll(async () => {
    server = await startMongo();
    url = server.newDatabase();
    const mongo = await connect(url);
    db = mongo.db;
    const store = await openMongoReadModelStore({ mongo, random: systemRandom, clock: systemClock });
    const generation = await store.liveGeneration(analytics);
    const changes = [...projected(analytics, fiveDocuments().events)].map(([id, document]) => ({
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
      const ours = [...projected(analytics, fiveDocuments().events).values()].map((record) =>
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

  // What stands for MongoDB here has neither roles nor views.
  if (process.env.MONGODB_URL !== undefined)
    test("the role that the page makes may read the six views, and nothing else", async ({ skip }) => {
      const { authInfo } = await db.command({ connectionStatus: 1 });
      if (authInfo.authenticatedUsers.length === 0) {
        noteMissing("a MongoDB that asks who one is (MONGODB_URL with a user and a password)");
        skip();
      }
      const user = `analyst-${db.databaseName}`;
      const pwd = systemRandom.bytes(16).toString("hex");
      const { privileges } = roleBy(db.databaseName);
      await db.command({ createRole: user, privileges, roles: [] });
      await db.command({ createUser: user, pwd, roles: [user] });
      const others = ["keys", "keys.notes", "keys.ends", "files.files", "files.chunks", "leases"];
      for (const name of others) await db.collection(name).insertOne({});
      // In the place of whoever MONGODB_URL names, and of how they are known.
      const [there = "", given = ""] = url.replace(/\/\/(?:[^/?@]*@)?/, `//${user}:${pwd}@`).split("?");
      const options = given.split("&").filter((option) => option !== "" && !/^auth/i.test(option));
      options.push(`authSource=${db.databaseName}`);
      const mongo = await openMongo({ url: `${there}?${options.join("&")}` });
      try {
        for (const { name } of Object.values(analyticTables))
          expect((await mongo.db.collection(name).find().toArray()).length).toBeGreaterThan(0);
        const refused = { code: 13, codeName: "Unauthorized" };
        const collections = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
        const views = Object.values(analyticTables).map(({ name }) => name);
        const hidden = collections.filter((name) => !views.includes(name));
        expect(hidden).toEqual(
          expect.arrayContaining([...others, "readModels", expect.stringMatching(/^readModel\./)]),
        );
        for (const name of hidden) {
          await expect(mongo.db.collection(name).findOne()).rejects.toMatchObject(refused);
          // Nor by way of a view that may be read.
          const lookup = { $lookup: { from: name, pipeline: [], as: "found" } };
          await expect(mongo.db.collection("documents").aggregate([lookup]).toArray()).rejects.toMatchObject(refused);
        }
        for (const name of [...views, "readModels"])
          await expect(mongo.db.collection(name).deleteMany({})).rejects.toMatchObject(refused);
        await expect(mongo.db.createCollection("mine")).rejects.toMatchObject(refused);
      } finally {
        await mongo.close();
        await db.command({ dropUser: user });
        await db.command({ dropRole: user });
      }
    });
});

import type { Position } from "@rubrica/event-store";
import { sample } from "@rubrica/events";
import type { JournalEvent } from "@rubrica/journal";
import { systemClock, systemRandom } from "@rubrica/runtime";
import type { Mongo } from "@rubrica/storage/mongodb";
import { createMongoConnections } from "@rubrica/storage/mongodb/testing";
import { hasMongo, startMongo } from "@rubrica/test-kit/engines";
import { History } from "@rubrica/test-kit/history";
import { aggregate } from "mingo";
import { BSON, Collection, Long } from "mongodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  type AnalyticsRecord,
  analytics,
  type DocumentChange,
  funnelGroups,
  type Generation,
  IndexesChangedError,
  OvertakenError,
  type Collection as ReadModelCollection,
  type ReadModelStore,
} from "../../../src/index.ts";
import { funnelPipeline, groupsOf } from "../../../src/mongodb/funnel.ts";
import { openMongoReadModelStore } from "../../../src/mongodb/store.ts";
import { readModelStoreContract } from "../../contract.ts";
import { ACME, documentWith, funnelContract, MATE, question } from "../../funnel-contract.ts";

const at = (commit: number): Position => ({ commit: BigInt(commit), prepare: BigInt(commit) });
const collection: ReadModelCollection = { name: "c", version: 1, indexes: [{ field: "due" }] };
const ALL = { upTo: "~", limit: 10_000 };

describe.skipIf(!hasMongo())("in MongoDB", () => {
  let server: Awaited<ReturnType<typeof startMongo>>;
  beforeAll(async () => {
    server = await startMongo();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const { connect, drop } = createMongoConnections();
  afterEach(drop);

  readModelStoreContract("in MongoDB", async () =>
    openMongoReadModelStore({
      mongo: await connect(server.newDatabase()),
      random: systemRandom,
      clock: systemClock,
      keepReplacedMs: 0,
    }),
  );

  funnelContract("in MongoDB", async () =>
    openMongoReadModelStore({
      mongo: await connect(server.newDatabase()),
      random: systemRandom,
      clock: systemClock,
      keepReplacedMs: 0,
    }),
  );

  describe("by itself", () => {
    let url: string;
    let mongo: Mongo;
    let store: ReadModelStore;
    const open = async () =>
      openMongoReadModelStore({
        mongo: await connect(url),
        random: systemRandom,
        clock: systemClock,
        keepReplacedMs: 0,
      });
    const applyTo = async (generation: Generation, changes: readonly DocumentChange[], checkpoint: Position) => {
      for (const outcome of await store.apply([{ generation, changes }], checkpoint))
        if (outcome.status === "rejected") throw outcome.reason;
    };
    /** How many records the collections of generations hold, by collection. */
    const counts = async (): Promise<number[]> => {
      const collections = (await mongo.db.collections()).filter((one) => one.collectionName.startsWith("readModel."));
      return Promise.all(collections.map((one) => one.countDocuments()));
    };
    beforeEach(async () => {
      url = server.newDatabase();
      mongo = await connect(url);
      store = await open();
    });

    test("versions of parts that no document names are not found, and keep no other from being found", async () => {
      const live = await store.liveGeneration(collection);
      const parts = ["p1", "p2", "p3"].map((id) => ({ id, document: { due: id } }));
      await applyTo(live, [{ id: "1", position: at(1), document: {}, parts }], at(1));
      const [records] = (await mongo.db.collections()).filter((one) => one.collectionName.startsWith("readModel."));
      const kept = await records?.find({ part: { $ne: null } }).toArray();
      // What a process leaves behind that is killed between parts and document.
      const left = (kept ?? []).map(({ _id, ...rest }) => ({
        ...rest,
        entries: { due: "p" },
        document: '{"due":"p"}',
      }));
      await records?.insertMany([
        ...left,
        { ...left[0], part: "never named", of: "1" },
        { ...left[0], part: "x", of: "nobody" },
      ]);
      const found = await store.findRange(collection, "due", { upTo: "~", limit: 2 });
      expect(found.map(({ id, document }) => [id, document.due])).toEqual([
        ["p1", "p1"],
        ["p2", "p2"],
      ]);
      expect(
        (await store.findRange(collection, "due", { after: "p2", upTo: "~", limit: 2 })).map(({ id }) => id),
      ).toEqual(["p3"]);
      for (const id of ["never named", "x"]) expect(await store.get(collection, id)).toBeUndefined();
    });

    test("a few documents are written with their parts by one command, and what is new without a look first", async () => {
      const live = await store.liveGeneration(collection);
      await store.load(live, ["1"]);
      const parts = (due: string) => [{ id: "p", document: { due } }];
      const spies = (["find", "insertMany", "bulkWrite", "deleteMany"] as const).map((name) =>
        vi.spyOn(Collection.prototype, name),
      );
      const commands = () => spies.map((spy) => spy.mock.calls.length);
      await applyTo(live, [{ id: "1", position: at(1), document: {}, parts: parts("one"), before: null }], at(1));
      // The layouts are looked up once.
      expect(commands()).toEqual([1, 0, 1, 0]);
      await applyTo(live, [{ id: "1", position: at(2), document: {}, parts: parts("two"), before: at(1) }], at(2));
      expect(commands()).toEqual([1, 0, 2, 1]);
      await applyTo(live, [{ id: "never seen", position: at(3), document: {} }], at(3));
      expect(commands()).toEqual([1, 0, 3, 1]);
      expect((await store.findRange(collection, "due", ALL)).map(({ document }) => document.due)).toEqual(["two"]);
      // Another process comes late with the same: it looks, and leaves all as it is.
      store = await open();
      await applyTo(live, [{ id: "never seen", position: at(3), document: { late: true } }], at(3));
      expect((await store.get(collection, "never seen"))?.document).toEqual({});
      const late = { id: "1", position: at(3), document: {}, parts: parts("late"), before: null };
      await expect(applyTo(live, [late], at(3))).rejects.toThrow(OvertakenError);
      expect(await counts()).toEqual([3]);
    });

    test("loads of many generations at once look together whether those are there", async () => {
      const all = ["a", "b", "c", "d", "e"].map((name) => ({ name, version: 1, indexes: [] }));
      const generations = await Promise.all(all.map((one) => store.liveGeneration(one)));
      // A look is not answered before every load has its record, and asks.
      const { find } = Collection.prototype;
      const allHaveRead = Promise.withResolvers<void>();
      let [looks, read] = [0, 0];
      vi.spyOn(Collection.prototype, "find").mockImplementation(function (this: Collection, ...args) {
        const cursor = find.apply(this, args);
        const toArray = cursor.toArray.bind(cursor);
        cursor.toArray = async () => {
          if (this.collectionName === "readModels") {
            looks += 1;
            await allHaveRead.promise;
            return toArray();
          }
          const records = await toArray();
          read += 1;
          if (read === all.length) setImmediate(allHaveRead.resolve);
          return records;
        };
        return cursor;
      });
      await Promise.all(generations.map((one) => store.load(one, ["1"])));
      expect(looks).toBe(2);
      expect(await store.swapIn(await store.newGeneration(all[0] as ReadModelCollection))).toBe(true);
      const outcomes = await Promise.allSettled(generations.map((one) => store.load(one, ["1"])));
      expect(outcomes.map(({ status }) => status)).toEqual(["rejected", ...all.slice(1).map(() => "fulfilled")]);
    });

    test("processes that begin at once share one generation, and one sees at once what another swaps in", async () => {
      const other = await open();
      const begun = await Promise.all([store, other, store].map((one) => one.liveGeneration(collection)));
      expect(new Set(begun.map(({ number }) => number)).size).toBe(1);
      const [live] = begun;
      if (!live) throw new Error("nothing began");
      await applyTo(live, [{ id: "1", position: at(1), document: { due: "old" } }], at(1));
      expect((await other.get(collection, "1"))?.document).toEqual({ due: "old" });
      const next = await store.newGeneration(collection);
      await applyTo(next, [{ id: "1", position: at(1), document: { due: "new" } }], at(1));
      expect(await store.swapIn(next)).toBe(true);
      expect((await other.get(collection, "1"))?.document).toEqual({ due: "new" });
      expect((await other.findRange(collection, "due", ALL)).map(({ document }) => document.due)).toEqual(["new"]);
      expect(await counts()).toEqual([1]);
      await expect(other.liveGeneration({ ...collection, indexes: [] })).rejects.toThrow(IndexesChangedError);
    });

    test("what analysts ask is in typed fields, in the declared order, live and rebuilt alike", async () => {
      const history = new History();
      history.add("DocumentRequested");
      history.add("SigningPageOpened");
      const written = async (generation: Generation, batches: readonly JournalEvent[][]) => {
        let record: AnalyticsRecord | null = null;
        for (const batch of batches) {
          for (const event of batch) record = analytics.project(record, event, sample.documentId);
          const position = batch.at(-1)?.position ?? at(0);
          const rows = Object.entries((record && analytics.rowsOf?.(record)) ?? {}).map(([table, all]) => ({
            table,
            rows: all,
            changed: [],
          }));
          await applyTo(generation, [{ id: sample.documentId, position, document: record, rows }], position);
        }
      };
      const raw = async () => {
        const name = (await mongo.db.collections()).find((one) => one.collectionName.startsWith("readModel.analytics"));
        return name?.findOne({}, { promoteLongs: false });
      };
      await written(
        await store.liveGeneration(analytics),
        history.events.map((event) => [event]),
      );
      const live = await raw();
      expect(live).toMatchObject({
        documentId: sample.documentId,
        state: "in_progress",
        requestedAt: new Date("2026-11-21T15:00:01.500Z"),
        msToOpen: Long.fromNumber(1_000),
        sealedAt: null,
        identityRequired: false,
        rows: { signers: [{ state: "opened", country: "AR", furthest: Long.fromNumber(3) }], messages: [] },
      });
      const next = await store.newGeneration(analytics);
      await written(next, [history.events]);
      await store.swapIn(next);
      expect(BSON.serialize((await raw()) ?? {})).toEqual(BSON.serialize(live ?? {}));
    });

    test.each(funnelGroups)("the server's pipeline counts what is counted here, by %s", async (groupBy) => {
      const generation = await store.liveGeneration(analytics);
      const changes = Array.from({ length: 60 }, (_, index) =>
        documentWith(index, {
          accountId: [ACME, MATE][index % 2] ?? null,
          campaignId: [1, 2, null][index % 3] ?? null,
          requestedAt: new Date(Date.parse("2026-11-20T00:00:00.000Z") + index * 3_600_000).toISOString(),
          medium: ["wpp", "sms", "email", null][index % 4] ?? null,
          country: ["UY", null][index % 2] ?? null,
          identityRequired: index % 5 === 0,
          furthest: index % 6,
          ...(index % 6 === 5 ? { signedAt: "2026-11-30T00:00:00.000Z", msToSign: 1_000 * index } : {}),
          ...(index % 7 === 0 ? { rejectedAt: "2026-11-30T00:00:00.000Z", state: "unreachable" } : {}),
        }),
      );
      await applyTo(generation, changes, at(100));
      const asked = { ...question, accountIds: [ACME ?? "", MATE ?? ""], groupBy, timeZone: "America/Montevideo" };
      const counted = await store.countFunnel(analytics, asked);
      expect(counted.reduce((sum, { steps }) => sum + steps.requested.came, 0)).toBe(60);
      const [records] = (await mongo.db.collections()).filter((one) => one.collectionName.startsWith("readModel."));
      expect(groupsOf(aggregate((await records?.find().toArray()) ?? [], funnelPipeline(asked)))).toEqual(counted);
    });

    test("what an earlier release registered without views goes on, with views", async () => {
      const live = await store.liveGeneration(analytics);
      await applyTo(live, [documentWith(1, {})], at(1));
      const registry = mongo.db.collection<{ _id: string; live: { views?: string } }>("readModels");
      const _id = `${analytics.name}/${analytics.version}`;
      const registered = await registry.findOne({ _id });
      await registry.updateOne({ _id }, { $unset: { "live.views": "" } });
      const later = await open();
      expect(await later.liveGeneration(analytics)).toEqual(live);
      expect(await later.get(analytics, "1")).toBeDefined();
      expect((await registry.findOne({ _id }))?.live.views).toEqual(registered?.live.views);
      expect(registered?.live.views).toContain("$unwind");
    });

    test("what somebody else keeps in the database stays", async () => {
      await mongo.db.collection("readModel.of somebody else").insertOne({});
      await mongo.db.collection("others").insertOne({});
      await store.liveGeneration(collection);
      await store.dropLowerVersions({ ...collection, version: 2 });
      const names = (await mongo.db.listCollections().toArray()).map(({ name }) => name);
      expect(names.sort()).toEqual(["others", "readModel.of somebody else", "readModels"]);
    });

    test("a reader never misses what is there while generations are swapped", async () => {
      const live = await store.liveGeneration(collection);
      await applyTo(live, [{ id: "1", position: at(1), document: { due: "a" } }], at(1));
      const other = await open();
      let done = false;
      const reading = (async () => {
        while (!done) {
          expect(await other.get(collection, "1")).toBeDefined();
          expect(await other.findRange(collection, "due", ALL)).toHaveLength(1);
        }
      })();
      try {
        for (let round = 0; round < 5; round++) {
          const next = await store.newGeneration(collection);
          await applyTo(next, [{ id: "1", position: at(1), document: { due: "a" } }], at(1));
          expect(await store.swapIn(next)).toBe(true);
        }
      } finally {
        done = true;
        await reading;
      }
    });

    test("ids, fields and values that MongoDB has a meaning for are nothing but text", async () => {
      const odd: ReadModelCollection = { name: "odd. $name", version: 1, indexes: [{ field: "$a.b" }] };
      const generation = await store.liveGeneration(odd);
      const document = { $a: { b: "$where", "c.d": 1 }, __proto__x: { $ne: null }, "": "\u0000" };
      const ids = ["$id", "a.b", "__proto__", "constructor", "{}"];
      const changes = ids.map((id) => ({ id, position: at(1), document, parts: [{ id: `${id}.$part`, document }] }));
      await applyTo(generation, changes, at(1));
      for (const id of ids.flatMap((one) => [one, `${one}.$part`]))
        expect(await store.get(odd, id)).toEqual({ id, position: at(1), document });
      expect(await store.findRange(odd, "$a.b", ALL)).toHaveLength(2 * ids.length);
    });
  });
});

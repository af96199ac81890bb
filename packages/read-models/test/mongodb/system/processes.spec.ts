import { hash } from "node:crypto";
import type { Position } from "@rubrica/event-store";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { type Mongo, openMongo } from "@rubrica/storage/mongodb";
import { eventually } from "@rubrica/test-kit";
import { hasFerretDb, hasMongo, startFerretDb, startMongo } from "@rubrica/test-kit/engines";
import { expect, test } from "vitest";
import { type Collection, type DocumentChange, OvertakenError, type ReadModelStore } from "../../../src/index.ts";
import { openMongoReadModelStore } from "../../../src/mongodb/store.ts";

const at = (commit: number): Position => ({ commit: BigInt(commit), prepare: BigInt(commit) });
const collection: Collection = { name: "c", version: 1, indexes: [{ field: "due" }] };
const ALL = { upTo: "~", limit: 10_000 };

/** Some events, told by their numbers from 1 on: each touches one document. */
const DOCUMENTS = 5;
const idAt = (commit: number): string => `document ${commit % DOCUMENTS}`;
/** What a document is after an event: its parts come, go and move; one is always there. */
const partsAt = (commit: number): Map<string, { due: string }> => {
  const chance = (use: string) => Number.parseInt(hash("sha256", `${use} ${commit}`).slice(0, 4), 16);
  const parts = new Map([[`${idAt(commit)}/always`, { due: `always ${chance("always")}` }]]);
  for (const name of ["a.b", "$c", "d"])
    if (chance(name) % 2 === 0) parts.set(`${idAt(commit)}/${name}`, { due: `${name} ${chance("due") % 3}` });
  return parts;
};
/** What the events after one, up to another, bring, as a projection makes it of what is stored. */
const changesOf = (
  stored: ReadonlyMap<string, DocumentChange>,
  after: number,
  upTo: number,
  bound: number,
): DocumentChange[] => {
  const last = new Map<string, number>();
  for (let commit = after + 1; commit <= upTo; commit++) last.set(idAt(commit), commit);
  return [...last].flatMap(([id, commit]) => {
    if (commit > bound) return [];
    const old = stored.get(id);
    const before = old ? partsAt(Number(old.position.commit)) : new Map();
    const now = partsAt(commit);
    const parts = [
      ...[...now].flatMap(([part, document]) =>
        before.get(part)?.due === document.due ? [] : [{ id: part, document }],
      ),
      ...[...before.keys()].flatMap((part) => (now.has(part) ? [] : [{ id: part, document: null }])),
    ];
    return [{ id, position: at(commit), document: { last: commit }, parts, before: old?.position ?? null }];
  });
};
const expectedParts = (events: number): [string, string][] =>
  Array.from({ length: DOCUMENTS }, (_, back) => [...partsAt(events - back)])
    .flat()
    .map(([id, { due }]): [string, string] => [id, due])
    .sort();
const foundParts = async (store: ReadModelStore): Promise<[string, string][]> =>
  (await store.findRange(collection, "due", ALL))
    .map(({ id, document }): [string, string] => [id, String(document.due)])
    .sort();

/** Applies the events from the store's checkpoint on, a few at a time, as a projector does. */
const project = async (store: ReadModelStore, events: number, batchSize: () => number): Promise<void> => {
  const generation = await store.liveGeneration(collection);
  for (;;) {
    const after = Number((await store.checkpoint(generation))?.commit ?? 0n);
    if (after >= events) return;
    const upTo = Math.min(events, after + batchSize());
    const ids = Array.from({ length: DOCUMENTS }, (_, number) => `document ${number}`);
    const changes = changesOf(await store.load(generation, ids), after, upTo, events);
    const [outcome] = await store.apply([{ generation, changes }], at(upTo));
    if (outcome?.status === "rejected" && !(outcome.reason instanceof OvertakenError)) throw outcome.reason;
  }
};

test.skipIf(!hasMongo())(
  "processes that apply the same and older batches at once end where one would, and leave nothing behind",
  async () => {
    const events = 60;
    await using server = await startMongo();
    const url = server.newDatabase();
    const opened: Mongo[] = [];
    const open = async () => {
      const mongo = await openMongo({ url });
      opened.push(mongo);
      return openMongoReadModelStore({ mongo, random: systemRandom, clock: systemClock, keepReplacedMs: 0 });
    };
    const [store, ...stores] = [await open(), await open(), await open(), await open()];
    if (!store) return;
    const live = await store.liveGeneration(collection);
    let done = false;
    const looked: number[] = [];
    const looking = (async () => {
      while (!done) {
        const { length } = (await foundParts(store)).filter(([id]) => id.endsWith("/always"));
        looked.push(length);
      }
    })();
    // One that sleeps between its look and its write comes late with what it saw.
    const late = (async () => {
      const ids = Array.from({ length: DOCUMENTS }, (_, number) => `document ${number}`);
      while (!done) {
        const after = Number((await store.checkpoint(live))?.commit ?? 0n);
        const stored = await store.load(live, ids);
        await systemClock.wait(30);
        await store.apply([{ generation: live, changes: changesOf(stored, after, after + 9, events) }], at(after));
      }
    })();
    try {
      await Promise.all(
        stores.map((one, index) =>
          project(one, events, () => 1 + Math.floor(systemRandom.fraction() * (2 + index * 4))),
        ),
      );
    } finally {
      done = true;
      await Promise.all([looking, late]);
    }
    expect(await foundParts(store)).toEqual(expectedParts(events));
    expect(await store.checkpoint(live)).toEqual(at(events));
    for (let number = 0; number < DOCUMENTS; number++) {
      const document = await store.get(collection, `document ${number}`);
      expect(document?.document.last).toBe(Number(document?.position.commit));
      expect(Number(document?.position.commit)).toBeGreaterThan(events - DOCUMENTS);
    }
    // A document that was there was never without the part that it always has.
    expect(looked).toEqual(looked.toSorted((a, b) => a - b));
    const [mongo] = opened;
    const collections = (await mongo?.db.collections()) ?? [];
    const records = collections.filter(({ collectionName }) => collectionName.startsWith("readModel."));
    expect(await Promise.all(records.map((one) => one.countDocuments()))).toEqual([
      DOCUMENTS + expectedParts(events).length,
    ]);
    await mongo?.db.dropDatabase();
    for (const one of opened) await one.close();
  },
);

test.skipIf(!hasFerretDb())(
  "a server killed in mid-batch loses nothing that was answered, and the store goes on by itself",
  async () => {
    await using server = await startFerretDb();
    const mongo = await openMongo({ url: server.url });
    const store = await openMongoReadModelStore({ mongo, random: systemRandom, clock: systemClock, keepReplacedMs: 0 });
    const events = 200;
    let answered = 0;
    let over = false;
    const projecting = (async () => {
      while (!over)
        try {
          const live = await store.liveGeneration(collection);
          const from = Number((await store.checkpoint(live))?.commit ?? 0n);
          expect(from).toBeGreaterThanOrEqual(answered);
          answered = from;
          if (from === events) return;
          await project(store, Math.min(events, from + 10), () => 4);
        } catch (error) {
          if (!(error instanceof Error && error.name.startsWith("Mongo"))) throw error;
        }
    })();
    try {
      for (let kill = 1; kill <= 3; kill++) {
        await eventually("it goes on", () => answered >= 40 * kill);
        await server.kill();
        await server.start();
      }
      await projecting;
    } finally {
      over = true;
      await projecting.catch(() => {});
    }
    expect(await foundParts(store)).toEqual(expectedParts(events));
    await mongo.close();
  },
);

import type { Position } from "@rubrica/event-store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Table } from "../src/analytics/field.ts";
import {
  type Collection,
  type DocumentChange,
  type Generation,
  IndexesChangedError,
  OvertakenError,
  type Range,
  type ReadModelStore,
  StaleGenerationError,
} from "../src/port.ts";

/** What every engine of the read-model store keeps to. `open` gives a new, empty store each time. */
export const readModelStoreContract = (engine: string, open: () => Promise<ReadModelStore>): void => {
  describe(`read-model store, ${engine}`, () => {
    let store: ReadModelStore;
    let live: Generation;
    const indexes = [{ field: "owner" }, { field: "signer.phone" }, { field: "dueAt" }];
    const collection: Collection = { name: "c", version: 2, indexes };
    const named = (name: string): Collection => ({ ...collection, name });
    beforeEach(async () => {
      store = await open();
      live = await store.liveGeneration(collection);
    });
    afterEach(() => store.close());

    const at = (commit: bigint): Position => ({ commit, prepare: commit });
    const apply = async (generation: Generation, changes: readonly DocumentChange[], checkpoint: Position) => {
      for (const outcome of await store.apply([{ generation, changes }], checkpoint))
        if (outcome.status === "rejected") throw outcome.reason;
    };
    const put = (id: string, commit: bigint, document: Record<string, unknown> | null, generation = live) =>
      apply(generation, [{ id, position: at(commit), document }], at(commit));
    const idsIn = async (field: string, range: Range) =>
      (await store.findRange(collection, field, range)).map(({ id }) => id);
    const idsUpTo = (field: string, upTo: string, limit = 10) => idsIn(field, { upTo, limit });
    /** Those whose field is the value. */
    const idsBy = async (field: string, value: string): Promise<string[]> => {
      const found = await store.findRange(collection, field, { upTo: value, limit: 5_000 });
      const fieldOf = (document: unknown) =>
        field.split(".").reduce((at, name) => (at as Record<string, unknown>)[name] as unknown, document);
      return found
        .filter(({ document }) => fieldOf(document) === value)
        .map(({ id }) => id)
        .sort();
    };

    test("wiping changes nothing that is read", async () => {
      await put("1", 1n, { owner: "a" });
      await put("1", 2n, { owner: "b" });
      await store.wipe();
      expect(await store.get(collection, "1")).toMatchObject({ document: { owner: "b" } });
      expect(await idsBy("owner", "b")).toEqual(["1"]);
    });

    describe("documents", () => {
      test("a document is read as it was written, with its position", async () => {
        const document = { text: "ñ🖋'\"", number: 1.5, none: null, list: [{ deep: [true] }], "a.b": {} };
        const position = { commit: 2n ** 63n - 1n, prepare: 2n ** 62n };
        await apply(live, [{ id: "1", position, document }], position);
        expect(await store.get(collection, "1")).toEqual({ id: "1", position, document });
        expect(await store.load(live, ["1"])).toEqual(new Map([["1", { id: "1", position, document }]]));
        expect(await store.checkpoint(live)).toEqual(position);
      });

      test("nothing is there before it was written", async () => {
        expect(await store.get(collection, "1")).toBeUndefined();
        expect(await store.get(named("never used"), "1")).toBeUndefined();
        expect(await store.findRange(named("never used"), "owner", { upTo: "a", limit: 10 })).toEqual([]);
        expect(await store.load(live, ["1"])).toEqual(new Map());
        expect(await store.checkpoint(live)).toBeUndefined();
      });

      test("a change at or below a document's position is passed over, one above it replaces the document", async () => {
        await put("1", 5n, { owner: "a" });
        await put("1", 5n, { owner: "b" });
        await put("1", 4n, { owner: "c" });
        expect((await store.get(collection, "1"))?.document).toEqual({ owner: "a" });
        expect([await idsBy("owner", "b"), await idsBy("owner", "c")]).toEqual([[], []]);
        await put("1", 6n, { owner: "d" });
        expect(await store.get(collection, "1")).toEqual({ id: "1", position: at(6n), document: { owner: "d" } });
      });

      test("positions are compared as numbers", async () => {
        await put("1", 9n, { owner: "a" });
        await put("1", 10n, { owner: "b" });
        await put("1", 2n ** 40n, { owner: "c" });
        expect((await store.get(collection, "1"))?.document).toEqual({ owner: "c" });
      });

      test("a removed document is not found, and no replay revives it", async () => {
        await put("1", 1n, { owner: "a" });
        await put("1", 3n, null);
        await put("1", 2n, { owner: "a" });
        expect(await store.get(collection, "1")).toBeUndefined();
        expect(await idsBy("owner", "a")).toEqual([]);
        expect(await store.load(live, ["1"])).toEqual(new Map([["1", { id: "1", position: at(3n), document: null }]]));
        await put("1", 4n, { owner: "b" });
        expect(await idsBy("owner", "b")).toEqual(["1"]);
      });

      test("a batch applied twice leaves what it left the first time", async () => {
        const changes = [
          { id: "1", position: at(1n), document: { owner: "a", dueAt: "2026" } },
          { id: "2", position: at(2n), document: { owner: "a", signer: { phone: "y" } } },
          { id: "3", position: at(3n), document: null },
        ];
        const look = async () => [
          await store.load(live, ["1", "2", "3"]),
          await store.findRange(collection, "owner", { upTo: "a", limit: 10 }),
          await store.findRange(collection, "signer.phone", { upTo: "y", limit: 10 }),
          await store.findRange(collection, "dueAt", { upTo: "2027", limit: 10 }),
          await store.checkpoint(live),
        ];
        await apply(live, changes, at(3n));
        const once = await look();
        await apply(live, changes, at(3n));
        expect(await look()).toEqual(once);
      });

      test("a batch without changes moves the checkpoint", async () => {
        await apply(live, [], at(7n));
        expect(await store.checkpoint(live)).toEqual(at(7n));
      });

      test("of a batch's generations one that fails leaves nothing of itself, and keeps its checkpoint", async () => {
        const [other, third] = [await store.liveGeneration(named("other")), await store.liveGeneration(named("third"))];
        const change = (id: string, document: Record<string, unknown>) => ({ id, position: at(2n), document });
        const outcomes = await store.apply(
          [
            { generation: live, changes: [change("1", { owner: "a" })] },
            { generation: other, changes: [change("1", {}), change("2", { unwritable: 1n })] },
            { generation: third, changes: [] },
          ],
          at(2n),
        );
        expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
        expect(await idsBy("owner", "a")).toEqual(["1"]);
        expect(await store.checkpoint(live)).toEqual(at(2n));
        expect(await store.checkpoint(third)).toEqual(at(2n));
        expect([await store.get(named("other"), "1"), await store.checkpoint(other)]).toEqual([undefined, undefined]);
      });

      test("a checkpoint never falls, also when batches come again, late or in another company", async () => {
        const other = await store.liveGeneration(named("other"));
        const together = [live, other].map((generation) => ({ generation, changes: [] }));
        await store.apply(together, at(9n));
        await apply(other, [], at(2n ** 40n));
        await store.apply(together, at(10n));
        await apply(live, [], at(4n));
        expect(await Promise.all([live, other].map((one) => store.checkpoint(one)))).toEqual([at(10n), at(2n ** 40n)]);
        expect(await store.checkpointOf(collection)).toEqual(at(10n));
        expect(await store.checkpointOf(named("other"))).toEqual(at(2n ** 40n));
      });

      test("a checkpoint is that of the live generation, and there is none before it has begun", async () => {
        expect(await store.checkpointOf(collection)).toBeUndefined();
        expect(await store.checkpointOf(named("never used"))).toBeUndefined();
        const next = await store.newGeneration(collection);
        await apply(next, [], at(5n));
        expect(await store.checkpointOf(collection)).toBeUndefined();
        await store.swapIn(next);
        expect(await store.checkpointOf(collection)).toEqual(at(5n));
      });

      test("collections are apart", async () => {
        const other = await store.liveGeneration(named("d"));
        await put("1", 1n, { owner: "a" });
        await put("1", 2n, { owner: "b" }, other);
        expect((await store.get(collection, "1"))?.document).toEqual({ owner: "a" });
        expect((await store.get(named("d"), "1"))?.document).toEqual({ owner: "b" });
        expect([await store.checkpoint(live), await store.checkpoint(other)]).toEqual([at(1n), at(2n)]);
      });

      test("a change of a document that is elsewhere by now is refused, with its parts", async () => {
        const from = (before: Position | null, commit: bigint) => ({
          id: "1",
          position: at(commit),
          document: { owner: `${commit}` },
          parts: [{ id: `1/${commit}`, document: { owner: "part" } }],
          before,
        });
        await apply(live, [from(null, 1n)], at(1n));
        await expect(apply(live, [from(null, 2n)], at(2n))).rejects.toThrow(OvertakenError);
        await apply(live, [from(at(1n), 3n)], at(3n));
        await expect(apply(live, [from(at(1n), 4n)], at(4n))).rejects.toThrow(OvertakenError);
        // What was kept before is passed over, wherever it began.
        await apply(live, [from(null, 3n)], at(3n));
        expect((await store.get(collection, "1"))?.document).toEqual({ owner: "3" });
        const found = await store.findRange(collection, "owner", { upTo: "part", limit: 10 });
        expect(found.map(({ id }) => id).sort()).toEqual(["1", "1/1", "1/3"]);
        expect(await store.checkpoint(live)).toEqual(at(3n));
      });

      test("many documents are loaded at once", async () => {
        const ids = Array.from({ length: 2_000 }, (_, number) => `id ${number}`);
        const changes = ids.map((id, index) => ({ id, position: at(BigInt(index)), document: { id } }));
        await apply(live, changes, at(2_000n));
        const loaded = await store.load(live, [...ids, "missing"]);
        expect([...loaded.keys()].sort()).toEqual([...ids].sort());
      });
    });

    describe("lookups", () => {
      test("documents are found by an indexed string, whole", async () => {
        await put("1", 1n, { owner: "a", dueAt: "2026", more: [1] });
        await put("2", 2n, { owner: "b" });
        const found = [{ id: "1", position: at(1n), document: { owner: "a", dueAt: "2026", more: [1] } }];
        expect(await store.findRange(collection, "owner", { upTo: "a", limit: 10 })).toEqual(found);
        expect(await store.findRange(collection, "dueAt", { upTo: "2026", limit: 10 })).toEqual(found);
        expect(await idsBy("owner", "A")).toEqual([]);
      });

      test("what is not a string, or not there, is not indexed", async () => {
        await put("1", 1n, { owner: 5, signer: null });
        await put("2", 2n, { owner: { deep: "a" }, signer: "a" });
        await put("3", 3n, { owner: ["a"], signer: { phone: null } });
        for (const field of ["owner", "signer.phone"]) expect(await idsUpTo(field, "~")).toEqual([]);
      });

      test("a change of the string moves the document", async () => {
        await put("1", 1n, { owner: "a", signer: { phone: "x" } });
        await put("1", 2n, { owner: "b", signer: { phone: "x" } });
        expect([await idsBy("owner", "a"), await idsBy("owner", "b")]).toEqual([[], ["1"]]);
        expect(await idsBy("signer.phone", "x")).toEqual(["1"]);
        await put("1", 3n, { owner: "b" });
        expect(await idsBy("signer.phone", "x")).toEqual([]);
      });

      test("a range is what comes after a string, up to another, in order, at most as many as asked for", async () => {
        await put("later", 1n, { dueAt: "2026-03" });
        await put("now", 2n, { dueAt: "2026-02" });
        await put("early", 3n, { dueAt: "2026-01" });
        expect(await idsUpTo("dueAt", "2026-02")).toEqual(["early", "now"]);
        expect(await idsUpTo("dueAt", "2026-02", 1)).toEqual(["early"]);
        expect(await idsUpTo("dueAt", "2025")).toEqual([]);
        expect(await idsIn("dueAt", { after: "2026-01", upTo: "~", limit: 10 })).toEqual(["now", "later"]);
        expect(await idsIn("dueAt", { after: "2026-01-15", upTo: "2026-02", limit: 10 })).toEqual(["now"]);
        expect(await idsIn("dueAt", { after: "2026-03", upTo: "~", limit: 10 })).toEqual([]);
      });

      test("strings are in the order of their UTF-8 bytes", async () => {
        const values = ["~", "\u{1f58b}", "Z", "\u{ffee}", "ñ", "a", "a/", "a0", "a~"];
        for (const [index, value] of values.entries()) await put(`${index}`, 1n, { dueAt: value });
        const sorted = values.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
        const found = await store.findRange(collection, "dueAt", { upTo: "\u{10ffff}", limit: 20 });
        expect(found.map(({ document }) => document.dueAt)).toEqual(sorted);
      });

      test("a field without an index is an error", async () => {
        await expect(store.findRange(collection, "other", { upTo: "a", limit: 10 })).rejects.toThrow();
      });
    });

    describe("parts", () => {
      const putWith = (commit: bigint, parts: DocumentChange["parts"], document: Record<string, unknown> | null = {}) =>
        apply(live, [{ id: "1", position: at(commit), document, ...(parts ? { parts } : {}) }], at(commit));

      test("are found as documents are, with their document's position", async () => {
        await putWith(1n, [{ id: "1/a", document: { owner: "a", more: [1] } }]);
        const found = { id: "1/a", position: at(1n), document: { owner: "a", more: [1] } };
        expect(await store.findRange(collection, "owner", { upTo: "a", limit: 10 })).toEqual([found]);
        expect(await store.get(collection, "1/a")).toEqual(found);
      });

      test("are changed and removed with their document, and stay as they are when it says nothing of them", async () => {
        await putWith(1n, [
          { id: "1/a", document: { owner: "a" } },
          { id: "1/b", document: { owner: "b" } },
        ]);
        await putWith(2n, undefined);
        expect(await idsUpTo("owner", "~")).toEqual(["1/a", "1/b"]);
        await putWith(3n, [
          { id: "1/a", document: { owner: "c" } },
          { id: "1/b", document: null },
          { id: "1/never there", document: null },
        ]);
        expect(await idsUpTo("owner", "~")).toEqual(["1/a"]);
        expect(await idsBy("owner", "c")).toEqual(["1/a"]);
        expect(await store.get(collection, "1/b")).toBeUndefined();
        await putWith(4n, [{ id: "1/a", document: null }], null);
        expect(await idsUpTo("owner", "~")).toEqual([]);
      });

      test("are written if and only if their document is", async () => {
        await putWith(5n, [{ id: "1/a", document: { owner: "a" } }]);
        for (const commit of [4n, 5n]) {
          await putWith(commit, [
            { id: "1/a", document: null },
            { id: "1/b", document: { owner: "b" } },
          ]);
        }
        expect(await idsUpTo("owner", "~")).toEqual(["1/a"]);
      });

      test("go with their generation", async () => {
        await putWith(1n, [{ id: "1/a", document: { owner: "a" } }]);
        const next = await store.newGeneration(collection);
        await apply(next, [{ id: "1", position: at(1n), document: {} }], at(1n));
        await store.swapIn(next);
        expect(await idsUpTo("owner", "~")).toEqual([]);
      });
    });

    describe("tables", () => {
      const field = { about: "", example: 1, nullable: true, erasure: "stays", since: 1 } as const;
      const tables: Table[] = [
        { name: "things", about: "", one: true, fields: [{ ...field, name: "size", type: "int" }] },
      ];
      const tabled: Collection = { name: "tabled", version: 1, indexes: [], tables };
      const change = (id: string, commit: bigint, size: number): DocumentChange => ({
        id,
        position: at(commit),
        document: { size },
        rows: [{ table: "things", rows: [{ size }], changed: [0] }],
      });
      const scanned = async () => {
        const found: [string, unknown][] = [];
        for await (const some of store.scan(tabled)) for (const { id, document } of some) found.push([id, document]);
        return found.sort();
      };

      test("documents with rows are kept as others are, and scanned, as many as there are", async () => {
        expect(await scanned()).toEqual([]);
        expect(await store.estimateCount(tabled)).toBe(0);
        const generation = await store.liveGeneration(tabled);
        const ids = Array.from({ length: 1_200 }, (_, number) => `${number}`);
        await apply(
          generation,
          ids.map((id) => change(id, 1n, Number(id))),
          at(1n),
        );
        expect(await store.estimateCount(tabled)).toBe(ids.length);
        await apply(generation, [{ id: "7", position: at(2n), document: null }], at(2n));
        expect(await store.get(tabled, "8")).toEqual({ id: "8", position: at(1n), document: { size: 8 } });
        const kept = ids.filter((id) => id !== "7").map((id) => [id, { size: Number(id) }]);
        expect(await scanned()).toEqual(kept.sort());
      });

      test("a scan is of the live generation", async () => {
        await apply(await store.liveGeneration(tabled), [change("1", 1n, 1)], at(1n));
        const next = await store.newGeneration(tabled);
        await apply(next, [change("1", 1n, 2)], at(1n));
        expect(await scanned()).toEqual([["1", { size: 1 }]]);
        await store.swapIn(next);
        expect(await scanned()).toEqual([["1", { size: 2 }]]);
      });

      test("a field that is told of in other words is laid out the same: the generation stays", async () => {
        const generation = await store.liveGeneration(tabled);
        const told = tables.map((table) => ({
          ...table,
          about: "Sizes of things",
          fields: table.fields.map((one) => ({ ...one, about: "How large", example: 2 })),
        }));
        expect(await store.liveGeneration({ ...tabled, tables: told })).toEqual(generation);
      });

      test("other tables without another version are an error", async () => {
        await store.liveGeneration(tabled);
        await expect(store.liveGeneration({ ...tabled, tables: [] })).rejects.toThrow(IndexesChangedError);
        await expect(store.liveGeneration({ ...tabled, version: 2, tables: [] })).resolves.toBeDefined();
      });
    });

    describe("generations", () => {
      test("the live generation stays the same while its indexes do", async () => {
        await put("1", 1n, { owner: "a" });
        expect(await store.liveGeneration(collection)).toEqual(live);
        expect(await idsBy("owner", "a")).toEqual(["1"]);
      });

      test("other indexes without another version are an error, and change nothing", async () => {
        await put("1", 1n, { owner: "a" });
        const changed = { ...collection, indexes: [{ field: "name" }] };
        await expect(store.liveGeneration(changed)).rejects.toThrow(IndexesChangedError);
        expect(await idsBy("owner", "a")).toEqual(["1"]);
      });

      test("each version has its own, whichever begins first, and none touches another's", async () => {
        const [older, newer] = [
          { ...collection, version: 1 },
          { ...collection, version: 3, indexes: [{ field: "name" }] },
        ];
        await put("1", 5n, { owner: "a" });
        expect([await store.get(older, "1"), await store.get(newer, "1")]).toEqual([undefined, undefined]);
        await put("1", 3n, { owner: "newer", name: "n" }, await store.liveGeneration(newer));
        const rebuilt = await store.newGeneration(older);
        await put("1", 4n, { owner: "older" }, await store.liveGeneration(older));
        await put("1", 4n, { owner: "rebuilt" }, rebuilt);
        await store.swapIn(rebuilt);
        const found = await Promise.all([older, collection, newer].map((one) => store.get(one, "1")));
        expect(found.map((one) => one?.document.owner)).toEqual(["rebuilt", "a", "newer"]);
        const checkpoints = await Promise.all([older, collection, newer].map((one) => store.checkpointOf(one)));
        expect(checkpoints).toEqual([at(4n), at(5n), at(3n)]);
        expect(await store.findRange(newer, "name", { upTo: "n", limit: 10 })).toHaveLength(1);
        expect(await store.findRange(newer, "name", { upTo: "a", limit: 10 })).toEqual([]);
      });

      test("lower versions are dropped with what was being built of them, higher ones and other collections stay", async () => {
        const versions = [1, 3, 4].map((version) => ({ ...collection, version }));
        for (const one of versions) await put("1", 1n, { owner: "a" }, await store.liveGeneration(one));
        await put("1", 1n, { owner: "b" });
        const building = await store.newGeneration(collection);
        const other = { ...named("other"), version: 1 };
        await put("1", 1n, { owner: "a" }, await store.liveGeneration(other));
        const haveLower = () => Promise.all([...versions, other].map((one) => store.hasLowerVersions(one)));
        expect(await haveLower()).toEqual([false, true, true, false]);
        await store.dropLowerVersions({ ...collection, version: 3 });
        expect(await haveLower()).toEqual([false, false, true, false]);
        const found = await Promise.all([...versions, collection, other].map((one) => store.get(one, "1")));
        expect(found.map((one) => one?.document.owner)).toEqual([undefined, "a", "a", undefined, "a"]);
        for (const generation of [live, building])
          await expect(put("2", 2n, {}, generation)).rejects.toThrow(StaleGenerationError);
        expect(await store.checkpointOf(collection)).toBeUndefined();
        const again = await store.liveGeneration(collection);
        await put("2", 2n, { owner: "c" }, again);
        expect(await idsBy("owner", "c")).toEqual(["2"]);
      });

      test("a new generation is built unseen, then takes the live one's place with all it has", async () => {
        await put("1", 1n, { owner: "old" });
        await put("gone", 2n, { owner: "old" });
        const next = await store.newGeneration(collection);
        await put("1", 2n, { owner: "new" }, next);
        expect((await store.get(collection, "1"))?.document).toEqual({ owner: "old" });
        expect([await idsBy("owner", "old"), await idsBy("owner", "new")]).toEqual([["1", "gone"], []]);

        expect(await store.swapIn(next)).toBe(true);
        expect((await store.get(collection, "1"))?.document).toEqual({ owner: "new" });
        expect(await store.get(collection, "gone")).toBeUndefined();
        expect([await idsBy("owner", "old"), await idsBy("owner", "new")]).toEqual([[], ["1"]]);
        expect(await store.liveGeneration(collection)).toEqual(next);
        expect(await store.checkpoint(next)).toEqual(at(2n));
      });

      test("a generation that is behind the live one is not swapped in", async () => {
        const next = await store.newGeneration(collection);
        await put("1", 2n, { owner: "live" });
        expect(await store.swapIn(next)).toBe(false);
        await put("1", 1n, { owner: "behind" }, next);
        expect(await store.swapIn(next)).toBe(false);
        expect((await store.get(collection, "1"))?.document).toEqual({ owner: "live" });
        await put("1", 2n, { owner: "level" }, next);
        expect(await store.swapIn(next)).toBe(true);
        expect((await store.get(collection, "1"))?.document).toEqual({ owner: "level" });
      });

      test("swapping the live one in changes nothing", async () => {
        await put("1", 1n, { owner: "a" });
        expect(await store.swapIn(live)).toBe(true);
        expect(await idsBy("owner", "a")).toEqual(["1"]);
      });

      test("nothing can be done with a generation that was swapped out", async () => {
        const next = await store.newGeneration(collection);
        await store.swapIn(next);
        await expect(put("1", 1n, {})).rejects.toThrow(StaleGenerationError);
        await expect(store.load(live, ["1"])).rejects.toThrow(StaleGenerationError);
        await expect(store.checkpoint(live)).rejects.toThrow(StaleGenerationError);
        await expect(store.swapIn(live)).rejects.toThrow(StaleGenerationError);
        expect(await store.get(collection, "1")).toBeUndefined();
      });

      test("a newer rebuild drops the one that was being built", async () => {
        const first = await store.newGeneration(collection);
        const second = await store.newGeneration(collection);
        await expect(put("1", 1n, {}, first)).rejects.toThrow(StaleGenerationError);
        await put("1", 1n, { owner: "a" }, second);
        expect(await store.swapIn(second)).toBe(true);
        expect(await idsBy("owner", "a")).toEqual(["1"]);
      });

      test("a generation swapped in is not changed by the removal of those before it", async () => {
        const changes = Array.from({ length: 1_200 }, (_, number) => ({
          id: `${number}`,
          position: at(1n),
          document: { owner: "a", signer: { phone: `${number}` } },
        }));
        await apply(live, changes, at(1n));
        const next = await store.newGeneration(collection);
        await apply(next, changes, at(1n));
        await store.swapIn(next);
        expect(await idsBy("owner", "a")).toHaveLength(1_200);
        expect(await idsBy("signer.phone", "1199")).toEqual(["1199"]);
      });
    });
  });
};

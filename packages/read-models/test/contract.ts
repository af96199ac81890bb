import type { Position } from "@rubrica/event-store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Generation, type ReadModelStore, StaleGenerationError } from "../src/port.ts";

/** What every engine of the read-model store keeps to. `open` gives a new, empty store each time. */
export const readModelStoreContract = (engine: string, open: () => Promise<ReadModelStore>): void => {
  describe(`read-model store, ${engine}`, () => {
    let store: ReadModelStore;
    let live: Generation;
    const indexes = [{ field: "owner" }, { field: "signer.phones" }, { field: "dueAt" }];
    beforeEach(async () => {
      store = await open();
      live = await store.liveGeneration("c", indexes);
    });
    afterEach(() => store.close());

    const at = (commit: bigint): Position => ({ commit, prepare: commit });
    const put = (id: string, commit: bigint, document: Record<string, unknown> | null, generation = live) =>
      store.apply(generation, [{ id, position: at(commit), document }], at(commit));
    const idsBy = async (field: string, value: string, limit = 10) =>
      (await store.findBy("c", field, value, limit)).map(({ id }) => id);
    const idsUpTo = async (field: string, value: string, limit = 10) =>
      (await store.findUpTo("c", field, value, limit)).map(({ id }) => id);

    describe("documents", () => {
      test("a document is read as it was written, with its position", async () => {
        const document = { text: "ñ🖋'\"", number: 1.5, none: null, list: [{ deep: [true] }], "a.b": {} };
        const position = { commit: 2n ** 63n - 1n, prepare: 2n ** 62n };
        await store.apply(live, [{ id: "1", position, document }], position);
        expect(await store.get("c", "1")).toEqual({ id: "1", position, document });
        expect(await store.load(live, ["1"])).toEqual(new Map([["1", { id: "1", position, document }]]));
        expect(await store.checkpoint(live)).toEqual(position);
      });

      test("nothing is there before it was written", async () => {
        expect(await store.get("c", "1")).toBeUndefined();
        expect(await store.get("never used", "1")).toBeUndefined();
        expect(await store.findBy("never used", "owner", "a", 10)).toEqual([]);
        expect(await store.findUpTo("never used", "owner", "a", 10)).toEqual([]);
        expect(await store.load(live, ["1"])).toEqual(new Map());
        expect(await store.checkpoint(live)).toBeUndefined();
      });

      test("a change at or below a document's position is passed over, one above it replaces the document", async () => {
        await put("1", 5n, { owner: "a" });
        await put("1", 5n, { owner: "b" });
        await put("1", 4n, { owner: "c" });
        expect((await store.get("c", "1"))?.document).toEqual({ owner: "a" });
        expect([await idsBy("owner", "b"), await idsBy("owner", "c")]).toEqual([[], []]);
        await put("1", 6n, { owner: "d" });
        expect(await store.get("c", "1")).toEqual({ id: "1", position: at(6n), document: { owner: "d" } });
      });

      test("positions are compared as numbers", async () => {
        await put("1", 9n, { owner: "a" });
        await put("1", 10n, { owner: "b" });
        await put("1", 2n ** 40n, { owner: "c" });
        expect((await store.get("c", "1"))?.document).toEqual({ owner: "c" });
      });

      test("a removed document is not found, and no replay revives it", async () => {
        await put("1", 1n, { owner: "a" });
        await put("1", 3n, null);
        await put("1", 2n, { owner: "a" });
        expect(await store.get("c", "1")).toBeUndefined();
        expect(await idsBy("owner", "a")).toEqual([]);
        expect(await store.load(live, ["1"])).toEqual(new Map([["1", { id: "1", position: at(3n), document: null }]]));
        await put("1", 4n, { owner: "b" });
        expect(await idsBy("owner", "b")).toEqual(["1"]);
      });

      test("a batch applied twice leaves what it left the first time", async () => {
        const changes = [
          { id: "1", position: at(1n), document: { owner: "a", dueAt: "2026" } },
          { id: "2", position: at(2n), document: { owner: "a", signer: { phones: ["x", "y"] } } },
          { id: "3", position: at(3n), document: null },
        ];
        const look = async () => [
          await store.load(live, ["1", "2", "3"]),
          await store.findBy("c", "owner", "a", 10),
          await store.findBy("c", "signer.phones", "y", 10),
          await store.findUpTo("c", "dueAt", "2027", 10),
          await store.checkpoint(live),
        ];
        await store.apply(live, changes, at(3n));
        const once = await look();
        await store.apply(live, changes, at(3n));
        expect(await look()).toEqual(once);
      });

      test("a batch without changes moves the checkpoint", async () => {
        await store.apply(live, [], at(7n));
        expect(await store.checkpoint(live)).toEqual(at(7n));
      });

      test("of batches applied at once, one that fails leaves nothing of itself and the others whole", async () => {
        const other = await store.liveGeneration("other", []);
        const changes = [
          { id: "1", position: at(2n), document: {} },
          { id: "2", position: at(2n), document: { unwritable: 1n } },
        ];
        const outcomes = await Promise.allSettled([
          put("1", 1n, { owner: "a" }),
          store.apply(other, changes, at(2n)),
          put("2", 2n, { owner: "b" }),
        ]);
        expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
        expect([await idsBy("owner", "a"), await idsBy("owner", "b")]).toEqual([["1"], ["2"]]);
        expect(await store.checkpoint(live)).toEqual(at(2n));
        expect([await store.get("other", "1"), await store.checkpoint(other)]).toEqual([undefined, undefined]);
      });

      test("collections are apart", async () => {
        const other = await store.liveGeneration("d", []);
        await put("1", 1n, { owner: "a" });
        await put("1", 2n, { owner: "b" }, other);
        expect((await store.get("c", "1"))?.document).toEqual({ owner: "a" });
        expect((await store.get("d", "1"))?.document).toEqual({ owner: "b" });
        expect([await store.checkpoint(live), await store.checkpoint(other)]).toEqual([at(1n), at(2n)]);
      });

      test("many documents are loaded at once", async () => {
        const ids = Array.from({ length: 2_000 }, (_, number) => `id ${number}`);
        const changes = ids.map((id, index) => ({ id, position: at(BigInt(index)), document: { id } }));
        await store.apply(live, changes, at(2_000n));
        const loaded = await store.load(live, [...ids, "missing"]);
        expect([...loaded.keys()].sort()).toEqual([...ids].sort());
      });
    });

    describe("lookups", () => {
      test("documents are found by an indexed string, newest position first, at most as many as asked for", async () => {
        await put("1", 1n, { owner: "a" });
        await put("2", 2n, { owner: "a" });
        await put("3", 3n, { owner: "b" });
        await put("1", 4n, { owner: "a" });
        expect(await idsBy("owner", "a")).toEqual(["1", "2"]);
        expect(await idsBy("owner", "a", 1)).toEqual(["1"]);
        expect(await idsBy("owner", "A")).toEqual([]);
      });

      test("found documents are whole", async () => {
        await put("1", 1n, { owner: "a", dueAt: "2026", more: [1] });
        const found = [{ id: "1", position: at(1n), document: { owner: "a", dueAt: "2026", more: [1] } }];
        expect(await store.findBy("c", "owner", "a", 10)).toEqual(found);
        expect(await store.findUpTo("c", "dueAt", "2026", 10)).toEqual(found);
      });

      test("each string of an array is indexed, once", async () => {
        await put("1", 1n, { signer: { phones: ["x", "y", "x", 5, null] } });
        expect(await idsBy("signer.phones", "x")).toEqual(["1"]);
        expect(await idsBy("signer.phones", "y")).toEqual(["1"]);
        expect(await idsBy("signer.phones", "5")).toEqual([]);
      });

      test("what is not a string, or not there, is not indexed", async () => {
        await put("1", 1n, { owner: 5, signer: null });
        await put("2", 2n, { owner: { deep: "a" }, signer: "a" });
        for (const value of ["5", "a", "null", "undefined", ""]) expect(await idsBy("owner", value)).toEqual([]);
      });

      test("a change of the string moves the document", async () => {
        await put("1", 1n, { owner: "a", signer: { phones: ["x", "y"] } });
        await put("1", 2n, { owner: "b", signer: { phones: ["y"] } });
        expect([await idsBy("owner", "a"), await idsBy("owner", "b")]).toEqual([[], ["1"]]);
        expect([await idsBy("signer.phones", "x"), await idsBy("signer.phones", "y")]).toEqual([[], ["1"]]);
      });

      test("documents up to a string come in its order, itself included, arrays and others left out", async () => {
        await put("later", 1n, { dueAt: "2026-03" });
        await put("now", 2n, { dueAt: "2026-02" });
        await put("early", 3n, { dueAt: "2026-01" });
        await put("list", 4n, { dueAt: ["2026-01"] });
        await put("null", 5n, { dueAt: null });
        await put("none", 6n, {});
        expect(await idsUpTo("dueAt", "2026-02")).toEqual(["early", "now"]);
        expect(await idsUpTo("dueAt", "2026-02", 1)).toEqual(["early"]);
        expect(await idsUpTo("dueAt", "2025")).toEqual([]);
      });

      test("a field without an index is an error", async () => {
        await expect(store.findBy("c", "other", "a", 10)).rejects.toThrow();
        await expect(store.findUpTo("c", "other", "a", 10)).rejects.toThrow();
      });
    });

    describe("generations", () => {
      test("the live generation stays the same while its indexes do", async () => {
        await put("1", 1n, { owner: "a" });
        expect(await store.liveGeneration("c", indexes)).toEqual(live);
        expect(await idsBy("owner", "a")).toEqual(["1"]);
      });

      test("with other indexes a new, empty one takes its place", async () => {
        await put("1", 1n, { owner: "a" });
        const changed = await store.liveGeneration("c", [{ field: "name" }]);
        expect(await store.get("c", "1")).toBeUndefined();
        expect(await store.checkpoint(changed)).toBeUndefined();
        await put("1", 1n, { name: "n" }, changed);
        expect(await idsBy("name", "n")).toEqual(["1"]);
        await expect(put("2", 2n, {})).rejects.toThrow(StaleGenerationError);
      });

      test("a new generation is built unseen, then takes the live one's place with all it has", async () => {
        await put("1", 1n, { owner: "old" });
        await put("gone", 2n, { owner: "old" });
        const next = await store.newGeneration("c", indexes);
        await put("1", 2n, { owner: "new" }, next);
        expect((await store.get("c", "1"))?.document).toEqual({ owner: "old" });
        expect([await idsBy("owner", "old"), await idsBy("owner", "new")]).toEqual([["gone", "1"], []]);

        expect(await store.swapIn(next)).toBe(true);
        expect((await store.get("c", "1"))?.document).toEqual({ owner: "new" });
        expect(await store.get("c", "gone")).toBeUndefined();
        expect([await idsBy("owner", "old"), await idsBy("owner", "new")]).toEqual([[], ["1"]]);
        expect(await store.liveGeneration("c", indexes)).toEqual(next);
        expect(await store.checkpoint(next)).toEqual(at(2n));
      });

      test("a generation that is behind the live one is not swapped in", async () => {
        const next = await store.newGeneration("c", indexes);
        await put("1", 2n, { owner: "live" });
        expect(await store.swapIn(next)).toBe(false);
        await put("1", 1n, { owner: "behind" }, next);
        expect(await store.swapIn(next)).toBe(false);
        expect((await store.get("c", "1"))?.document).toEqual({ owner: "live" });
        await put("1", 2n, { owner: "level" }, next);
        expect(await store.swapIn(next)).toBe(true);
        expect((await store.get("c", "1"))?.document).toEqual({ owner: "level" });
      });

      test("swapping the live one in changes nothing", async () => {
        await put("1", 1n, { owner: "a" });
        expect(await store.swapIn(live)).toBe(true);
        expect(await idsBy("owner", "a")).toEqual(["1"]);
      });

      test("nothing can be done with a generation that was swapped out", async () => {
        const next = await store.newGeneration("c", indexes);
        await store.swapIn(next);
        await expect(put("1", 1n, {})).rejects.toThrow(StaleGenerationError);
        await expect(store.load(live, ["1"])).rejects.toThrow(StaleGenerationError);
        await expect(store.checkpoint(live)).rejects.toThrow(StaleGenerationError);
        await expect(store.swapIn(live)).rejects.toThrow(StaleGenerationError);
        expect(await store.get("c", "1")).toBeUndefined();
      });

      test("a newer rebuild drops the one that was being built", async () => {
        const first = await store.newGeneration("c", indexes);
        const second = await store.newGeneration("c", indexes);
        await expect(put("1", 1n, {}, first)).rejects.toThrow(StaleGenerationError);
        await put("1", 1n, { owner: "a" }, second);
        expect(await store.swapIn(second)).toBe(true);
        expect(await idsBy("owner", "a")).toEqual(["1"]);
      });

      test("a generation swapped in is not changed by the removal of those before it", async () => {
        const changes = Array.from({ length: 1_200 }, (_, number) => ({
          id: `${number}`,
          position: at(1n),
          document: { owner: "a", signer: { phones: ["x", `${number}`] } },
        }));
        await store.apply(live, changes, at(1n));
        const next = await store.newGeneration("c", indexes);
        await store.apply(next, changes, at(1n));
        await store.swapIn(next);
        expect(await idsBy("owner", "a", 5_000)).toHaveLength(1_200);
        expect(await idsBy("signer.phones", "1199")).toEqual(["1199"]);
      });
    });
  });
};

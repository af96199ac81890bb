import type { KeyObject } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { KeyDestroyedError, type KeyRow, type KeyStore } from "../../src/index.ts";

const hexOf = (key: KeyObject | undefined): string | undefined => key?.export().toString("hex");

const rowsOf = async (keys: KeyStore): Promise<KeyRow[]> => {
  const rows: KeyRow[] = [];
  for await (const { owner, wrapped } of keys.rows()) rows.push({ owner, wrapped: wrapped && Buffer.from(wrapped) });
  return rows;
};

/** What every engine of the key store keeps to. `open` gives a new, empty store each time, all with one SECRET. */
export const keyStoreContract = (engine: string, open: () => Promise<KeyStore>): void => {
  describe(`key store, ${engine}`, () => {
    let keys: KeyStore;
    beforeEach(async () => {
      keys = await open();
    });
    afterEach(() => keys.close());

    test("an owner gets one random 256-bit key, and keeps it", async () => {
      const key = await keys.obtain("a");
      expect(key.symmetricKeySize).toBe(32);
      expect(hexOf(await keys.obtain("a"))).toBe(hexOf(key));
      expect(hexOf(await keys.find("a"))).toBe(hexOf(key));
    });

    test("owners have keys of their own", async () => {
      const made = [await keys.obtain("a"), await keys.obtain("b"), await keys.obtain("A")];
      expect(new Set(made.map(hexOf)).size).toBe(3);
    });

    test("looking for a key makes none", async () => {
      expect(await keys.find("a")).toBeUndefined();
      expect(await keys.find("a")).toBeUndefined();
    });

    test("concurrent first calls get the same key", async () => {
      const made = await Promise.all(Array.from({ length: 50 }, (_, number) => keys.obtain(`owner ${number % 5}`)));
      expect(new Set(made.map(hexOf)).size).toBe(5);
    });

    test("a destroyed key is not found and cannot be made again", async () => {
      await keys.obtain("a");
      await keys.destroy("a");
      expect(await keys.find("a")).toBeUndefined();
      await expect(keys.obtain("a")).rejects.toThrow(KeyDestroyedError);
      expect(await keys.find("a")).toBeUndefined();
    });

    test("many keys are found at once, those that never were or are destroyed left out", async () => {
      const owners = Array.from({ length: 1_500 }, (_, number) => `owner ${number} 🖋'"`);
      const made = new Map<string, string | undefined>();
      for (const key of await Promise.all(owners.map(async (owner) => [owner, await keys.obtain(owner)] as const)))
        made.set(key[0], hexOf(key[1]));
      const [destroyed = ""] = owners;
      await keys.destroy(destroyed);
      made.delete(destroyed);
      const found = await keys.findMany(["never", ...owners, ...owners]);
      expect(new Map([...found].map(([owner, key]) => [owner, hexOf(key as KeyObject)]))).toEqual(made);
      expect(await keys.findMany([])).toEqual(new Map());
    });

    test("destroying is repeatable and touches no other key", async () => {
      const kept = await keys.obtain("b");
      await keys.obtain("a");
      await keys.destroy("a");
      await keys.destroy("a");
      expect(hexOf(await keys.find("b"))).toBe(hexOf(kept));
    });

    test("what was destroyed before it was made cannot be made", async () => {
      await keys.destroy("a");
      await expect(keys.obtain("a")).rejects.toThrow(KeyDestroyedError);
    });

    test("a key destroyed while it is being made is not handed out afterwards", async () => {
      const [obtained] = await Promise.allSettled([keys.obtain("a"), keys.destroy("a")]);
      if (obtained.status === "rejected") expect(obtained.reason).toBeInstanceOf(KeyDestroyedError);
      expect(await keys.find("a")).toBeUndefined();
      await expect(keys.obtain("a")).rejects.toThrow(KeyDestroyedError);
    });

    test("a key that was let go of is found again, and a destroyed one is not", async () => {
      const kept = await keys.obtain("a");
      await keys.obtain("b");
      await keys.destroy("b");
      for (const owner of ["a", "b", "nobody", undefined]) {
        keys.evict(owner);
        expect(hexOf(await keys.find("a"))).toBe(hexOf(kept));
        expect(hexOf(await keys.obtain("a"))).toBe(hexOf(kept));
        expect(await keys.find("b")).toBeUndefined();
      }
    });

    test("it says up to where erasures were carried out, as it was noted last", async () => {
      expect(await keys.erasuresDone()).toBeUndefined();
      for (const upTo of ["1", "2", "2", "1"]) {
        await keys.noteErasuresDone(upTo);
        expect(await keys.erasuresDone()).toBe(upTo);
      }
    });

    describe("lines", () => {
      const rows = async () => {
        const found = [];
        for await (const row of keys.lines.rows()) found.push([row.lookup, row.line, row.owner]);
        return found.sort();
      };

      test("is nothing of a name that nobody has", async () => {
        expect(await keys.lines.find("a phone")).toBeUndefined();
        expect(await keys.lines.lookupsOf("a")).toEqual([]);
        expect(await rows()).toEqual([]);
      });
      test("has the id that its first owner gave it for as long as anybody has it", async () => {
        expect(await keys.lines.give("a phone", "a", "one")).toBe("one");
        expect(await keys.lines.give("a phone", "b", "two")).toBe("one");
        expect(await keys.lines.give("another", "a", "three")).toBe("three");
        expect(await keys.lines.find("a phone")).toMatchObject({ line: "one", owner: "a" });
        await keys.lines.take("a phone", "a");
        expect(await keys.lines.find("a phone")).toMatchObject({ line: "one", owner: "b" });
        expect(await keys.lines.lookupsOf("a")).toEqual(["another"]);
        await keys.lines.take("a phone", "b");
        expect(await keys.lines.find("a phone")).toBeUndefined();
        expect(await keys.lines.give("a phone", "c", "four")).toBe("four");
      });
      test("is given and taken as often as asked, with one effect", async () => {
        const given = () => keys.lines.give("a phone", "a", "one");
        expect([await given(), await given()]).toEqual(["one", "one"]);
        expect(await rows()).toEqual([["a phone", "one", "a"]]);
        await keys.lines.take("a phone", "a");
        await keys.lines.take("a phone", "a");
        expect(await rows()).toEqual([]);
      });
      test("is not taken from who was given it anew since it was looked at", async () => {
        await keys.lines.give("a phone", "a", "one");
        const sinceMs = (await keys.lines.find("a phone"))?.sinceMs ?? 0;
        await keys.lines.take("a phone", "a", sinceMs - 1);
        expect(await rows()).toEqual([["a phone", "one", "a"]]);
        await keys.lines.take("a phone", "a", sinceMs);
        expect(await rows()).toEqual([]);
      });
      test("is one for all who are given it at once", async () => {
        const given = await Promise.all(
          Array.from({ length: 20 }, (_, number) => keys.lines.give("a phone", `owner ${number % 10}`, `${number}`)),
        );
        expect(new Set(given).size).toBe(1);
        expect(await rows()).toHaveLength(10);
      });
      test("goes with its last owner's key", async () => {
        await keys.obtain("a");
        for (const owner of ["a", "b"]) await keys.lines.give("a phone", owner, "one");
        await keys.destroy("a");
        expect(await rows()).toEqual([["a phone", "one", "b"]]);
        await keys.putRows([{ owner: "b", wrapped: null }]);
        expect(await rows()).toEqual([]);
        expect(await keys.lines.find("a phone")).toBeUndefined();
      });
      test("is given to nobody whose key is destroyed", async () => {
        await keys.destroy("a");
        await expect(keys.lines.give("a phone", "a", "one")).rejects.toThrow(KeyDestroyedError);
        expect(await rows()).toEqual([]);
        await keys.lines.give("a phone", "b", "two");
        await expect(keys.lines.give("a phone", "a", "one")).rejects.toThrow(KeyDestroyedError);
        expect(await rows()).toEqual([["a phone", "two", "b"]]);
      });
      test("say whether they were adopted, as it was noted", async () => {
        expect(await keys.lines.areAdopted()).toBe(false);
        for (const _time of [1, 2]) await keys.lines.noteAdopted();
        expect(await keys.lines.areAdopted()).toBe(true);
        expect(await rows()).toEqual([]);
      });
      test("are many", async () => {
        const many = Array.from({ length: 1_100 }, (_, number) => String(number + 10_000));
        for (let at = 0; at < many.length; at += 50)
          await Promise.all(many.slice(at, at + 50).map((name) => keys.lines.give(name, "a", `line ${name}`)));
        expect(await rows()).toEqual(many.map((name) => [name, `line ${name}`, "a"]));
      });
    });

    describe("what is known of the event log", () => {
      const end = (stream: string, revision: bigint, hash = "9f") => ({ stream, revision, hash });
      const known = async () => {
        const ends = [];
        for await (const one of keys.log.ends()) ends.push(one);
        return ends.sort((a, b) => (a.stream < b.stream ? -1 : 1));
      };

      test("is nothing at first", async () => {
        expect(await keys.log.head()).toBeUndefined();
        expect(await keys.log.end("document-a")).toBeUndefined();
        expect(await known()).toEqual([]);
      });
      test("is the head that was noted last, and where streams ended by the last one of each", async () => {
        await keys.log.note("3:9f", [end("document-a", 1n), end("document-b", 0n)]);
        await keys.log.note("9:7e", [end("document-a", 4n, "7e")]);
        expect(await keys.log.head()).toBe("9:7e");
        expect(await keys.log.end("document-a")).toEqual(end("document-a", 4n, "7e"));
        expect(await known()).toEqual([end("document-a", 4n, "7e"), end("document-b", 0n)]);
      });
      test("is noted of very many streams", async () => {
        const many = Array.from({ length: 1_234 }, (_, number) => end(`document-${number + 10_000}`, BigInt(number)));
        await keys.log.note("9:7e", many);
        expect(await known()).toEqual(many);
      });
      test("is by the first head apart, and stays so whatever is noted or forgotten since", async () => {
        const { first } = keys.log;
        expect([await first.head(), await first.end("document-a")]).toEqual([undefined, undefined]);
        await first.note("3:9f", [end("document-a", 1n)]);
        await keys.log.note("9:7e", [end("document-a", 4n, "7e"), end("document-b", 0n)]);
        await keys.log.remove(["document-a"]);
        expect(await first.head()).toBe("3:9f");
        expect(await first.end("document-a")).toEqual(end("document-a", 1n));
        expect(await first.end("document-b")).toBeUndefined();
        expect(await known()).toEqual([end("document-b", 0n)]);
      });
      test("is forgotten where it is said to be lost", async () => {
        await keys.log.note("3:9f", [end("document-a", 1n), end("document-b", 0n)]);
        await keys.log.remove(["document-a", "document-none"]);
        expect(await keys.log.head()).toBeUndefined();
        expect(await known()).toEqual([end("document-b", 0n)]);
        await keys.log.remove([]);
        expect(await known()).toEqual([end("document-b", 0n)]);
      });
    });

    test("one who wipes a key that was handed out wipes nobody else's", async () => {
      const key = await keys.obtain("a");
      const hex = hexOf(key);
      key.export().fill(0);
      expect(hexOf(key)).toBe(hex);
      expect(hexOf(await keys.find("a"))).toBe(hex);
      expect(hexOf(await keys.obtain("a"))).toBe(hex);
    });

    test("owners of any text are told apart", async () => {
      const owners = ["", " ", "é", "e\u0301", "a'b", 'a"b', "%", "_", "x".repeat(500), "🖋"];
      const made = await Promise.all(owners.map((owner) => keys.obtain(owner)));
      expect(new Set(made.map(hexOf)).size).toBe(owners.length);
      const found = await Promise.all(owners.map((owner) => keys.find(owner)));
      expect(found.map(hexOf)).toEqual(made.map(hexOf));
    });

    describe("copied row by row", () => {
      let copy: KeyStore;
      beforeEach(async () => {
        copy = await open();
      });
      afterEach(() => copy.close());

      test("another store has the same keys, and none that was destroyed", async () => {
        const owners = Array.from({ length: 1_200 }, (_, number) => `owner ${number}`);
        const made = await Promise.all(owners.map((owner) => keys.obtain(owner)));
        await keys.destroy("owner 7");
        await keys.destroy("never made");
        const rows = await rowsOf(keys);
        expect(rows).toHaveLength(1_201);
        await copy.putRows(rows);
        await copy.putRows(rows);
        await copy.putRows([]);
        expect(await rowsOf(copy)).toEqual(rows);
        expect(hexOf(await copy.find("owner 8"))).toBe(hexOf(made[8]));
        expect(hexOf(await copy.obtain("owner 1199"))).toBe(hexOf(made[1199]));
        for (const owner of ["owner 7", "never made"])
          await expect(copy.obtain(owner)).rejects.toThrow(KeyDestroyedError);
      });

      test("rows come by their owners' UTF-8 bytes, whatever text those are", async () => {
        const owners = ["", " ", "A", "a", "a%", "b", "e\u0301", "é", "\ufffd", "🖋"];
        for (const owner of owners.toReversed()) await keys.obtain(owner);
        expect((await rowsOf(keys)).map(({ owner }) => owner)).toEqual(owners);
        await copy.putRows(await rowsOf(keys));
        for (const owner of owners) expect(hexOf(await copy.find(owner))).toBe(hexOf(await keys.find(owner)));
      });

      test("an empty store has no rows", async () => {
        expect(await rowsOf(keys)).toEqual([]);
      });

      test("a key that is there stays what it is", async () => {
        await keys.obtain("a");
        const own = await copy.obtain("a");
        await copy.putRows(await rowsOf(keys));
        expect(hexOf(await copy.find("a"))).toBe(hexOf(own));
      });

      test("a destroyed key is destroyed in the copy too, and does not come back with an older row", async () => {
        await keys.obtain("a");
        const kept = await keys.obtain("b");
        const before = await rowsOf(keys);
        await copy.putRows(before);
        await copy.find("a");
        await keys.destroy("a");
        await copy.putRows(await rowsOf(keys));
        await copy.putRows(before);
        expect(await copy.find("a")).toBeUndefined();
        await expect(copy.obtain("a")).rejects.toThrow(KeyDestroyedError);
        expect(hexOf(await copy.find("b"))).toBe(hexOf(kept));
        expect(await rowsOf(copy)).toEqual(await rowsOf(keys));
      });

      test("up to where erasures were carried out is not among the rows", async () => {
        await keys.obtain("a");
        await keys.noteErasuresDone("1");
        await copy.putRows(await rowsOf(keys));
        expect(await copy.erasuresDone()).toBeUndefined();
      });
    });
  });
};

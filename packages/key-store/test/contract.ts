import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { KeyDestroyedError, type KeyStore } from "../src/index.ts";

/** What every engine of the key store keeps to. `open` gives a new, empty store each time. */
export const keyStoreContract = (engine: string, open: () => Promise<KeyStore>): void => {
  describe(`key store, ${engine}`, () => {
    let keys: KeyStore;
    beforeEach(async () => {
      keys = await open();
    });
    afterEach(() => keys.close());

    test("an owner gets one random 256-bit key, and keeps it", async () => {
      const key = await keys.obtain("a");
      expect(key).toHaveLength(32);
      expect(await keys.obtain("a")).toEqual(key);
      expect(await keys.find("a")).toEqual(key);
    });

    test("owners have keys of their own", async () => {
      expect(await keys.obtain("a")).not.toEqual(await keys.obtain("b"));
      expect(await keys.obtain("a")).not.toEqual(await keys.obtain("A"));
    });

    test("looking for a key makes none", async () => {
      expect(await keys.find("a")).toBeUndefined();
      expect(await keys.find("a")).toBeUndefined();
    });

    test("concurrent first calls get the same key", async () => {
      const made = await Promise.all(Array.from({ length: 50 }, (_, number) => keys.obtain(`owner ${number % 5}`)));
      expect(new Set(made.map((key) => key.toString("hex"))).size).toBe(5);
    });

    test("a destroyed key is not found and cannot be made again", async () => {
      await keys.obtain("a");
      await keys.destroy("a");
      expect(await keys.find("a")).toBeUndefined();
      await expect(keys.obtain("a")).rejects.toThrow(KeyDestroyedError);
      expect(await keys.find("a")).toBeUndefined();
    });

    test("destroying is repeatable and touches no other key", async () => {
      const kept = await keys.obtain("b");
      await keys.obtain("a");
      await keys.destroy("a");
      await keys.destroy("a");
      expect(await keys.find("b")).toEqual(kept);
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

    test("one who wipes a key that was handed out wipes nobody else's", async () => {
      const key = await keys.obtain("a");
      const copy = Buffer.from(key);
      key.fill(0);
      const found = await keys.find("a");
      expect(found).toEqual(copy);
      found?.fill(0);
      expect(await keys.obtain("a")).toEqual(copy);
    });

    test("owners of any text are told apart", async () => {
      const owners = ["", " ", "é", "e\u0301", "a'b", 'a"b', "%", "_", "x".repeat(500), "🖋"];
      const made = await Promise.all(owners.map((owner) => keys.obtain(owner)));
      expect(new Set(made.map((key) => key.toString("hex"))).size).toBe(owners.length);
      expect(await Promise.all(owners.map((owner) => keys.find(owner)))).toEqual(made);
    });
  });
};

import type { KeyObject } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { KeyDestroyedError, type KeyStore } from "../src/index.ts";

const hexOf = (key: KeyObject | undefined): string | undefined => key?.export().toString("hex");

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
  });
};

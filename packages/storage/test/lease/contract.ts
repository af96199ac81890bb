import { describe, expect, test } from "vitest";
import type { LeaseStore } from "../../src/index.ts";

/** Stores of one and the same lease, each as of a process of its own. */
export interface LeaseStores extends AsyncDisposable {
  open(): Promise<LeaseStore>;
}

/** What every store of a lease does. `make` gives a lease that nobody took yet. */
export const leaseStoreContract = (make: () => Promise<LeaseStores>): void => {
  describe("a lease's record", () => {
    test("is there for every process once one has put it there, and stays after that one closed", async () => {
      await using stores = await make();
      const [one, other] = [await stores.open(), await stores.open()];
      expect(await other.read()).toBeUndefined();
      expect(await one.replace(undefined, { holder: "one", epoch: 1, beat: 0 })).toBe(true);
      expect(await other.read()).toEqual({ holder: "one", epoch: 1, beat: 0 });
      await one.close();
      expect(await other.read()).toEqual({ holder: "one", epoch: 1, beat: 0 });
      await other.close();
    });

    test("is replaced by whoever saw it as it is, and by nobody else", async () => {
      await using stores = await make();
      const [one, other] = [await stores.open(), await stores.open()];
      const first = { holder: "one", epoch: 1, beat: 0 };
      await one.replace(undefined, first);
      expect(await other.replace(undefined, { holder: "other", epoch: 1, beat: 0 })).toBe(false);
      const second = { ...first, beat: 1 };
      expect(await one.replace(first, second)).toBe(true);
      expect(await other.replace(first, { holder: "other", epoch: 2, beat: 0 })).toBe(false);
      expect(await one.read()).toEqual(second);
      expect(await other.replace(second, { holder: "other", epoch: 2, beat: 0 })).toBe(true);
      expect(await one.replace(second, { ...second, beat: 2 })).toBe(false);
      expect(await one.replace({ holder: "other", epoch: 2, beat: 0 }, { holder: null, epoch: 2, beat: 0 })).toBe(true);
      expect(await other.read()).toEqual({ holder: null, epoch: 2, beat: 0 });
      await Promise.all([one.close(), other.close()]);
    });

    test("goes to one of many that replace it at once, seen or not there yet", async () => {
      await using stores = await make();
      const all = await Promise.all(Array.from({ length: 8 }, () => stores.open()));
      const race = async (seen: { holder: string | null; epoch: number; beat: number } | undefined, epoch: number) => {
        const won = await Promise.all(
          all.map((store, index) => store.replace(seen, { holder: `holder ${index}`, epoch, beat: 0 })),
        );
        expect(won.filter(Boolean)).toHaveLength(1);
        return { holder: `holder ${won.indexOf(true)}`, epoch, beat: 0 };
      };
      const first = await race(undefined, 1);
      expect(await all[0]?.read()).toEqual(first);
      const second = await race(first, 2);
      expect(await all[1]?.read()).toEqual(second);
      await Promise.all(all.map((store) => store.close()));
    });
  });
};

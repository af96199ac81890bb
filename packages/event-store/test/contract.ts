import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EventStore } from "../src/index.ts";
import { contractOfAppending } from "./contract/appending.ts";
import { contractOfDamage } from "./contract/damage.ts";
import { contractOfReading } from "./contract/reading.ts";
import { contractOfSubscribing } from "./contract/subscribing.ts";
import { collect, freshCategory, freshStream, idsOf, someEvents } from "./helpers/events.ts";

/** A store opened for one test. */
export interface OpenedStore {
  store: EventStore;
  /** Closes the store and opens the same data again. */
  reopen?: () => Promise<EventStore>;
  /** Damages what is stored of an event, as a disk does: behind the engine's back, beyond what it can read. */
  damage?: (stream: string, revision: bigint, part: "data" | "metadata") => Promise<void>;
  /** Closes what is open and removes what the test left behind. */
  dispose: () => Promise<void>;
}

/**
 * What every engine has to do, written against the port alone.
 *
 * It asks for nothing of a fresh store: other tests' streams, and a server's own events, may be there already.
 * A live subscription's batches may hold one event each.
 *
 * @param open opens a store, to which streams are its own whose names start so; all when none are given
 * @param options.outlivesClosing whether what was appended is there when the engine is opened again (`reopen`)
 * @param options.canBeDamaged whether it lies where it can be damaged (`damage`); otherwise it has no such tests
 */
export const eventStoreContract = (
  name: string,
  open: (streamPrefixes?: readonly string[]) => Promise<OpenedStore>,
  {
    outlivesClosing = true,
    canBeDamaged = outlivesClosing,
  }: { outlivesClosing?: boolean; canBeDamaged?: boolean } = {},
): void => {
  describe(`event store contract: ${name}`, () => {
    let opened: OpenedStore;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.dispose());
    const store = (): EventStore => opened.store;

    contractOfAppending(store);
    contractOfReading(store);
    contractOfSubscribing(store);

    test("the last position is that of the last event that is ours, whatever others append", async () => {
      const [ours, alsoOurs] = [freshCategory(), freshCategory()];
      const { store, dispose } = await open([ours, alsoOurs]);
      const append = (stream: string) => store.append(stream, "no_stream", someEvents(2));
      await append(freshStream());
      expect(await store.lastPosition()).toBeUndefined();
      const { position } = await append(`${ours}a`);
      await append(freshStream());
      expect(await store.lastPosition()).toEqual(position);
      const later = await append(`${alsoOurs}a`);
      expect(await store.lastPosition()).toEqual(later.position);
      await dispose();
    });

    if (!outlivesClosing) return;
    if (canBeDamaged) describe("what a disk spoils", () => contractOfDamage(() => opened));
    test("what was appended is there after closing and opening again", async () => {
      if (!opened.reopen) throw new Error("the engine can't be opened again");
      const stream = freshStream();
      const events = someEvents(3);
      const appended = await opened.store.append(stream, "no_stream", events);
      const again = await opened.reopen();
      expect(idsOf(await collect(again.readStream(stream)))).toEqual(idsOf(events));
      expect(await again.append(stream, "no_stream", events)).toEqual(appended);
    });
  });
};

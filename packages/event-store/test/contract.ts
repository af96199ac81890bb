import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EventStore } from "../src/index.ts";
import { contractOfAppending } from "./contract/appending.ts";
import { contractOfReading } from "./contract/reading.ts";
import { contractOfSubscribing } from "./contract/subscribing.ts";
import { collect, freshStream, idsOf, someEvents } from "./helpers/events.ts";

/** A store opened for one test. */
export interface OpenedStore {
  store: EventStore;
  /** Closes the store and opens the same data again. */
  reopen?: () => Promise<EventStore>;
  /** Closes what is open and removes what the test left behind. */
  dispose: () => Promise<void>;
}

/**
 * What every engine has to do, written against the port alone.
 *
 * It asks for nothing of a fresh store: other tests' streams, and a server's own events, may be there already.
 * A live subscription's batches may hold one event each.
 *
 * @param options.outlivesClosing whether what was appended is there when the engine is opened again (`reopen`)
 */
export const eventStoreContract = (
  name: string,
  open: () => Promise<OpenedStore>,
  { outlivesClosing = true }: { outlivesClosing?: boolean } = {},
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

    if (!outlivesClosing) return;
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

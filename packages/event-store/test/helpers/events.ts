import { systemRuntime } from "@rubrica/runtime";
import type { EventBatch, EventStore, JsonObject, NewEvent, Position, RecordedEvent } from "../../src/index.ts";

const { ids } = systemRuntime();

/** A name that no test has used before, also in a store that outlives the test. */
export const freshStream = (category = "test"): string => `${category}-${ids.uuidv7()}`;

/** A kind of streams that no test has used before, so that a prefix selects this test's streams alone. */
export const freshCategory = (): string => `t${ids.uuidv7().replaceAll("-", "")}-`;

export const anEvent = (data: JsonObject = {}): NewEvent => ({
  id: ids.uuidv7(),
  type: "SomethingHappened",
  data,
  metadata: { at: 1_790_000_000_000 },
});

export const someEvents = (count: number): NewEvent[] => Array.from({ length: count }, (_, n) => anEvent({ n }));

export const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

export const idsOf = (events: readonly { id: string }[]): string[] => events.map(({ id }) => id);

/** What a subscription gives until `enough` says so of all its batches. */
export const followUntil = async (
  store: EventStore,
  options: { after?: Position | undefined; streamPrefix?: string },
  enough: (events: RecordedEvent[], batch: EventBatch) => boolean,
): Promise<{ events: RecordedEvent[]; batches: EventBatch[] }> => {
  const abort = new AbortController();
  const events: RecordedEvent[] = [];
  const batches: EventBatch[] = [];
  for await (const batch of store.subscribeToAll({ ...options, signal: abort.signal })) {
    batches.push(batch);
    events.push(...batch.events);
    if (enough(events, batch)) break;
  }
  abort.abort();
  return { events, batches };
};

export const untilCaughtUp = (_events: RecordedEvent[], batch: EventBatch): boolean => batch.caughtUp;

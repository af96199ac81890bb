import { comparePositions, type Position } from "@rubrica/event-store";
import type { Collection, Projection, ReadModelStore } from "@rubrica/read-models";
import type { ProjectionBatch } from "../../src/running/projection-pass.ts";

/** Something that happened to a counter. */
export interface Counted {
  position: Position;
  counter: string;
  amount: number;
}

export type CounterDocument = { sum: number; amounts: number[] };

export const at = (commit: number): Position => ({ commit: BigInt(commit), prepare: BigInt(commit) });

/** Sums up counters. An amount of 0 removes the counter. */
export const counters = (name = "counters"): Projection<CounterDocument, Counted> => ({
  name,
  version: 1,
  indexes: [{ field: "sum" }],
  keysOf: ({ counter }) => [counter],
  project: (document, { amount }) =>
    amount === 0 ? null : { sum: (document?.sum ?? 0) + amount, amounts: [...(document?.amounts ?? []), amount] },
});

/** Counts all events in one document, so that one applied twice or never shows. */
export const total = (name = "total"): Projection<{ events: number }, Counted> => ({
  name,
  version: 1,
  indexes: [],
  keysOf: () => ["all"],
  project: (document) => ({ events: (document?.events ?? 0) + 1 }),
});

/** Events that can be subscribed to, given in batches of at most `batchSize`. */
export class EventLine {
  readonly events: Counted[] = [];
  /** Where each subscription started. */
  readonly starts: (Position | undefined)[] = [];
  batchSize: number;
  #grown = Promise.withResolvers<void>();

  constructor(batchSize = 3) {
    this.batchSize = batchSize;
  }

  get last(): Position {
    return at(this.events.length);
  }

  /** Appends one event for each amount. */
  append(counter: string, ...amounts: number[]): void {
    for (const amount of amounts) this.events.push({ position: at(this.events.length + 1), counter, amount });
    this.#grown.resolve();
    this.#grown = Promise.withResolvers();
  }

  subscribe = async function* (
    this: EventLine,
    after: Position | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<ProjectionBatch<Counted>> {
    this.starts.push(after);
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    let position = after;
    while (!signal.aborted) {
      const grown = this.#grown.promise;
      const from = position;
      const events = this.events
        .filter((event) => !from || comparePositions(event.position, from) > 0)
        .slice(0, this.batchSize);
      position = events.at(-1)?.position ?? position;
      const caughtUp = position === undefined || comparePositions(position, this.last) === 0;
      yield { events, position, caughtUp };
      if (caughtUp) await Promise.race([grown, aborted]);
    }
  }.bind(this);
}

/** What the counters come to when each event counts once. */
export const expectedCounters = (events: readonly Counted[]): Map<string, number[]> => {
  const amounts = new Map<string, number[]>();
  for (const { counter, amount } of events) {
    if (amount === 0) amounts.delete(counter);
    else amounts.set(counter, [...(amounts.get(counter) ?? []), amount]);
  }
  return amounts;
};

/** What the store has of the counters that ever were. */
export const storedCounters = async (
  store: ReadModelStore,
  events: readonly Counted[],
  projection: Projection<CounterDocument, Counted> = counters(),
): Promise<Map<string, number[]>> => {
  const found = new Map<string, number[]>();
  for (const counter of new Set(events.map((event) => event.counter))) {
    const stored = await store.get(projection, counter);
    if (stored) found.set(counter, stored.document.amounts);
  }
  return found;
};

/** The store, but for the methods given. */
export const storeWith = (store: ReadModelStore, changed: Partial<ReadModelStore>): ReadModelStore =>
  new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(changed, name) ?? Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

/** Lets everything that is ready run, until these projections, or both, have come to the position. */
export const reached = async (
  store: Pick<ReadModelStore, "checkpointOf">,
  position: Position,
  projections: readonly Collection[] = [counters(), total()],
): Promise<void> => {
  for (const projection of projections)
    for (;;) {
      const checkpoint = await store.checkpointOf(projection);
      if (checkpoint && comparePositions(checkpoint, position) >= 0) break;
      await new Promise(setImmediate);
    }
};

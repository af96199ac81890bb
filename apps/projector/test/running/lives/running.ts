import type { Position } from "@rubrica/event-store";
import type { JournalEvent } from "@rubrica/journal";
import { analytics, type Projection, type ReadModelDocument, type ReadModelStore } from "@rubrica/read-models";
import { systemRuntime } from "@rubrica/runtime";
import { createProjectionRunner } from "../../../src/running/index.ts";

const BATCH_EVENTS = 500;
const POSITIONS_APART = 100n;
export const projections = [analytics as unknown as Projection<ReadModelDocument, JournalEvent>];

/** A subscription to events that are all there, up to `end()` of them; it waits at the end until it is aborted. */
export const subscribeTo = (events: readonly JournalEvent[], end: () => number = () => events.length) =>
  async function* (after: Position | undefined, signal: AbortSignal) {
    const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    for (let from = Number((after?.commit ?? 0n) / POSITIONS_APART); !signal.aborted; ) {
      const some = events.slice(from, Math.min(from + BATCH_EVENTS, end()));
      from += some.length;
      const caughtUp = from >= end();
      yield { events: some, position: some.at(-1)?.position ?? after, caughtUp };
      if (caughtUp) await aborted;
      // Others have their turn, as where events come over the wire.
      else await new Promise(setImmediate);
    }
  };

/** Runs a projector over the events until it has caught up, or has applied so many batches. */
export const projectWith = async (
  store: ReadModelStore,
  events: readonly JournalEvent[],
  { batches = Number.POSITIVE_INFINITY } = {},
): Promise<void> => {
  const ending = new AbortController();
  let applied = 0;
  const failures: unknown[] = [];
  const runner = createProjectionRunner({
    projections,
    store,
    subscribe: subscribeTo(events),
    clock: systemRuntime().clock,
    onStopped: (error) => {
      failures.push(error);
      ending.abort();
    },
    onApplied: () => {
      applied += 1;
      if (applied >= batches) ending.abort();
    },
  });
  const running = runner.run(ending.signal);
  const aborted = new Promise<void>((resolve) =>
    ending.signal.addEventListener("abort", () => resolve(), { once: true }),
  );
  await Promise.race([runner.caughtUp(), aborted]);
  ending.abort();
  await running;
  if (failures.length > 0) throw failures[0];
};

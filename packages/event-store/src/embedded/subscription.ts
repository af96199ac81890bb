import type { EventBatch, Position } from "../port.ts";
import type { Changes } from "./changes.ts";
import { positionOf, type Reader, seqOf } from "./reader.ts";

/** Lets timers, sockets and other readers run first. */
export const nextImmediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * A catch-up subscription: reads what there is, then waits for changes, until `signal` is aborted. Between its look at
 * the last event and the wait that may follow, nothing is awaited: no change is missed.
 */
export async function* subscribe(options: {
  read: <T>(work: (reader: Reader) => T) => T;
  changes: Changes;
  after: Position | undefined;
  prefix: string;
  signal: AbortSignal;
}): AsyncGenerator<EventBatch, void, undefined> {
  const { read, changes, prefix, signal } = options;
  let reached = seqOf(options.after);
  let saidCaughtUp = false;
  while (!signal.aborted) {
    const last = Math.max(
      reached,
      read((reader) => reader.lastSeq()),
    );
    if (saidCaughtUp && last === reached) {
      await changes.next(signal);
      continue;
    }
    const chunk = read((reader) => reader.all(reached, last, prefix));
    reached = chunk.reached;
    saidCaughtUp = reached === last;
    if (saidCaughtUp || chunk.events.length > 0) {
      yield { events: chunk.events, position: positionOf(reached), caughtUp: saidCaughtUp };
    }
    if (!saidCaughtUp) await nextImmediate();
  }
}

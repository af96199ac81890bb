import type { EventBatch, Position } from "../port.ts";
import type { Changes } from "./changes.ts";
import { positionOf, type Reader, seqOf } from "./reader.ts";

/** A pause in which timers, sockets and other readers have their turn. */
export const nextImmediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * A catch-up subscription: reads what there is, then waits for changes, until `signal` is aborted.
 * A look at the head and the wait that may follow it happen in one turn, so no change is missed in between.
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
    const head = Math.max(
      reached,
      read((reader) => reader.headSeq()),
    );
    if (saidCaughtUp && head === reached) {
      await changes.next(signal);
      continue;
    }
    const chunk = read((reader) => reader.all(reached, head, prefix));
    reached = chunk.reached;
    saidCaughtUp = reached === head;
    if (saidCaughtUp || chunk.events.length > 0) {
      yield { events: chunk.events, position: positionOf(reached), caughtUp: saidCaughtUp };
    }
    if (!saidCaughtUp) await nextImmediate();
  }
}

import { comparePositions, type EventBatch, type Position } from "../port.ts";
import { type Patience, pauseAfter } from "./attempts.ts";
import type { SteadyClient } from "./client.ts";
import { isTransient, lastingErrorOf, meaningOf, unreachableError } from "./errors.ts";
import { Feed, type Wanted } from "./feed.ts";

/** What is followed, and from where. */
export interface Following {
  client: SteadyClient;
  patience: Patience;
  wanted: Wanted;
  after: Position | undefined;
  /** The position of the newest event at the time, of any stream, ours or not. */
  end: (ending: AbortSignal) => Promise<Position | undefined>;
  signal: AbortSignal;
  /** Given up when nothing was reached for the patience's limit; otherwise it is tried for as long as it takes. */
  givesUp: boolean;
  /** Told once each time that the connection is lost. */
  onConnectionLost: (error: unknown) => void;
}

/** The later of two positions. */
const later = (a: Position | undefined, b: Position | undefined): Position | undefined =>
  a && b ? (comparePositions(a, b) >= 0 ? a : b) : (a ?? b);

/** One subscription, until it fails: the batches, and how far it has come with each. */
async function* followOnce(
  { client, patience, wanted, end, signal }: Following,
  after: Position | undefined,
): AsyncGenerator<EventBatch, void, undefined> {
  // All that was there before the server began to look has been looked at when it says that it has caught up.
  const endBefore = await end(signal);
  if (signal.aborted) return;
  const feed = new Feed({ client, deadlines: patience.deadlines, after, wanted, signal });
  let position = after;
  let saidCaughtUp = false;
  try {
    while (!signal.aborted) {
      const arrived = await feed.take();
      if (signal.aborted) return;
      position = later(later(position, arrived.events.at(-1)?.position), arrived.checkpoint);
      if (arrived.caughtUp && !saidCaughtUp) {
        saidCaughtUp = true;
        position = later(position, endBefore);
      }
      yield { events: arrived.events, position, caughtUp: arrived.caughtUp };
    }
  } finally {
    feed.close();
  }
}

/**
 * A catch-up subscription that is begun again after whatever ended it, after the last position that it gave.
 * @throws {EventStoreDbError} when the server refuses it, or when it gives up.
 */
export async function* follow(following: Following): AsyncGenerator<EventBatch, void, undefined> {
  const { client, patience, signal, givesUp, onConnectionLost } = following;
  const { clock, limitMs } = patience;
  let { after } = following;
  let failures = 0;
  let before: unknown;
  let reachedMs = clock.monotonicMs();
  while (!signal.aborted) {
    const { connection } = client;
    try {
      for await (const batch of followOnce(following, after)) {
        after = batch.position;
        failures = 0;
        before = undefined;
        yield batch;
        reachedMs = clock.monotonicMs();
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!isTransient(error)) throw lastingErrorOf(error);
      if (givesUp && clock.monotonicMs() - reachedMs >= limitMs) throw unreachableError(limitMs, error);
      if (failures === 0) onConnectionLost(error);
      if (meaningOf(error) === "silent") await client.leave(connection);
      await clock.wait(pauseAfter(error, before, failures, patience), { signal });
      before = error;
      failures += 1;
    }
  }
}

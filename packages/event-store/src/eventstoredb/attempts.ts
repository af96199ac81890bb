import { backoffMs, type Clock, type Random } from "@rubrica/runtime";
import type { SteadyClient } from "./client.ts";
import type { Deadlines, Waited } from "./deadlines.ts";
import { closedError, isTransient, lastingErrorOf, meaningOf, unreachableError } from "./errors.ts";

const FIRST_PAUSE_MS = 50;

/** How a call is made again. */
interface Pace {
  /** How long one attempt may take before it counts as lost. */
  attemptMs: number;
  maxPauseMs: number;
}

const OF_SERVER: Pace = { attemptMs: 5_000, maxPauseMs: 2_000 };
/**
 * A cluster may elect another leader at any moment. By these figures a call survives a leader that stands still for 10
 * s.
 */
const OF_CLUSTER: Pace = { attemptMs: 3_000, maxPauseMs: 500 };

const paceOf = ({ client }: Pick<Patience, "client">): Pace => (client.isOfCluster ? OF_CLUSTER : OF_SERVER);

/** What bounds a call, and what it waits by. */
export interface Patience {
  clock: Clock;
  random: Random;
  /** How long a call may take, all its attempts together. */
  limitMs: number;
  /** Aborted when the store is closed: every call ends then. */
  closing: AbortSignal;
  /** Ends these calls alone, and is aborted with `closing` too. */
  ending?: AbortSignal;
  deadlines: Deadlines;
  /** What is connected to the server: it is left where a member of a cluster says nothing. */
  client: Pick<SteadyClient, "isOfCluster" | "connection" | "leave">;
}

/**
 * How long to wait before the next attempt, after so many failures in a row: doubling up to a limit, with jitter. No
 * wait where the last failure told who leads and the one before it did not.
 */
export const pauseAfter = (error: unknown, before: unknown, failures: number, patience: Patience): number =>
  meaningOf(error) === "elsewhere" && meaningOf(before) !== "elsewhere"
    ? 0
    : backoffMs(failures + 1, { firstMs: FIRST_PAUSE_MS, longestMs: paceOf(patience).maxPauseMs }) *
      (0.5 + patience.random.fraction() / 2);

/** One attempt, as long as it is waited for. */
export interface Attempt {
  limitMs: number;
  /** Set by the attempted call: stops it once nobody waits for it any more. */
  stop: () => void;
}

/** What `work` gives, if it does so in time and the store is not closed meanwhile. */
const within = <T>(
  { deadlines, ending }: Patience,
  limitMs: number,
  work: (attempt: Attempt) => Promise<T>,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const attempt: Attempt = { limitMs, stop: () => {} };
    const waited: Waited = {
      endMs: 0,
      limitMs,
      over: (error) => {
        settled();
        reject(error);
        attempt.stop();
      },
    };
    const end = () => waited.over(closedError());
    const settled = () => {
      deadlines.end(waited);
      ending?.removeEventListener("abort", end);
    };
    deadlines.begin(waited);
    ending?.addEventListener("abort", end, { once: true });
    work(attempt).then(
      (value) => {
        settled();
        resolve(value);
      },
      (error: unknown) => {
        settled();
        reject(error);
      },
    );
  });

/**
 * Attempts again and again until it succeeds, the limit is reached, or trying again can't help.
 * @throws {EventStoreDbError} and what `attempt` throws for its caller.
 */
export const insist = async <T>(patience: Patience, work: (attempt: Attempt) => Promise<T>): Promise<T> => {
  const { clock, limitMs, closing, ending = closing, client } = patience;
  const endMs = clock.monotonicMs() + limitMs;
  let before: unknown;
  for (let failures = 0; ; failures++) {
    if (ending.aborted) throw closedError();
    const { connection } = client;
    try {
      const attemptMs = Math.max(1, Math.min(paceOf(patience).attemptMs, endMs - clock.monotonicMs()));
      return await within(patience, attemptMs, work);
    } catch (error) {
      if (ending.aborted) throw closedError();
      if (!isTransient(error)) throw lastingErrorOf(error);
      if (meaningOf(error) === "silent") await client.leave(connection);
      const pause = pauseAfter(error, before, failures, patience);
      before = error;
      if (clock.monotonicMs() + pause >= endMs) throw unreachableError(limitMs, error);
      if (pause > 0) await clock.wait(pause, { signal: ending });
    }
  }
};

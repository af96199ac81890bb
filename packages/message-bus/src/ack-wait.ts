import { type Clock, WAIT_ENDED } from "@rubrica/runtime";

/**
 * Does the work, which `extend`s its time as long as it goes on: true once it is done, false once it was silent for
 * `ackWaitMs`. What becomes of it then is passed over.
 * @throws what the work rejects with, in time.
 */
export const handledInTime = async (
  clock: Clock,
  ackWaitMs: number,
  work: (extend: () => void) => Promise<void>,
): Promise<boolean> => {
  const ended = new AbortController();
  let deadlineMs = clock.monotonicMs() + ackWaitMs;
  const done = work(() => {
    deadlineMs = clock.monotonicMs() + ackWaitMs;
  }).then(() => true);
  const silent = async (): Promise<boolean> => {
    for (let leftMs = ackWaitMs; leftMs > 0; leftMs = deadlineMs - clock.monotonicMs()) {
      await clock.wait(leftMs, { signal: ended.signal, background: true });
      if (ended.signal.aborted) break;
    }
    return false;
  };
  try {
    return await Promise.race([done, silent()]);
  } finally {
    ended.abort(WAIT_ENDED);
    done.catch(() => {});
  }
};

import { comparePositions, type EventStore, type Position } from "@rubrica/event-store";
import { DocumentErased } from "@rubrica/events";
import { ownerOf } from "@rubrica/journal";
import { type Clock, WAIT_ENDED } from "@rubrica/runtime";

/** How often the log is looked at: what another process erased is forgotten here well within a second. */
const INTERVAL_MS = 500;
/** Once the log was not looked at for so long, nothing may be held in memory that another process may have erased. */
const SILENCE_MS = 1_000;
/**
 * Once nobody asked for so long whether anything may be held, everything is let go of, and the log is not looked at any
 * more.
 */
const IDLE_MS = 60_000;

/** Has a process evict from memory what another one erased. */
export interface ErasureWatch {
  /**
   * Whether the log was looked at within the last second: only then may keys and names be held in memory. To be asked
   * whenever a key is wanted: while nobody asks, nobody looks.
   */
  isFresh(): boolean;
  /**
   * Has `evict` called with the id of each document that is erased from now on; without an id when everything must be
   * evicted, because the log is not looked at.
   */
  onErased(evict: (documentId?: string) => void): void;
  /** Looks at the log until `signal` is aborted. Never rejects. To be called once. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * A watch that asks for the log's last position, and reads of what is new the erasures alone.
 * @param options.after where the log stood when the process held nothing yet
 * @param options.onError is told when the log can't be looked at; it is tried again
 */
export const createErasureWatch = ({
  events,
  clock,
  after,
  onError,
}: {
  events: Pick<EventStore, "lastPosition" | "readAll">;
  clock: Clock;
  after: Position | undefined;
  onError: (error: unknown) => void;
}): ErasureWatch => {
  const evicting: ((documentId?: string) => void)[] = [];
  const tell = (documentId?: string): void => {
    for (const evict of evicting) evict(documentId);
  };
  let reached = after;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let askedAtMs = clock.monotonicMs();
  let wake = new AbortController();
  const isFresh = () => clock.monotonicMs() - lookedAtMs <= SILENCE_MS;

  const look = async (): Promise<void> => {
    const startedMs = clock.monotonicMs();
    const last = await events.lastPosition();
    if (last && (!reached || comparePositions(last, reached) > 0)) {
      for await (const { stream } of events.readAll(reached, { type: DocumentErased.type })) tell(ownerOf(stream));
      reached = last;
    }
    lookedAtMs = startedMs;
  };

  /** Looks once. If that fails or takes too long, lets go of everything that is held. */
  const lookOrLetGo = async (signal: AbortSignal): Promise<void> => {
    const looking = look().catch(onError);
    const ended = new AbortController();
    const silence = clock
      .wait(SILENCE_MS, { signal: AbortSignal.any([signal, ended.signal]), background: true })
      .then(() => {
        if (!isFresh() && !signal.aborted) tell();
      });
    await looking;
    ended.abort(WAIT_ENDED);
    await silence;
  };

  const sleep = async (signal: AbortSignal): Promise<void> => {
    wake = new AbortController();
    lookedAtMs = Number.NEGATIVE_INFINITY;
    tell();
    await new Promise<void>((resolve) => {
      const end = () => resolve();
      AbortSignal.any([signal, wake.signal]).addEventListener("abort", end, { once: true });
    });
  };

  return {
    isFresh: () => {
      askedAtMs = clock.monotonicMs();
      wake.abort(WAIT_ENDED);
      return isFresh();
    },
    onErased: (evict) => void evicting.push(evict),
    async run(signal) {
      while (!signal.aborted) {
        await lookOrLetGo(signal);
        await clock.wait(INTERVAL_MS, { signal, background: true });
        if (!signal.aborted && clock.monotonicMs() - askedAtMs > IDLE_MS) await sleep(signal);
      }
    },
  };
};

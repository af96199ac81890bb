import type { EventStore } from "@rubrica/event-store";
import { ChainVerifier, hasItsHash } from "@rubrica/events";
import { hashedForm } from "@rubrica/journal";
import { type Clock, yieldToOthers } from "@rubrica/runtime";
import type { KnownEnd, KnownLog } from "@rubrica/storage";
import { LRUCache } from "lru-cache";

/** Streams that were compared. */
const MAX_COMPARED = 50_000;
/** A stream that was compared is not again for so long: what it owes mostly follows within that. */
const COMPARED_MS = 60_000;
/** Compared in one iteration of the event loop: a millisecond or two. */
const STREAMS_AT_ONCE = 16;

/** A stream does not hold the event that a head of the log knows to be there: it was cut, or written anew. */
export class StreamCut extends Error {
  readonly stream: string;
  /** The revision of the event that is missing. */
  readonly revision: bigint;

  constructor({ stream, revision }: Pick<KnownEnd, "stream" | "revision">) {
    super(`${stream} does not hold its revision ${revision} any more, which a head of the log is over`);
    this.name = "StreamCut";
    this.stream = stream;
    this.revision = revision;
  }
}

/** Compares streams with what is known of them beside the keys. */
export interface Continuity {
  /**
   * Resolves when the stream holds what is known of it, by all of its events the first time; or did within the last minute.
   * @throws {StreamCut}
   */
  check(stream: string): Promise<void>;
  /** How many streams were found cut, and were not mended since. */
  readonly cut: number;
  /** Compares all that is known with the events that streams ended with, until `signal` is aborted. To be called once. */
  checkAll(signal: AbortSignal): Promise<void>;
}

type Streams = Pick<EventStore, "readStream">;

/** Whether the stream holds the event that is known to be there, and each one before it is the one that its chain goes on with. */
export const holdsEnd = async (events: Streams, { stream, revision, hash }: KnownEnd): Promise<boolean> => {
  const verifier = new ChainVerifier();
  for await (const event of events.readStream(stream)) {
    if (!verifier.verify(hashedForm(event))) return false;
    if (event.revision === revision) return event.metadata.hash === hash;
  }
  return false;
};

/** Whether the stream holds that event, whatever came before it: one read of one event. */
const holdsEvent = async (events: Streams, { stream, revision, hash }: KnownEnd): Promise<boolean> => {
  for await (const event of events.readStream(stream, revision)) {
    const isKnown = event.revision === revision && event.metadata.hash === hash;
    return isKnown && hasItsHash(hashedForm(event), String(event.metadata.previousHash));
  }
  return false;
};

/** @param onCut is told of each stream, once. */
export const createContinuity = ({
  events,
  known,
  clock,
  onCut,
}: {
  events: Streams;
  known: Pick<KnownLog, "end" | "ends">;
  clock: Pick<Clock, "monotonicMs">;
  onCut: (cut: StreamCut) => void;
}): Continuity => {
  /** When, and up to which end by its hash; null where none was known. */
  const compared = new LRUCache<string, { atMs: number; upTo: string | null }>({ max: MAX_COMPARED });
  const cut = new Set<string>();
  const tell = (end: KnownEnd): StreamCut => {
    const found = new StreamCut(end);
    if (!cut.has(end.stream)) onCut(found);
    cut.add(end.stream);
    return found;
  };
  return {
    get cut() {
      return cut.size;
    },
    async check(stream) {
      const before = compared.get(stream);
      if (before && clock.monotonicMs() - before.atMs < COMPARED_MS) return;
      const end = await known.end(stream);
      // Nothing that was compared keeps the stream from being cut since: one event is read again, the chain to it once.
      const isCompared = end && before?.upTo === end.hash;
      if (end && !(await (isCompared ? holdsEvent(events, end) : holdsEnd(events, end)))) throw tell(end);
      cut.delete(stream);
      compared.set(stream, { atMs: clock.monotonicMs(), upTo: end?.hash ?? null });
    },
    async checkAll(signal) {
      let count = 0;
      for await (const end of known.ends()) {
        if (signal.aborted) return;
        if (!(await holdsEvent(events, end))) tell(end);
        count += 1;
        if (count % STREAMS_AT_ONCE === 0) await yieldToOthers();
      }
    },
  };
};

import type { EventStore } from "@rubrica/event-store";
import { leafOf } from "@rubrica/events";
import { yieldToOthers } from "@rubrica/runtime";
import type { KnownEnd, KnownLog } from "@rubrica/storage";
import { LRUCache } from "lru-cache";

/** Streams that were compared, and need not be again. */
const MAX_COMPARED = 50_000;
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
   * Resolves when the stream holds what is known of it; it is compared once, unless it does not.
   * @throws {StreamCut}
   */
  check(stream: string): Promise<void>;
  /** How many streams were found cut, and were not mended since. */
  readonly cut: number;
  /** Compares all that is known, until `signal` is aborted. To be called once. */
  checkAll(signal: AbortSignal): Promise<void>;
}

/** Whether the stream holds the event that is known to be there. */
export const holdsEnd = async (
  events: Pick<EventStore, "readStream">,
  { stream, revision, hash }: KnownEnd,
): Promise<boolean> => {
  for await (const event of events.readStream(stream, revision))
    return event.revision === revision && leafOf(event).hash === hash;
  return false;
};

/** @param onCut is told of each stream, once. */
export const createContinuity = ({
  events,
  known,
  onCut,
}: {
  events: Pick<EventStore, "readStream">;
  known: Pick<KnownLog, "end" | "ends">;
  onCut: (cut: StreamCut) => void;
}): Continuity => {
  const compared = new LRUCache<string, true>({ max: MAX_COMPARED });
  const cut = new Set<string>();
  const compare = async (end: KnownEnd): Promise<void> => {
    if (await holdsEnd(events, end)) {
      cut.delete(end.stream);
      return;
    }
    const found = new StreamCut(end);
    if (!cut.has(end.stream)) onCut(found);
    cut.add(end.stream);
    throw found;
  };
  return {
    get cut() {
      return cut.size;
    },
    async check(stream) {
      if (compared.has(stream)) return;
      const end = await known.end(stream);
      if (end) await compare(end);
      else cut.delete(stream);
      compared.set(stream, true);
    },
    async checkAll(signal) {
      let count = 0;
      for await (const end of known.ends()) {
        if (signal.aborted) return;
        await compare(end).catch((error: unknown) => {
          if (!(error instanceof StreamCut)) throw error;
        });
        count += 1;
        if (count % STREAMS_AT_ONCE === 0) await yieldToOthers();
      }
    },
  };
};

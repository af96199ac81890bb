import { BACKWARDS, END, type ResolvedEvent } from "@eventstore/db-client";
import type { Position, RecordedEvent } from "../port.ts";
import { type Attempt, insist, type Patience } from "./attempts.ts";
import type { SteadyClient } from "./client.ts";
import { meaningOf } from "./errors.ts";
import { positionIn, toRecorded } from "./events.ts";

/** So many events are asked for at once, and held. */
const PAGE_EVENTS = 128n;

/** A stream of the client's that reads to an end. */
interface Reading extends AsyncIterable<ResolvedEvent> {
  on(event: "error", listener: () => void): unknown;
  cancel(): Promise<void>;
  destroy(): unknown;
}

const collect = async (reading: Reading, attempt: Attempt): Promise<ResolvedEvent[]> => {
  attempt.stop = () => {
    reading.cancel().catch(() => {});
    reading.destroy();
  };
  // An error that comes after reading has stopped would end the process.
  reading.on("error", () => {});
  const all: ResolvedEvent[] = [];
  for await (const resolved of reading) all.push(resolved);
  return all;
};

/** Reads what streams hold, a page at a time, each page tried until it is there or the limit is reached. */
export class Reader {
  readonly #client: SteadyClient;
  readonly #patience: Patience;

  constructor(client: SteadyClient, patience: Patience) {
    this.#client = client;
    this.#patience = patience;
  }

  /** A stream's events from a revision on, up to where it ended when the reading began. */
  async *stream(stream: string, from: bigint): AsyncGenerator<RecordedEvent, void, undefined> {
    let next = from;
    let last: bigint | undefined;
    for (;;) {
      const page = await this.page(stream, next, PAGE_EVENTS);
      // What one page holds needs no end.
      if (last === undefined && BigInt(page.length) === PAGE_EVENTS) last = (await this.last(stream))?.revision;
      for (const event of page) if (last === undefined || event.revision <= last) yield event;
      next += PAGE_EVENTS;
      if (last === undefined || next > last) return;
    }
  }

  /** At most `count` events of the stream from a revision on; none when it does not exist. */
  page(stream: string, from: bigint, count: bigint): Promise<RecordedEvent[]> {
    return this.#ofStream(stream, { fromRevision: from, maxCount: Number(count) });
  }

  async last(stream: string): Promise<RecordedEvent | undefined> {
    const [last] = await this.#ofStream(stream, { direction: BACKWARDS, fromRevision: END, maxCount: 1 });
    return last;
  }

  /** Events of all streams from the end, or from before a position, backwards: the latest first. */
  async backwards(
    from: Position | undefined,
    maxCount: number,
    ending?: AbortSignal,
  ): Promise<{ stream: string; position: Position }[]> {
    const resolved = await insist(ending ? { ...this.#patience, ending } : this.#patience, (attempt) =>
      collect(
        this.#client.readAll({ direction: BACKWARDS, fromPosition: from ?? END, maxCount, requiresLeader: true }),
        attempt,
      ),
    );
    return resolved.flatMap((one) => {
      const position = positionIn(one);
      return position ? [{ stream: one.event?.streamId ?? "", position }] : [];
    });
  }

  /** The position of the last event of all, whoever's it is; `ending` breaks off the search, beside closing the store. */
  async end(ending?: AbortSignal): Promise<Position | undefined> {
    const [last] = await this.backwards(undefined, 1, ending);
    return last?.position;
  }

  async #ofStream(
    stream: string,
    options: { direction?: typeof BACKWARDS; fromRevision: bigint | typeof END; maxCount: number },
  ): Promise<RecordedEvent[]> {
    const resolved = await insist(this.#patience, (attempt) =>
      collect(this.#client.readStream(stream, { ...options, requiresLeader: true }), attempt).catch(
        (error: unknown) => {
          if (meaningOf(error) === "absent") return [];
          throw error;
        },
      ),
    );
    return resolved.map(toRecorded).filter((event) => event !== undefined);
  }
}

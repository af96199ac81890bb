import type { ReadReq, ReadResp } from "@eventstore/db-client/generated/streams_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import type { EventStore, Position, RecordedEvent } from "@rubrica/event-store";
import { eventMessage, nameIn, notFoundMessage } from "./messages.ts";

const { ReadDirection } = streams.ReadReq.Options;

type Options = ReadReq.Options;

const BACKWARDS_CHUNK = 64n;

const collect = async (events: AsyncIterable<RecordedEvent>): Promise<RecordedEvent[]> => {
  const all: RecordedEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
};

/** Where a reader of all wants to begin. */
export const placeIn = (options: Options): Position | "start" | "end" => {
  const all = options.getAll();
  const position = all?.getPosition();
  if (position) return { commit: BigInt(position.getCommitPosition()), prepare: BigInt(position.getPreparePosition()) };
  return all?.hasEnd() ? "end" : "start";
};

const forwards = (store: EventStore, from: Position | "start" | "end"): AsyncIterable<RecordedEvent> => {
  if (from === "start") return store.readAll();
  if (from === "end") return store.readAll({ commit: 2n ** 52n, prepare: 0n });
  // A read begins with the position's own event, where a subscription begins after it.
  return store.readAll({ commit: from.commit - 1n, prepare: 0n });
};

/** The embedded store's places are numbered without gaps. */
async function* backwards(store: EventStore, from: Position | "start" | "end"): AsyncGenerator<RecordedEvent> {
  const last = (await store.lastPosition())?.commit ?? 0n;
  let upTo = from === "end" || from === "start" ? last : from.commit - 1n;
  if (from === "start") return;
  while (upTo > 0n) {
    const after = upTo > BACKWARDS_CHUNK ? upTo - BACKWARDS_CHUNK : 0n;
    const chunk: RecordedEvent[] = [];
    for await (const event of store.readAll({ commit: after, prepare: 0n })) {
      if (event.position.commit > upTo) break;
      chunk.push(event);
    }
    yield* chunk.reverse();
    upTo = after;
  }
}

async function* ofStream(store: EventStore, options: Options): AsyncGenerator<RecordedEvent> {
  const asked = options.getStream();
  const stream = nameIn(asked?.getStreamIdentifier());
  const revision = asked?.hasRevision() ? BigInt(asked.getRevision()) : undefined;
  if (options.getReadDirection() === ReadDirection.FORWARDS) {
    if (!asked?.hasEnd()) yield* store.readStream(stream, revision);
    return;
  }
  const last = await store.readLast(stream);
  if (last && (asked?.hasEnd() || revision === last.revision)) yield last;
  const all = await collect(store.readStream(stream));
  yield* all
    .filter((event) => event.revision !== last?.revision && (revision === undefined || event.revision <= revision))
    .reverse();
}

/** What a read answers, message by message. */
export async function* readMessages(store: EventStore, options: Options): AsyncGenerator<ReadResp> {
  const limit = BigInt(options.getCount());
  if (limit === 0n) return;
  const stream = nameIn(options.getStream()?.getStreamIdentifier());
  if (options.hasStream() && !(await store.streamEnd(stream))) {
    yield notFoundMessage(stream);
    return;
  }
  const from = placeIn(options);
  const ofAll = options.getReadDirection() === ReadDirection.FORWARDS ? forwards : backwards;
  let given = 0n;
  for await (const event of options.hasStream() ? ofStream(store, options) : ofAll(store, from)) {
    yield eventMessage(event);
    given += 1n;
    if (given === limit) return;
  }
}

import type { ReadReq, ReadResp } from "@eventstore/db-client/generated/streams_pb.js";
import type { EventStore, RecordedEvent } from "@rubrica/event-store";
import type { Ids } from "@rubrica/runtime";
import { caughtUpMessage, checkpointMessage, confirmationMessage, eventMessage } from "./messages.ts";
import { placeIn } from "./reading.ts";

/** Events looked at for each checkpoint, times the interval that the subscriber asked for. */
const CHECKPOINT_EVENTS = 32;

/** Which events a subscriber wants. */
const filterOf = (options: ReadReq.Options): ((event: RecordedEvent) => boolean) => {
  const filter = options.getFilter();
  const expression = filter?.getStreamIdentifier() ?? filter?.getEventType();
  if (!filter || !expression) return () => true;
  const prefixes = expression.getPrefixList();
  const regex = new RegExp(expression.getRegex());
  const matches = (text: string) =>
    prefixes.length > 0 ? prefixes.some((prefix) => text.startsWith(prefix)) : regex.test(text);
  return filter.hasStreamIdentifier() ? ({ stream }) => matches(stream) : ({ type }) => matches(type);
};

/** What a subscription to all is sent, message by message, until `signal` is aborted. */
export async function* subscriptionMessages(
  store: EventStore,
  options: ReadReq.Options,
  ids: Ids,
  signal: AbortSignal,
): AsyncGenerator<ReadResp> {
  yield confirmationMessage(ids.uuidv7());
  const wanted = filterOf(options);
  const interval = CHECKPOINT_EVENTS * (options.getFilter()?.getCheckpointintervalmultiplier() ?? 1);
  const from = placeIn(options);
  const after = from === "start" ? undefined : from === "end" ? await store.lastPosition() : from;
  let looked = 0;
  let isLive = false;
  for await (const { events, caughtUp } of store.subscribeToAll({ after, signal })) {
    for (const event of events) {
      if (wanted(event)) yield eventMessage(event);
      looked += 1;
      if (!options.hasFilter() || looked % interval !== 0) continue;
      const { commit } = event.position;
      yield checkpointMessage({ commit, prepare: (looked / interval) % 2 === 0 ? commit : 0n });
    }
    if (caughtUp && !isLive) {
      isLive = true;
      yield caughtUpMessage();
    }
  }
}

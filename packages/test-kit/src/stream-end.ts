import type { EventStore } from "@rubrica/event-store";
import type { StreamEnd } from "@rubrica/journal";

/** Where a stream ends, as an append by the journal expects it; undefined where it has no event. */
export const streamEndIn = async (
  events: Pick<EventStore, "readLast">,
  stream: string,
): Promise<StreamEnd | undefined> => {
  const last = await events.readLast(stream);
  return last && { revision: last.revision, at: String(last.metadata.at), hash: String(last.metadata.hash) };
};

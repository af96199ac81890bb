import type { EventStore } from "@rubrica/event-store";
import { streamName } from "@rubrica/events";

/** The account that a document belongs to, as any of its events tells; null when none does, damaged as they are. */
export const ownerOf = async (
  events: Pick<EventStore, "readLast" | "readStream">,
  documentId: string,
): Promise<string | null> => {
  const stream = streamName("document", documentId);
  const last = (await events.readLast(stream))?.metadata.accountId;
  if (typeof last === "string") return last;
  for await (const { metadata } of events.readStream(stream)) {
    if (typeof metadata.accountId === "string") return metadata.accountId;
  }
  return null;
};

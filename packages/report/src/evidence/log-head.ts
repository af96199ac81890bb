import type { EventStore } from "@rubrica/event-store";
import { HEADS_ID, HeadsCommitted, streamName } from "@rubrica/events";
import type { LogHeadEvidence } from "./evidence.ts";

const STREAM = streamName("heads", HEADS_ID);
/** Events of the heads' stream that are looked at: others than heads are rare there. */
const LOOKED_AT = 20n;

/** The newest signed head of the whole event log; null where there is none that can be read. */
export const newestLogHead = async (
  store: Pick<EventStore, "streamEnd" | "readStream">,
): Promise<LogHeadEvidence | null> => {
  const end = await store.streamEnd(STREAM);
  if (!end) return null;
  let newest: LogHeadEvidence | null = null;
  const from = end.revision > LOOKED_AT ? end.revision - LOOKED_AT : 0n;
  for await (const { type, data } of store.readStream(STREAM, from)) {
    const head = HeadsCommitted.data.safeParse(data.data);
    if (type === HeadsCommitted.type && head.success)
      newest = { size: head.data.size, root: head.data.root, at: head.data.at };
  }
  return newest;
};

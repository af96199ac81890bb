import type { EventStore } from "@rubrica/event-store";
import { HEADS_ID, HeadsCommitted, headText, streamName } from "@rubrica/events";
import type { KnownLog } from "@rubrica/storage";
import type { LogHeadEvidence } from "./evidence.ts";

const STREAM = streamName("heads", HEADS_ID);
/** Events of the heads' stream that are looked at: others than heads are rare there. */
const LOOKED_AT = 20n;

/**
 * The newest signed head of the whole event log; null where there is none that can be read. Where one is known apart from the
 * events it is that one: others may be of somebody who can write to these.
 */
export const newestLogHead = async (
  store: Pick<EventStore, "streamEnd" | "readStream">,
  known: Pick<KnownLog, "head">,
): Promise<LogHeadEvidence | null> => {
  const end = await store.streamEnd(STREAM);
  if (!end) return null;
  const kept = await known.head();
  let newest: LogHeadEvidence | null = null;
  const from = end.revision > LOOKED_AT ? end.revision - LOOKED_AT : 0n;
  for await (const { type, data } of store.readStream(STREAM, from)) {
    const head = HeadsCommitted.data.safeParse(data.data);
    if (type === HeadsCommitted.type && head.success && (kept ?? headText(head.data)) === headText(head.data))
      newest = { size: head.data.size, root: head.data.root, at: head.data.at };
  }
  return newest;
};

import type { RecordedEvent } from "@rubrica/event-store";
import { ChainVerifier, type DocumentEvent, GENESIS_HASH, streamName } from "@rubrica/events";
import { hashedForm, type Journal, type JournalEvent } from "@rubrica/journal";
import type { Clock } from "@rubrica/runtime";
import type { KnownLog } from "@rubrica/storage";
import type { ChainEvidence, EventEvidence } from "./evidence.ts";

/** Events that are decrypted, checked and hashed before the event loop goes on. */
const AT_ONCE = 100;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** What events are read from, and compared with. */
interface StreamSources {
  journal: Pick<Journal, "store" | "restore">;
  known: Pick<KnownLog, "end">;
  clock: Clock;
}

/**
 * The document's events as they are stored, whether each is the one that its chain goes on with, and whether they hold what
 * a signed head is over.
 */
export const readStream = async (
  { journal, known, clock }: StreamSources,
  documentId: string,
): Promise<{ events: EventEvidence[]; chain: ChainEvidence }> => {
  const stream = streamName("document", documentId);
  const end = await known.end(stream);
  const stored: RecordedEvent[] = [];
  for await (const event of journal.store.readStream(stream)) stored.push(event);
  const verifier = new ChainVerifier();
  const events: EventEvidence[] = [];
  let brokenAt: number | null = null;
  for (let start = 0; start < stored.length; start += AT_ONCE) {
    if (start > 0) await clock.wait(0);
    const some = stored.slice(start, start + AT_ONCE);
    const restored = await restore(journal, some);
    some.forEach((event, index) => {
      if (!verifier.verify(hashedForm(event))) brokenAt ??= Number(event.revision);
      events.push(evidenceOf(event, restored[index] ?? null));
    });
  }
  const holdsEnd = !end || events.some(({ revision, hash }) => revision === Number(end.revision) && hash === end.hash);
  const missingKnown = holdsEnd ? null : Number(end.revision);
  const lastHash = events.at(-1)?.hash ?? GENESIS_HASH;
  return { events, chain: { count: events.length, lastHash, brokenAt, missingKnown } };
};

type Restored = JournalEvent<DocumentEvent> | null;

const evidenceOf = ({ revision, type, metadata }: RecordedEvent, event: Restored): EventEvidence => ({
  revision: Number(revision),
  type,
  at: textOf(metadata.at),
  actor: textOf(metadata.actor),
  hash: textOf(metadata.hash),
  event,
  simulated: false,
});

/** What the events say. One that was tampered with may not be readable: the others still are. */
const restore = async (journal: Pick<Journal, "restore">, stored: readonly RecordedEvent[]): Promise<Restored[]> => {
  try {
    return (await journal.restore(stored)) as JournalEvent<DocumentEvent>[];
  } catch {
    return Promise.all(stored.map((event) => restoreOne(journal, event)));
  }
};

const restoreOne = async (journal: Pick<Journal, "restore">, event: RecordedEvent): Promise<Restored> => {
  try {
    return ((await journal.restore([event]))[0] as JournalEvent<DocumentEvent> | undefined) ?? null;
  } catch {
    return null;
  }
};

import type { EventStore, RecordedEvent } from "@rubrica/event-store";
import { ChainVerifier, DocumentSealed, streamName } from "@rubrica/events";
import { hashedForm } from "@rubrica/journal";
import { type Freshness, type ReadModelStore, sealedFiles } from "@rubrica/read-models";

/** How long a lookup waits for a projection that is behind, in milliseconds; then it says so. */
const FRESHNESS_TIMEOUT_MS = 2_000;

/** What files are looked up in. */
export interface Records {
  events: Pick<EventStore, "readStream" | "head">;
  readModels: Pick<ReadModelStore, "get">;
  freshness: Freshness;
}

/** A document whose sealed file was shown: what anybody who has the file may know of it. */
export interface KnownDocument {
  documentId: string;
  /** ISO 8601, UTC. */
  sealedAt: string;
  /** PAdES baseline level. */
  level: string;
  /** Whether each of its events is the one that its hash chain goes on with. */
  chainIntact: boolean;
}

/** What is on record of a file; `upToDate` is false where the records are behind, so that nothing found says nothing. */
export interface Lookup {
  document: KnownDocument | null;
  upToDate: boolean;
}

/**
 * Looks up the document whose sealed file has this SHA-256 (lower-case hex), by its events. The read model only tells
 * where to look.
 */
export const findKnownDocument = async (records: Records, sha256: string): Promise<Lookup> => {
  const { documentId, upToDate } = await documentOf(records, sha256);
  return { document: documentId === undefined ? null : await byEvents(records, documentId, sha256), upToDate };
};

const byEvents = async (records: Records, documentId: string, sha256: string): Promise<KnownDocument | null> => {
  const verifier = new ChainVerifier();
  let chainIntact = true;
  let found: Pick<KnownDocument, "sealedAt" | "level"> | undefined;
  for await (const event of records.events.readStream(streamName("document", documentId))) {
    if (!verifier.holds(hashedForm(event))) chainIntact = false;
    found ??= sealOf(event, sha256);
  }
  return found ? { documentId, ...found, chainIntact } : null;
};

const documentOf = async ({ events, readModels, freshness }: Records, sha256: string) => {
  const lookUp = async () => (await readModels.get(sealedFiles, sha256))?.document.documentId;
  const known = await lookUp();
  if (known !== undefined) return { documentId: known, upToDate: true };
  const head = await events.head();
  const upToDate = !head || (await freshness.waitFor(sealedFiles, head, FRESHNESS_TIMEOUT_MS));
  return { documentId: await lookUp(), upToDate };
};

const sealOf = ({ type, data, metadata }: RecordedEvent, sha256: string) => {
  if (type !== DocumentSealed.type) return undefined;
  const sealed = DocumentSealed.data.safeParse(data.data);
  if (!sealed.success || sealed.data.file.sha256 !== sha256) return undefined;
  return { sealedAt: String(metadata.at), level: sealed.data.level };
};

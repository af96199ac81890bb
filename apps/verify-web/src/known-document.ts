import type { EventStore, Position, RecordedEvent } from "@rubrica/event-store";
import { ChainVerifier, DocumentSealed, streamName } from "@rubrica/events";
import { hashedForm } from "@rubrica/journal";
import { type ReadModelStore, type SealedFileRecord, sealedFiles } from "@rubrica/read-models";

/** How long a lookup waits for a projection that is behind, in milliseconds; then it answers with what there is. */
const FRESHNESS_TIMEOUT_MS = 2_000;

/** Tells when the read models have come up to a position; a ProjectionRunner is one. */
export interface Freshness {
  /** Resolves when every projection is at or past the position (true), or when `timeoutMs` are over (false). */
  waitFor(position: Position, timeoutMs: number): Promise<boolean>;
}

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

/**
 * The document whose sealed file has this SHA-256 (lower-case hex), by its events; null when there is none. The read
 * model only tells where to look.
 */
export const findKnownDocument = async (records: Records, sha256: string): Promise<KnownDocument | null> => {
  const documentId = await documentOf(records, sha256);
  if (documentId === undefined) return null;
  const verifier = new ChainVerifier();
  let chainIntact = true;
  let found: Pick<KnownDocument, "sealedAt" | "level"> | undefined;
  for await (const event of records.events.readStream(streamName("document", documentId))) {
    if (!verifier.holds(hashedForm(event))) chainIntact = false;
    found ??= sealOf(event, sha256);
  }
  return found ? { documentId, ...found, chainIntact } : null;
};

const documentOf = async ({ events, readModels, freshness }: Records, sha256: string): Promise<string | undefined> => {
  const lookUp = async () =>
    (await readModels.get<SealedFileRecord>(sealedFiles.name, sha256))?.document.documentId ?? undefined;
  const known = await lookUp();
  if (known !== undefined) return known;
  const head = await events.head();
  if (!head) return undefined;
  await freshness.waitFor(head, FRESHNESS_TIMEOUT_MS);
  return lookUp();
};

const sealOf = ({ type, data, metadata }: RecordedEvent, sha256: string) => {
  if (type !== DocumentSealed.type) return undefined;
  const sealed = DocumentSealed.data.safeParse(data.data);
  if (!sealed.success || sealed.data.file.sha256 !== sha256) return undefined;
  return { sealedAt: String(metadata.at), level: sealed.data.level };
};

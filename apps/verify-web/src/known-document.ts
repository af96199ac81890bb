import { createHash } from "node:crypto";
import type { EventStore, RecordedEvent } from "@rubrica/event-store";
import {
  ChainVerifier,
  type DomainEvent,
  demoAccountId,
  type EventContent,
  EventSchemaError,
  hasSealedFile,
  restored,
  streamName,
} from "@rubrica/events";
import { hashedForm } from "@rubrica/journal";
import { type Freshness, type ReadModelStore, sealedFiles } from "@rubrica/read-models";
import type { KnownEnd, KnownLog } from "@rubrica/storage";

/** How long a lookup waits for a projection that is behind, in milliseconds; then it says so. */
const FRESHNESS_TIMEOUT_MS = 2_000;

/** What files are looked up in. */
export interface Records {
  events: Pick<EventStore, "readStream" | "lastPosition">;
  readModels: Pick<ReadModelStore, "get">;
  freshness: Pick<Freshness, "waitFor">;
  /** What is known of streams by signed heads, apart from the events. */
  known: Pick<KnownLog, "end" | "first">;
}

/** A document whose sealed file was shown: what anybody who has the file may know of it. */
export interface KnownDocument {
  documentId: string;
  /** ISO 8601, UTC. */
  sealedAt: string;
  /** Of the certificate that sealed it: SHA-256 in lower-case hex. */
  certificateSha256: string;
  /** PAdES baseline level. */
  level: string;
  /** Whether each of its events is the one that its hash chain goes on with, and the one is there that a signed head is over. */
  chainIntact: boolean;
  /**
   * Whether the event that names its seal stands in the first signed head of the log, and the file begins with what that
   * event names. Seals made since then say themselves what they are over.
   */
  inFirstHead: boolean;
  /** It is of the demo account. */
  demo: boolean;
  /** Whether providers only simulated; null where none had a part in it, or that was not recorded. */
  simulated: { messages: boolean | null; identity: boolean | null };
  /** Whether the service issued the seal's certificate itself, so that nobody else trusts it; null where not recorded. */
  ownAuthority: boolean | null;
}

/** A file that somebody shows. */
export interface ShownFile {
  bytes: Uint8Array;
  /** Of the bytes, in lower-case hex. */
  sha256: string;
}

/** What the event of a seal names. */
interface Named {
  revision: bigint;
  file: { size: number; sha256: string };
}

/** What the events of a document say of a file that should be its own. */
export interface DocumentRecord {
  /** Null where they do not name the file, or can't be read so far. */
  document: KnownDocument | null;
  /** Whether they are the ones of a chain that holds, and hold what a signed head is over. */
  chainIntact: boolean;
  /** Whether the file begins with one that they name, as one does to which others added validation data. */
  beginsAsNamed: boolean;
}

/** What is on record of a file; `upToDate` is false where the records are behind, so that nothing found says nothing. */
export interface Lookup {
  /** Null where nothing leads to a document. */
  record: DocumentRecord | null;
  upToDate: boolean;
}

/**
 * Looks up the document whose sealed file this is, by its events. The read model only tells where to look.
 */
export const findKnownDocument = async (records: Records, file: ShownFile): Promise<Lookup> => {
  const { documentId, upToDate } = await documentOf(records, file.sha256);
  return { record: documentId === undefined ? null : await recordOf(records, documentId, file), upToDate };
};

/**
 * What is on record of a file that is said to be of a document: by the read model, or by the file's own seal, which names the
 * document whatever became of the record.
 */
export const recordOf = async (records: Records, documentId: string, shown: ShownFile): Promise<DocumentRecord> => {
  const verifier = new ChainVerifier();
  const stream = streamName("document", documentId);
  const [first, newest] = [await records.known.first.end(stream), await records.known.end(stream)];
  let [unbroken, holdsFirst, holdsNewest] = [true, false, newest === undefined];
  let sealed: (Pick<KnownDocument, "sealedAt" | "ownAuthority" | "certificateSha256"> & Named) | undefined;
  let level: string | undefined;
  let beginsAsNamed = false;
  let demo: boolean | undefined;
  const simulated: KnownDocument["simulated"] = { messages: null, identity: null };
  for await (const stored of records.events.readStream(stream)) {
    if (!verifier.verify(hashedForm(stored))) unbroken = false;
    holdsFirst ||= isEnd(stored, first);
    holdsNewest ||= isEnd(stored, newest);
    const event = eventOf(stored);
    if (!event) continue;
    if (event.type === "DocumentRequested") {
      // No command asks for a document a second time.
      if (demo !== undefined) unbroken = false;
      demo ??= event.data.accountId === demoAccountId;
    }
    if (event.type === "DocumentSealed")
      sealed ??= {
        revision: stored.revision,
        file: event.data.file,
        sealedAt: String(stored.metadata.at),
        ownAuthority: event.data.ownAuthority,
        certificateSha256: event.data.certificateSha256,
      };
    // What was sealed first stays known beside what was augmented since.
    if (sealed && hasSealedFile(event) && event.data.file.sha256 === shown.sha256) level ??= event.data.level;
    if (hasSealedFile(event)) beginsAsNamed ||= beginsWith(shown, event.data.file);
    const provider = "provider" in event.data ? event.data.provider : null;
    const part = event.type === "MessageAttempted" ? "messages" : "identity";
    if (provider) simulated[part] = simulated[part] === true || provider.simulated;
  }
  // A chain that was computed anew holds in itself: what a head is over tells that it is another one.
  const chainIntact = unbroken && holdsNewest;
  if (!sealed || level === undefined) return { document: null, chainIntact, beginsAsNamed };
  const { revision, file, ...named } = sealed;
  const sealInHead = chainIntact && holdsFirst && first !== undefined && revision <= first.revision;
  const inFirstHead = sealInHead && beginsWith(shown, file);
  const document = { documentId, ...named, level, chainIntact, inFirstHead, demo: demo ?? false, simulated };
  return { document, chainIntact, beginsAsNamed };
};

const isEnd = ({ revision, metadata }: RecordedEvent, end: KnownEnd | undefined): boolean =>
  revision === end?.revision && metadata.hash === end.hash;

/** Augmenting appends: the file that was sealed is the first part of it. */
const beginsWith = ({ bytes }: ShownFile, { size, sha256 }: Named["file"]): boolean =>
  createHash("sha256").update(bytes.subarray(0, size)).digest("hex") === sha256;

/** What an event says beside who it is about; undefined when it can't be read, as one that was tampered with. */
const eventOf = ({ type, data, metadata }: RecordedEvent): DomainEvent | undefined => {
  const content = { data: data.data as EventContent["data"], personal: null };
  try {
    return restored(type, content, Number(metadata.schemaVersion));
  } catch (error) {
    if (error instanceof EventSchemaError) return undefined;
    throw error;
  }
};

const documentOf = async ({ events, readModels, freshness }: Records, sha256: string) => {
  const lookUp = async () => (await readModels.get(sealedFiles, sha256))?.document.documentId;
  const known = await lookUp();
  if (known !== undefined) return { documentId: known, upToDate: true };
  const last = await events.lastPosition();
  const upToDate = !last || (await freshness.waitFor(sealedFiles, last, FRESHNESS_TIMEOUT_MS));
  return { documentId: await lookUp(), upToDate };
};

import { type CompletedDocument, type Document, documentFold, type RejectedDocument } from "@rubrica/domain";
import type { FileReference } from "@rubrica/events";
import type { Journal } from "@rubrica/journal";
import type { SigningIdentity } from "@rubrica/pdf";
import type { Clock } from "@rubrica/runtime";
import { sealCertificates } from "./certificates.ts";
import type { EventEvidence, Evidence, PictureEvidence, SealEvidence, SignerEvidence } from "./evidence.ts";
import type { EvidenceFiles, LookedAt } from "./files.ts";
import { eventsOfSigner, type LookAt, type Recorded, signerEvidence } from "./signer.ts";
import { readStream } from "./stream.ts";

/** Fifty signers with a drawing and three photos each. */
const MAX_PICTURES = 200;

/** What evidence is gathered from. */
export interface Sources {
  journal: Pick<Journal, "store" | "restore">;
  files: EvidenceFiles;
  identity: SigningIdentity;
  clock: Clock;
}

type Ended = CompletedDocument | RejectedDocument;

const endedDocument = (events: readonly EventEvidence[]): Ended | null => {
  const document = events.reduce<Document>(
    (state, { event }) => (event ? documentFold.evolve(state, event) : state),
    documentFold.initial,
  );
  if (document.status === "rejected") return document;
  return document.status === "completed" && document.seal ? document : null;
};

/**
 * All that is known of a document, from its events and files; null while it has not ended (completed and sealed, or
 * rejected), and when its events can't be read as a document's.
 */
export const gatherEvidence = async (sources: Sources, documentId: string): Promise<Evidence | null> => {
  const { events, chain } = await readStream(sources.journal, documentId, sources.clock);
  const document = endedDocument(events);
  if (!document?.requestedAt || !document.endedAt) return null;
  const readable = events.map(({ event }) => event).filter((event) => event !== null);
  const original = withoutBytes(await sources.files.look(documentId, document.file));
  const { sealed, seal } = await sealEvidence(sources, document, readable);
  const { texts } = document;
  return {
    documentId,
    status: document.status,
    names: texts && { documentName: texts.documentName, businessName: texts.businessName },
    requestedAt: document.requestedAt,
    endedAt: document.endedAt,
    pageCount: document.pageCount,
    authentication: document.authentication,
    sendMessages: document.sendMessages,
    original,
    sealed,
    seal,
    rejection: document.status === "rejected" ? document.rejection : null,
    providerFiles: await lookAtAll(sources.files, documentId, document.evidence ?? []),
    signers: await signersOf(sources.files, document, readable),
    events,
    chain,
  };
};

const withoutBytes = ({ sha256, size, mediaType, state }: LookedAt) => ({ sha256, size, mediaType, state });

// One file after the other: photos of fifty signers at once would not fit into memory.
const lookAtAll = async (files: EvidenceFiles, documentId: string, references: readonly FileReference[]) => {
  const looked = [];
  for (const reference of references) looked.push(withoutBytes(await files.look(documentId, reference)));
  return looked;
};

const sealEvidence = async (
  { files, identity }: Sources,
  document: Ended,
  events: readonly Recorded[],
): Promise<{ sealed: Evidence["sealed"]; seal: SealEvidence | null }> => {
  const event = events.find(({ type }) => type === "DocumentSealed");
  if (document.status === "rejected" || !document.seal || !event) return { sealed: null, seal: null };
  const { file, level, shortfall, certificateSha256 } = document.seal;
  const looked = await files.look(document.documentId, file);
  const certificates = sealCertificates(looked.bytes, certificateSha256, identity);
  return {
    sealed: withoutBytes(looked),
    seal: { sealedAt: event.metadata.at, level, shortfall, certificateSha256, certificates },
  };
};

const signersOf = async (
  files: EvidenceFiles,
  { documentId, signers }: Ended,
  events: readonly Recorded[],
): Promise<SignerEvidence[]> => {
  let left = MAX_PICTURES;
  const lookAt: LookAt = async (file, toBeShown): Promise<PictureEvidence> => {
    if (toBeShown && left-- > 0) return files.picture(documentId, file);
    return { ...withoutBytes(await files.look(documentId, file)), picture: null };
  };
  const evidence: SignerEvidence[] = [];
  for (const signer of signers.toSorted((a, b) => a.order - b.order)) {
    evidence.push(await signerEvidence(signer, eventsOfSigner(events, signer.signerId), lookAt));
  }
  return evidence;
};

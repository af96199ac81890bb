import { hash } from "node:crypto";
import {
  type ConcludedDocument,
  type Document,
  documentFold,
  type Signer,
  type WithdrawnDocument,
} from "@rubrica/domain";
import {
  demoAccountId,
  type FileReference,
  hasSealedFile,
  type PhotoKind,
  type Provider,
  photoKinds,
} from "@rubrica/events";
import type { Journal } from "@rubrica/journal";
import type { SigningIdentity } from "@rubrica/pdf";
import { isTimestampedAfterSeal } from "@rubrica/pdf/certificates";
import type { Clock } from "@rubrica/runtime";
import type { KnownLog } from "@rubrica/storage";
import type { ActiveContents } from "./active-content.ts";
import { isSealedBy, sealCertificates } from "./certificates.ts";
import type {
  AugmentationEvidence,
  EventEvidence,
  Evidence,
  PictureEvidence,
  ProviderEvidence,
  ProviderFileEvidence,
  SealEvidence,
  SentEvidence,
  SignerEvidence,
} from "./evidence.ts";
import type { EvidenceFiles, LookedAt } from "./files.ts";
import { newestLogHead } from "./log-head.ts";
import { providersOf } from "./providers.ts";
import { eventsOfSigner, type LookAt, type Recorded, signerEvidence } from "./signer.ts";
import { readStream } from "./stream.ts";

/** Fifty signers with a drawing and three photos each. */
const MAX_PICTURES = 200;
/** Audits of the identity provider that go with the report, all together. */
const MAX_ATTACHED_BYTES = 10 * 1024 * 1024;

/** What evidence is gathered from. */
export interface Sources {
  journal: Pick<Journal, "store" | "restore">;
  /** The newest signed head, and where streams had come to by heads, as is known apart from the events. */
  known: Pick<KnownLog, "end" | "head">;
  files: EvidenceFiles;
  activeContents: ActiveContents;
  /** Who it is done for. */
  caller: string;
  identity: SigningIdentity;
  clock: Clock;
}

/** A document whose PDF it is known what became of. */
type Ended = ConcludedDocument & { file: FileReference; pageCount: number };

const endedDocument = (events: readonly EventEvidence[]): Ended | null => {
  const document = events.reduce<Document>(
    (state, { event }) => (event ? documentFold.evolve(state, event) : state),
    documentFold.initial,
  );
  if (document.status === "rejected") return document;
  if (document.status === "withdrawn") return withFile(document);
  return document.status === "completed" && document.seal ? document : null;
};

/** Of an erasure, and of a row that was never prepared, there is nothing to report. */
const withFile = (document: WithdrawnDocument): Ended | null => {
  const { file, pageCount, withdrawal } = document;
  return file && pageCount !== null && withdrawal !== "erasure" ? { ...document, file, pageCount } : null;
};

const statusOf = (document: Ended): Evidence["status"] => {
  if (document.status !== "withdrawn") return document.status;
  return document.withdrawal === "expired" ? "expired" : "canceled";
};

/**
 * All that is known of a document, from its events and files; null while it has not ended (completed and sealed,
 * rejected, canceled or expired), and when its events can't be read as a document's.
 */
export const gatherEvidence = async (sources: Sources, documentId: string): Promise<Evidence | null> => {
  const { events, chain } = await readStream(sources, documentId);
  const document = endedDocument(events);
  if (!document?.requestedAt || !document.endedAt) return null;
  const readable = events.map(({ event }) => event).filter((event) => event !== null);
  const providers = providersOf(readable);
  const original = await sources.files.look(documentId, document.file);
  const { sealed, seal } = await sealEvidence(sources, document, readable);
  const { texts } = document;
  return {
    documentId,
    accountId: document.accountId,
    demo: document.accountId === demoAccountId,
    requester: document.requester,
    requestIp: texts?.requestIp ?? null,
    status: statusOf(document),
    names: texts && { documentName: texts.documentName, businessName: texts.businessName },
    requestedAt: document.requestedAt,
    expiresAt: document.expiresAt,
    endedAt: document.endedAt,
    pageCount: document.pageCount,
    authentication: document.authentication,
    sendMessages: document.sendMessages,
    sent: await sentEvidence(sources.files, document),
    original: withoutBytes(original),
    activeContent: await sources.activeContents.of(original, sources.caller),
    sealed,
    seal,
    rejection: document.status === "rejected" ? document.rejection : null,
    withdrawal: document.status === "withdrawn" ? { by: document.takenBack.by, text: document.takenBack.text } : null,
    signers: await signersOf(sources.files, document, readable, providers),
    events: events.map((entry) => ({
      ...entry,
      simulated: entry.event !== null && providers.get(entry.event)?.simulated === true,
    })),
    chain,
    logHead: await newestLogHead(sources.journal.store, sources.known),
  };
};

const withoutBytes = ({ sha256, size, mediaType, state }: LookedAt) => ({ sha256, size, mediaType, state });

const sentEvidence = async (files: EvidenceFiles, document: Ended): Promise<SentEvidence> => {
  const { documentId, channel, file, sentFile } = document;
  if (channel === "bulk") return "made";
  if (!sentFile) return "notRecorded";
  return sentFile.sha256 === file.sha256 ? "same" : withoutBytes(await files.look(documentId, sentFile));
};

const sealEvidence = async (
  { files, identity }: Sources,
  document: Ended,
  events: readonly Recorded[],
): Promise<{ sealed: Evidence["sealed"]; seal: SealEvidence | null }> => {
  const event = events.find(({ type }) => type === "DocumentSealed");
  if (document.status !== "completed" || !document.seal || !event) return { sealed: null, seal: null };
  const { file, level, shortfall, certificateSha256, ownAuthority, timestamp } = document.seal;
  const made = events.flatMap((one) => sealingIn(one) ?? []);
  const looked = await files.look(document.documentId, file);
  const certificates = sealCertificates(looked.bytes, certificateSha256, identity);
  return {
    sealed: withoutBytes(looked),
    seal: {
      sealedAt: event.metadata.at,
      level,
      sealedLevel: made[0]?.level ?? level,
      augmentations: made.flatMap(({ augmentation }) => augmentation ?? []),
      formerFiles: made.slice(0, -1).map(({ sha256 }) => sha256),
      shortfall,
      certificateSha256,
      ownAuthority,
      timestamp,
      certificates,
      isOverOriginal: looked.bytes && isOverOriginal(looked.bytes, document, document.seal),
    },
  };
};

const isOverOriginal = (
  sealed: Uint8Array,
  { file, sentFile, channel }: Ended,
  { level, certificateSha256 }: Pick<SealEvidence, "level" | "certificateSha256">,
): boolean | null => {
  if (!isSealedBy(sealed, certificateSha256) || (level === "B-LTA" && !isTimestampedAfterSeal(sealed))) return false;
  if (beginsWith(sealed, file)) return true;
  // Before it was recorded what was sent, an encrypted file was decrypted when it was sealed.
  return sentFile === null && channel !== "bulk" ? null : false;
};

/** Stamps and seals are appended: what was signed is the beginning of what was sealed. */
const beginsWith = (bytes: Uint8Array, { size, sha256 }: FileReference): boolean =>
  bytes.length > size && hash("sha256", bytes.subarray(0, size)) === sha256;

/** What an event tells of a sealed file: the first one, or one that was augmented; undefined for other events. */
const sealingIn = (event: Recorded) => {
  if (!hasSealedFile(event)) return undefined;
  const { file, level } = event.data;
  const augmentation: AugmentationEvidence | null =
    event.type === "SealAugmented"
      ? { kind: event.data.kind, at: event.metadata.at, timestamp: event.data.timestamp }
      : null;
  return { level, sha256: file.sha256, augmentation };
};

const signersOf = async (
  files: EvidenceFiles,
  document: Ended,
  events: readonly Recorded[],
  providers: ReadonlyMap<Recorded, Provider | null>,
): Promise<SignerEvidence[]> => {
  const { documentId, signers } = document;
  let left = MAX_PICTURES;
  const lookAt: LookAt = async (file, toBeShown): Promise<PictureEvidence> => {
    if (toBeShown && left-- > 0) return files.picture(documentId, file);
    return { ...withoutBytes(await files.look(documentId, file)), picture: null };
  };
  const lookAtProviderFile = providerFiles(files, documentId, lookAt);
  const evidence: SignerEvidence[] = [];
  // One file after the other: photos of fifty signers at once would not fit into memory.
  for (const signer of signers.toSorted((a, b) => a.order - b.order)) {
    const own = eventsOfSigner(events, signer.signerId);
    const provider = await providerEvidence(document, signer, events, lookAtProviderFile);
    const askedWith = signers
      .filter(({ group, signerId }) => group === signer.group && signerId !== signer.signerId)
      .map(({ order }) => order + 1)
      .toSorted((a, b) => a - b);
    evidence.push({ ...(await signerEvidence(signer, own, providers, lookAt)), askedWith, provider });
  }
  return evidence;
};

type ProviderFile = NonNullable<Ended["evidenceFiles"]>[number];

/** How the identity provider's files are looked at: photos as pictures, audits as what goes with the report. */
const providerFiles = (files: EvidenceFiles, documentId: string, lookAt: LookAt) => {
  let leftBytes = MAX_ATTACHED_BYTES;
  return async ({ kind, file }: ProviderFile, shows: PhotoKind | null): Promise<ProviderFileEvidence> => {
    if (kind === "photo") return { ...(await lookAt(file, true)), kind, shows, attached: null };
    const { bytes, ...looked } = await files.look(documentId, file);
    const attached = bytes && bytes.length <= leftBytes ? bytes : null;
    leftBytes -= attached?.length ?? 0;
    return { ...looked, kind, shows: null, picture: null, attached };
  };
};

const providerEvidence = async (
  { evidenceFiles }: Ended,
  { signerId, checkedByProvider, photos }: Signer,
  events: readonly Recorded[],
  lookAt: (file: ProviderFile, shows: PhotoKind | null) => Promise<ProviderFileEvidence>,
): Promise<ProviderEvidence> => {
  if (!checkedByProvider) return "none";
  if (!evidenceFiles) return "awaited";
  const found: ProviderFileEvidence[] = [];
  const uploadOf = ({ file }: ProviderFile) =>
    photoKinds.find((kind) => photos[kind].some((upload) => upload.file?.sha256 === file.sha256)) ?? null;
  for (const file of evidenceFiles.filter((one) => one.signerId === signerId))
    found.push(await lookAt(file, file.shows ?? uploadOf(file)));
  const fetched = events.findLast((event) => event.type === "EvidenceFetched");
  return { provider: fetched?.type === "EvidenceFetched" ? fetched.data.provider : null, files: found };
};

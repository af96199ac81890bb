import { type DocumentEvent, type DocumentEventOf, namedSigners } from "@rubrica/events";
import type { Dated, Fold } from "../decider.ts";
import { holdOf } from "../standing/due.ts";
import { detailsAfter, requestedStanding, signersAfter } from "../standing/evolve-standing.ts";
import { evolveSigner, namelessSigner, requestedSigner, type SignerEvent } from "./evolve-signer.ts";
import { takenBackAt } from "./expiry.ts";
import { isConcluded } from "./lookup.ts";
import type {
  Document,
  RequestedDocument,
  RequestTexts,
  Seal,
  Signer,
  UnfinishedDocument,
  WithdrawnDocument,
} from "./state.ts";

const HOUR_MS = 3_600_000;

type Event = Dated<DocumentEvent>;

const atOf = ({ metadata }: Event): string | null => metadata?.at ?? null;

const textsOf = ({
  signers: _signers,
  ...texts
}: NonNullable<DocumentEventOf<"DocumentRequested">["personal"]>): RequestTexts => texts;

const requested = (event: Dated<DocumentEventOf<"DocumentRequested">>): RequestedDocument => {
  const { data, personal } = event;
  const { file, pageCount, signers: _signers, ...rest } = data;
  const common = {
    ...rest,
    ...requestedStanding(data),
    requestedAt: atOf(event),
    expiryChanges: 0,
    signers: namedSigners(event).map(requestedSigner),
    texts: personal && textsOf(personal),
  };
  return file && pageCount !== null
    ? { ...common, status: "pending", file, pageCount }
    : { ...common, status: "preparing" };
};

const prepared = (document: RequestedDocument, event: DocumentEventOf<"DocumentPrepared">): RequestedDocument => {
  const { file, pageCount } = event.data;
  return document.status === "preparing" ? { ...document, status: "pending", file, pageCount } : document;
};

const nothingFetched = { evidenceFiles: null, evidenceFailures: 0 };

const rejected = (document: RequestedDocument, event: Dated<DocumentEventOf<"Rejected">>): RequestedDocument => {
  if (document.status !== "pending") return document;
  const rejection = { signerId: event.data.signerId, reason: event.personal?.reason ?? null };
  return { ...document, status: "rejected", rejection, endedAt: atOf(event), ...nothingFetched };
};

const completed = (document: RequestedDocument, event: Event): RequestedDocument => {
  if (document.status !== "pending") return document;
  const notSealed = { sealingAttempts: 0, seal: null };
  return { ...document, status: "completed", endedAt: atOf(event), ...notSealed, ...nothingFetched };
};

const sealOf = (data: DocumentEventOf<"DocumentSealed">["data"]): Seal => ({
  ...data,
  failures: 0,
  provenAt: data.timestamp?.at ?? null,
});

const augmented = (
  seal: Seal | null,
  event: DocumentEventOf<"SealAugmented" | "SealAugmentationFailed">,
): Seal | null => {
  if (!seal) return seal;
  if (event.type === "SealAugmentationFailed") return { ...seal, failures: event.data.attempt };
  const { kind: _kind, timestamp, ...now } = event.data;
  return { ...seal, ...now, failures: 0, provenAt: timestamp.at };
};

/** What stays of an open document that was taken back: who was asked, and how far they came. */
const withdrawn = (
  document: RequestedDocument,
  event: Dated<DocumentEventOf<"DocumentWithdrawn">>,
): RequestedDocument => {
  if (document.status !== "pending" && document.status !== "preparing") return document;
  const { reason, by } = event.data;
  const how = { by, text: event.personal?.text ?? null, isRecorded: true };
  return takenBack(document, reason, how, takenBackAt(reason, document, atOf(event)));
};

const takenBack = (
  document: UnfinishedDocument,
  withdrawal: WithdrawnDocument["withdrawal"],
  how: WithdrawnDocument["takenBack"],
  endedAt: string | null,
): WithdrawnDocument => {
  const { file, pageCount } = document.status === "pending" ? document : { file: null, pageCount: null };
  return { ...document, status: "withdrawn", file, pageCount, withdrawal, takenBack: how, endedAt, ...nothingFetched };
};

/** Why the signer should give their phone's turn up by then; undefined while they may keep it. */
const holdOverAt = (document: UnfinishedDocument, signer: Signer, now: number): Signer["holdOver"] => {
  const { refusalHours, silenceHours } = document;
  const hold = holdOf(signer);
  const hours = hold === "refusal" ? refusalHours : silenceHours;
  if (hold === null || hours === null || signer.heldSince === null) return undefined;
  if (now < Date.parse(signer.heldSince) + hours * HOUR_MS) return undefined;
  return hold === "refusal" ? "refused" : "unanswered";
};

/** The document with whose hold of their phone is over at a time (milliseconds since the UNIX epoch). */
const withHoldsOver = <Open extends UnfinishedDocument>(document: Open, now: number): Open => {
  const signers = document.signers.map((signer) => {
    const holdOver = holdOverAt(document, signer, now);
    return holdOver === undefined ? signer : { ...signer, holdOver };
  });
  return signers.some(({ holdOver }) => holdOver !== undefined) ? { ...document, signers } : document;
};

/**
 * The document as it is at a time (milliseconds since the UNIX epoch): one whose time is over has ended, though no event
 * says so yet, and signers have had their phone's turn for as long as they may keep it.
 */
export const documentAt = (document: Document, now: number): Document => {
  if (document.status !== "pending" && document.status !== "preparing") return document;
  const { expiresAt } = document;
  if (expiresAt === null || now < Date.parse(expiresAt)) return withHoldsOver(document, now);
  return takenBack(document, "expired", { by: null, text: null, isRecorded: false }, expiresAt);
};

/** Whatever keys are left: a document that was erased names nobody. */
const erased = (document: RequestedDocument): RequestedDocument => {
  const nameless = {
    texts: null,
    signers: document.signers.map(namelessSigner),
  };
  if (document.status === "withdrawn") {
    return { ...document, ...nameless, takenBack: { ...document.takenBack, text: null } };
  }
  if (document.status !== "rejected") return { ...document, ...nameless };
  return { ...document, ...nameless, rejection: { ...document.rejection, reason: null } };
};

const withSigner = (document: RequestedDocument, event: Dated<SignerEvent>): RequestedDocument => ({
  ...document,
  signers: document.signers.map((signer) =>
    signer.signerId === event.data.signerId ? evolveSigner(signer, event) : signer,
  ),
});

/** What an event changes of the document itself, beside how it stands. */
const evolveOwn = (document: RequestedDocument, event: Event): RequestedDocument => {
  switch (event.type) {
    case "DocumentRequested":
    case "DocumentForgotten":
    case "ReportGenerated":
      return document;
    case "DocumentPrepared":
      return prepared(document, event);
    case "PreparationFailed":
      return document.status === "preparing" ? { ...document, status: "failed", reason: event.data.reason } : document;
    case "DocumentCompleted":
      return completed(document, event);
    case "DocumentSealed":
      return document.status === "completed" ? { ...document, seal: sealOf(event.data) } : document;
    case "SealAugmented":
    case "SealAugmentationFailed":
      return document.status === "completed" ? { ...document, seal: augmented(document.seal, event) } : document;
    case "SealingFailed":
      return document.status === "completed" ? { ...document, sealingAttempts: event.data.attempt } : document;
    case "EvidenceFetched":
      return isConcluded(document) ? { ...document, evidenceFiles: event.data.files } : document;
    case "EvidenceFetchFailed":
      return isConcluded(document) ? { ...document, evidenceFailures: event.data.attempt } : document;
    case "Rejected":
      return rejected(document, event);
    case "DocumentExpiryChanged":
      return { ...document, expiryChanges: document.expiryChanges + 1 };
    case "DocumentWithdrawn":
      return withdrawn(document, event);
    case "DocumentErased":
      return erased(document);
    default:
      return withSigner(document, event);
  }
};

const evolve = (document: Document, event: Event): Document => {
  if (document.status === "none") return event.type === "DocumentRequested" ? requested(event) : document;
  const own = evolveOwn(document, event);
  return { ...detailsAfter(own, event), signers: signersAfter(own.signers, event) };
};

/** A document as its stream tells it. Takes events whose personal part was forgotten, too. */
export const documentFold: Fold<Document, Dated<DocumentEvent>> = { initial: { status: "none" }, evolve };

import type {
  Authentication,
  Channel,
  DocumentEventOf,
  FileReference,
  Medium,
  MessageKind,
  Placement,
  Provider,
  Reminders,
  SignatureMethod,
  WithdrawalReason,
} from "@rubrica/events";
import type { PhotoProgress, Photos } from "../standing/photo-progress.ts";
import type { SignerStanding, Standing } from "../standing/standing.ts";

type RequestedPersonal = NonNullable<DocumentEventOf<"DocumentRequested">["personal"]>;
/** Who a signer is, as the request said. */
export type SignerPerson = RequestedPersonal["signers"][number];
/** What people wrote into a request. */
export type RequestTexts = Omit<RequestedPersonal, "signers">;

/** A message to a signer. One that failed may be tried again; one that is undeliverable is not. */
export interface Message {
  messageId: string;
  kind: MessageKind;
  /** Whose it was to send; null when nobody recorded that. */
  provider: Provider | null;
  /** The number of the signer's link when it was begun. Nothing follows from a message with a former link. */
  linkNumber: number;
  /** By what it was tried last, or is to be tried next. */
  medium: Medium;
  /** It was to be sent anew since: what becomes of it counts no more, but for an answer to it. */
  isFormer: boolean;
  /** Attempts begun so far. */
  attempts: number;
  /** How many of them were by media that were tried before this one. */
  formerAttempts: number;
  state: "attempted" | "sent" | "failed" | "undeliverable";
  /** One for each time that the provider took it, in that order. */
  providerMessageIds: readonly string[];
  delivered: boolean;
  read: boolean;
  /** Why it failed last, as a word; null when it never did. */
  lastFailure: string | null;
}

/** One upload of a photo. */
export interface Photo extends PhotoProgress {
  file: FileReference;
}

/** A signature as it was given. */
export interface Signature {
  /** When, UTC in ISO 8601; null while the event is not stored. */
  at: string | null;
  consentVersion: string;
  drawing: FileReference;
  drawingJpeg: FileReference;
  timeZone: string | null;
  /** Null where it was not recorded. */
  method: SignatureMethod | null;
}

/** A signer: how they stand, and what else is decided by. */
export interface Signer extends SignerStanding {
  /** Null when the document sends no messages. */
  lineId: string | null;
  /** Lines that they were on before they were corrected, and are to leave. */
  formerLineIds: readonly string[];
  /** Which of their links counts: how often they were corrected. */
  linkNumber: number;
  /** Each with who they are since, as their link is that number; null when it was forgotten. */
  corrections: readonly { correctionId: string; linkNumber: number; person: SignerPerson | null }[];
  placement: Placement;
  /** Null when it was forgotten. */
  person: SignerPerson | null;
  /** As the request named them; likewise. */
  personRequested: SignerPerson | null;
  /**
   * Each time that their phone was to be claimed: with the request (its id is null), and anew, by the id of who asked for that.
   * `queuedBehind`: the document that held the turn when this one was queued; stays when the turn came. Null when it never was.
   */
  claims: readonly { id: string | null; queuedBehind: string | null }[];
  messages: Readonly<Record<string, Message>>;
  /** The ids of the requests by which they were to be sent anew what they were sent. */
  resends: readonly string[];
  /**
   * When they were to be asked anew though they had been asked, or waited in line: sent all anew, or corrected. UTC in ISO
   * 8601; null while the event is not stored.
   */
  askedAnew: readonly (string | null)[];
  /** They chose not to continue once, since they were corrected. */
  hasRefused: boolean;
  /** They chose to continue after all was to be sent anew last. */
  continuedAnew: boolean;
  /** How often they answered since then. */
  answerCount: number;
  /** When the first message or the link was sent last, and the last reminder since; UTC in ISO 8601, null before. */
  askedAt: string | null;
  remindedAt: string | null;
  /** When it was last known that they chose to continue, UTC in ISO 8601; null before. */
  continuedAt: string | null;
  /** How many times the signing page was opened, as far as it was recorded. */
  pageOpenings: number;
  /** Every upload, in order, by kind. */
  photos: Photos<Photo>;
  /** How often the identity provider could not be asked about the photos as they are. */
  identityFailures: number;
  /** The identity provider said something of the signer: it keeps evidence of it. */
  checkedByProvider: boolean;
  /** The version of the text that the signer agreed to, once they did. */
  consentVersion: string | null;
  /** Null until the signer has signed. */
  signature: Signature | null;
}

/** What every document that was requested has. */
interface Requested extends Omit<Standing, "status" | "signers"> {
  /** When it was requested, UTC in ISO 8601; null while the event is not stored. */
  requestedAt: string | null;
  documentId: string;
  accountId: string;
  requester: DocumentEventOf<"DocumentRequested">["data"]["requester"];
  channel: Channel;
  campaignId: number | null;
  bulk: { bulkId: string; row: number } | null;
  /** The file as it was sent; null where nobody sent it, or that was not recorded. */
  sentFile: FileReference | null;
  authentication: Authentication;
  requestPhotos: boolean;
  validatePhotos: boolean;
  hasWebhook: boolean;
  /** How often that was changed. */
  expiryChanges: number;
  reminders: Reminders | null;
  /** IANA, for when signers are reminded; null: their phone's country's. */
  timeZone: string | null;
  /** In the order of the input. */
  signers: readonly Signer[];
  /** Null when they were forgotten. */
  texts: RequestTexts | null;
}

interface WithFile {
  /** The PDF that is to be signed, as it came or was prepared. */
  file: FileReference;
  pageCount: number;
}

interface Ended {
  /** When the last signer signed, one rejected, or it was taken back, UTC in ISO 8601; null while the event is not stored. */
  endedAt: string | null;
  /** The identity provider's files, once they were fetched. */
  evidenceFiles: DocumentEventOf<"EvidenceFetched">["data"]["files"] | null;
  /** How often they could not be fetched. */
  evidenceFailures: number;
}

/** The stream is empty. */
export interface NoDocument {
  status: "none";
}
/** A bulk row whose PDF is still to be made. */
export interface PreparingDocument extends Requested {
  status: "preparing";
}
/** Waits for signatures. */
export interface PendingDocument extends Requested, WithFile {
  status: "pending";
}
/** A document that waits for something still. */
export type UnfinishedDocument = PreparingDocument | PendingDocument;

/** A seal as it is now: what it was made as, and what was augmented since. */
export type Seal = DocumentEventOf<"DocumentSealed">["data"] & {
  /** How often augmenting it failed. */
  failures: number;
  /** When the timestamp was made that proves it; null without one. */
  provenAt: string | null;
};

/** Every signer has signed. */
export interface CompletedDocument extends Requested, WithFile, Ended {
  status: "completed";
  sealingAttempts: number;
  /** Null until it is sealed. */
  seal: Seal | null;
}
/** A signer rejected it. */
export interface RejectedDocument extends Requested, WithFile, Ended {
  status: "rejected";
  /** `reason` is null when it was forgotten. */
  rejection: { signerId: string; reason: string | null };
}
/** Its PDF could not be made. */
export interface FailedDocument extends Requested {
  status: "failed";
  reason: string;
}
/** It was taken back while it was open. */
export interface WithdrawnDocument extends Requested, Ended {
  status: "withdrawn";
  /** Null for a bulk row whose PDF was still to be made. */
  file: FileReference | null;
  pageCount: number | null;
  withdrawal: WithdrawalReason;
  takenBack: {
    by: DocumentEventOf<"DocumentWithdrawn">["data"]["by"];
    /** In the words of who took it back; null when they gave none, or it was forgotten. */
    text: string | null;
    /** False where its time is over and no event says so yet. */
    isRecorded: boolean;
  };
}

/** A document that was signed by all, rejected or taken back, of which there may be evidence and a report. */
export type ConcludedDocument = CompletedDocument | RejectedDocument | WithdrawnDocument;

export type RequestedDocument =
  | PreparingDocument
  | PendingDocument
  | CompletedDocument
  | RejectedDocument
  | FailedDocument
  | WithdrawnDocument;
export type Document = NoDocument | RequestedDocument;

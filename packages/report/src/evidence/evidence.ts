import type {
  Authentication,
  CorrectableField,
  DocumentEvent,
  FileReference,
  Medium,
  Origin,
  PhotoKind,
  Provider,
  Requester,
  SignatureMethod,
} from "@rubrica/events";
import type { JournalEvent } from "@rubrica/journal";
import type { ActiveContent, SealLevel } from "@rubrica/pdf";

/** Whether a stored file is still what its hash says; `gone` when it does not exist or its key was destroyed. */
export type FileState = "intact" | "altered" | "gone";

/** A file of the document, looked at while the report is made. */
export interface FileEvidence extends FileReference {
  state: FileState;
}

/** A JPEG that is small enough for a page. Sizes in pixels. */
export interface ReducedJpeg {
  jpeg: Uint8Array;
  width: number;
  height: number;
}

/** A picture of a signer's: its file, and what can be shown of it. */
export interface PictureEvidence extends FileEvidence {
  /** Null when the file is not there any more, can't be read as a picture, or is not to be shown. */
  picture: ReducedJpeg | null;
}

/** One upload of a photo. */
export interface PhotoEvidence extends PictureEvidence {
  kind: PhotoKind;
  attempt: number;
  uploadedAt: string;
  /** The signer's last photo of its kind, which is the one that counts. */
  counts: boolean;
}

/** One word of the identity provider, or one check of an identity document. */
export interface CheckEvidence {
  at: string;
  check: "selfie" | "idFront" | "idBack" | "mrz" | "idDocumentError" | "providerFailure" | "providerRejection";
  attempt: number;
  result: "approved" | "rejected" | "failed";
  reason: string | null;
  /** Whose word it is; null where that was not recorded. */
  provider: Provider | null;
}

/** A file that the identity provider keeps of a signer. */
export interface ProviderFileEvidence extends PictureEvidence {
  kind: "audit" | "photo";
  /** What a photo shows: as the provider says, or as the upload is known whose bytes it has; null for others. */
  shows: PhotoKind | null;
  /** The bytes of an audit that goes with the report; null for photos, for what is gone and for what is too large. */
  attached: Uint8Array | null;
}

/** What the identity provider gave out of a signer: nothing is known of it, it is still awaited, or its files. */
export type ProviderEvidence = "none" | "awaited" | FetchedEvidence;

/** What was fetched of a signer, and from whom; null where that was not recorded. */
export interface FetchedEvidence {
  provider: Provider | null;
  files: readonly ProviderFileEvidence[];
}

/** What a signer agreed to. */
export interface ConsentEvidence {
  at: string;
  version: string;
  /** Null for a version that is unknown here. */
  text: string | null;
  /** Hash of the file that the signer had before them. */
  documentSha256: string;
}

/** What an event tells of how a signer came to the page. */
export type StepKind =
  | "templateAttempted"
  | "templateSent"
  | "templateDelivered"
  | "templateRead"
  | "templateFailed"
  | "answered"
  | "refused"
  | "linkAttempted"
  | "linkSent"
  | "linkDelivered"
  | "linkRead"
  | "linkFailed"
  | "opened";

/** A step that is told with its time: that a message was about to be given to the provider is told by what came of it. */
export type ToldStep = Exclude<StepKind, "templateAttempted" | "linkAttempted">;

/** One event on a signer's way to the page: the first of its kind, and each failure. */
export interface StepEvidence {
  step: StepKind;
  /** UTC, ISO 8601. */
  at: string;
  /** Why it failed, as a word; null for what did not. */
  reason: string | null;
  /** Who was to bring the message; null where that was not recorded, and for what is no message's. */
  provider: Provider | null;
  /** By what the message went; null for what is no message's. */
  medium: Medium | null;
}

/** From where a signer acted, and what they did then. */
export interface OriginEvidence extends Origin {
  act: "signed" | "rejected" | "seen";
}

/** One signer. Null stands for what was forgotten, or did not happen. */
/** One correction of who a signer is, by who asked for it. */
export interface CorrectionEvidence {
  revision: number;
  at: string;
  by: { accountName: string; keyId: string; keyName: string | null };
  /** What was corrected, from what to what; texts are null when they were forgotten. */
  changes: readonly { field: CorrectableField; before: string | null; after: string | null }[];
  /** What the signer was called before; null when it was forgotten. */
  formerName: string | null;
}

export interface SignerEvidence {
  /** Place in the signing order, from 1. */
  number: number;
  /** Places of those who are asked together with them; nobody where they are asked alone. */
  askedWith: readonly number[];
  signerId: string;
  person: {
    name: string;
    idNumber: string;
    idNumberCountry: string | null;
    phone: string;
    email: string | null;
  } | null;
  signedAt: string | null;
  rejectedAt: string | null;
  /** IANA, by the signer's browser. */
  timeZone: string | null;
  /** From where the signer signed, rejected, or else last acted. */
  origin: OriginEvidence | null;
  /** In order. */
  corrections: readonly CorrectionEvidence[];
  /** Since they were corrected last, in the order of the events. */
  steps: readonly StepEvidence[];
  /** Hash of the file that the signature was given on; null without a signature. */
  signedSha256: string | null;
  consent: ConsentEvidence | null;
  drawing: PictureEvidence | null;
  /** How the signature came to be; null where that was not recorded. */
  method: SignatureMethod | null;
  photos: readonly PhotoEvidence[];
  checks: readonly CheckEvidence[];
  provider: ProviderEvidence;
}

/** One event as it is stored, and what it says where it can still be read. */
export interface EventEvidence {
  revision: number;
  type: string;
  at: string;
  actor: string;
  hash: string;
  /** Null when what is stored is not what the domain can have written. */
  event: JournalEvent<DocumentEvent> | null;
  /** A provider that only simulates had a part in it. */
  simulated: boolean;
}

/** The hash chain of the document's events. */
export interface ChainEvidence {
  count: number;
  /** Hash of the last event. */
  lastHash: string;
  /** Revision of the first event that is not what its chain demands; null when the chain holds. */
  brokenAt: number | null;
  /**
   * Revision of the event that a signed head is over, as is known apart from the events, where it is another one now or gone;
   * null where it is there, or no head is over the stream.
   */
  missingKnown: number | null;
}

/** The newest signed head of the whole event log when the report was made. */
export interface LogHeadEvidence {
  size: number;
  root: string;
  /** ISO 8601, UTC. */
  at: string;
}

/** One certificate of the seal. Times in milliseconds since the UNIX epoch. */
export interface CertificateEvidence {
  subject: string;
  issuer: string;
  serialNumber: string;
  validFrom: number;
  validTo: number;
  sha256: string;
}

/** A seal that was completed, or whose last timestamp was followed by another. */
export interface AugmentationEvidence {
  kind: "complete" | "renew";
  at: string;
  /** The document timestamp that was added. */
  timestamp: { at: string; authority: string };
}

/** The seal of a completed document. */
export interface SealEvidence {
  sealedAt: string;
  /** As the file is now. */
  level: SealLevel;
  /** As it was sealed. */
  sealedLevel: SealLevel;
  /** What became of it since, the first first. */
  augmentations: readonly AugmentationEvidence[];
  /** SHA-256 of the sealed files that were given out before the one there is now, the first first. */
  formerFiles: readonly string[];
  /** Why a higher level that was asked for was not reached; null when it was. */
  shortfall: string | null;
  certificateSha256: string;
  /** Whether the service issued the certificate itself, so that nobody else trusts it; null where that was not recorded. */
  ownAuthority: boolean | null;
  /** The seal's timestamp, and whose it is; null at B-B, and where it was not recorded. */
  timestamp: { at: string; authority: string } | null;
  /** The signer's first; empty when neither the file nor the service knows it any more. */
  certificates: readonly CertificateEvidence[];
  /**
   * Whether the sealed file begins with the original, byte for byte, and its last seal has the recorded certificate and, at
   * B-LTA, a timestamp after it; null where the file can't be read any more, and where it does not begin so in a document of
   * a release that did not see to it.
   */
  isOverOriginal: boolean | null;
}

/**
 * A document's file as it was sent, where it was changed to be signed. Else it is signed as it was sent (`same`), nothing
 * tells whether it was changed (`notRecorded`), or nobody sent it (`made`: from a bulk call's template).
 */
export type SentEvidence = FileEvidence | "same" | "notRecorded" | "made";

/** All that a report tells of a document that has ended. Times are UTC in ISO 8601. */
export interface Evidence {
  documentId: string;
  accountId: string;
  /** It is of the demo account. */
  demo: boolean;
  /** Null where it was not recorded who asked. */
  requester: Requester | null;
  /** From where it was asked for; null where no address was recorded, and once it was forgotten. */
  requestIp: string | null;
  status: "completed" | "rejected" | "canceled" | "expired";
  /** Null when they were forgotten. */
  names: { documentName: string; businessName: string } | null;
  requestedAt: string;
  /** Until when it could be signed at its end; null where it had no end. */
  expiresAt: string | null;
  endedAt: string;
  pageCount: number;
  authentication: Authentication;
  sendMessages: boolean;
  sent: SentEvidence;
  original: FileEvidence;
  /** What the original does by itself, or reaches out with, in readers that let it. */
  activeContent: readonly ActiveContent[];
  /** Null for a document that was not signed by all. */
  sealed: FileEvidence | null;
  seal: SealEvidence | null;
  /** `reason` is null when it was forgotten. */
  rejection: { signerId: string; reason: string | null } | null;
  /** Of a canceled or expired one. `by`: the account and key that canceled it; `text`: why, null also once forgotten. */
  withdrawal: { by: Requester | null; text: string | null } | null;
  /** In the signing order. */
  signers: readonly SignerEvidence[];
  events: readonly EventEvidence[];
  chain: ChainEvidence;
  /** Null where none is committed yet. */
  logHead: LogHeadEvidence | null;
}

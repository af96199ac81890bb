import type { EventOf } from "../define.ts";
import { SignerCorrected } from "./correcting.ts";
import { DocumentErased, DocumentForgotten, DocumentWithdrawn } from "./erasure.ts";
import { DocumentExpiryChanged } from "./expiry.ts";
import {
  CancellationSent,
  ContinueRefused,
  MessageAttempted,
  MessageDelivered,
  MessageFailed,
  MessageRead,
  MessageSent,
  RefusalExplained,
  ReminderScheduled,
  ReminderSent,
  SignatureLinkSent,
  SignedCopySent,
  SignerQueued,
  SignerTurnCame,
  SigningPageOpened,
  TemplateAnswered,
} from "./messages.ts";
import {
  IdBackUploaded,
  IdDocumentErrorFound,
  IdDocumentValidated,
  IdentityProviderFailed,
  IdentityProviderRejected,
  IdFrontUploaded,
  MrzValidated,
  SelfieUploaded,
  SelfieValidated,
} from "./photos.ts";
import { DocumentPrepared, DocumentRequested, PreparationFailed } from "./request.ts";
import { ResendRequested } from "./resending.ts";
import {
  ConsentGiven,
  DocumentCompleted,
  DocumentSealed,
  DocumentSigned,
  EvidenceFetched,
  EvidenceFetchFailed,
  Rejected,
  ReportGenerated,
  SealAugmentationFailed,
  SealAugmented,
  SealingFailed,
} from "./signatures.ts";

export * from "./correcting.ts";
export * from "./erasure.ts";
export * from "./expiry.ts";
export * from "./messages.ts";
export * from "./photos.ts";
export * from "./request.ts";
export * from "./resending.ts";
export * from "./signatures.ts";

export const documentEvents = [
  DocumentRequested,
  DocumentPrepared,
  PreparationFailed,
  DocumentExpiryChanged,
  SignerQueued,
  SignerTurnCame,
  ResendRequested,
  SignerCorrected,
  MessageAttempted,
  MessageSent,
  MessageDelivered,
  MessageRead,
  MessageFailed,
  TemplateAnswered,
  ContinueRefused,
  SignatureLinkSent,
  SignedCopySent,
  CancellationSent,
  RefusalExplained,
  ReminderScheduled,
  ReminderSent,
  SigningPageOpened,
  SelfieUploaded,
  IdFrontUploaded,
  IdBackUploaded,
  SelfieValidated,
  IdDocumentValidated,
  MrzValidated,
  IdDocumentErrorFound,
  IdentityProviderFailed,
  IdentityProviderRejected,
  ConsentGiven,
  DocumentSigned,
  DocumentCompleted,
  DocumentSealed,
  SealingFailed,
  SealAugmented,
  SealAugmentationFailed,
  EvidenceFetched,
  EvidenceFetchFailed,
  ReportGenerated,
  Rejected,
  DocumentWithdrawn,
  DocumentErased,
  DocumentForgotten,
] as const;

export type DocumentEvent = EventOf<(typeof documentEvents)[number]>;

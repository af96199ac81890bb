export { type PhotoKind, photoKinds } from "@rubrica/events";
export {
  type AugmentationFailure,
  augmentationDue,
  isProofOver,
  recordAugmentationFailed,
  recordAugmented,
} from "./augmentation.ts";
export { type CancelDocument, cancelDocument } from "./cancel.ts";
export { type CorrectSigner, correctSigner } from "./correcting.ts";
export { isAsking } from "./due.ts";
export { type EraseDocument, eraseDocument, knownToProviders, recordForgotten } from "./erase.ts";
export { recordEvidence, recordEvidenceFailure, signersWithEvidence } from "./evidence.ts";
export { documentAt, documentFold } from "./evolve.ts";
export { type ChangeExpiry, changeExpiry, expireDocument, takenBackAt } from "./expiry.ts";
export {
  type Finding,
  type IdentityFailure,
  type IdentityFindings,
  identityCheckOf,
  type PhotoAttempts,
  recordIdentityFailure,
  recordIdentityFindings,
} from "./identity.ts";
export {
  canSign,
  hasEnded,
  hasPhotos,
  lastPhoto,
  nextSigners,
  releaseReason,
  requestedDocument,
  signerOf,
  signingObstacle,
} from "./lookup.ts";
export type { Media } from "./media.ts";
export {
  attemptMessage,
  type MessageNamed,
  type Retry,
  recordMessageFailed,
  recordMessageSent,
} from "./messages.ts";
export { type RecordNotice, recordNotice } from "./notices.ts";
export { signingOrder } from "./order.ts";
export { openPage } from "./page.ts";
export {
  evolvePhotos,
  type PhotoProgress,
  type Photos,
  photoSetNumber,
  progressOf,
} from "./photo-progress.ts";
export { type UploadPhoto, uploadPhoto } from "./photos.ts";
export { failPreparation, prepareDocument } from "./prepare.ts";
export { type ScheduleReminder, scheduleReminder } from "./reminders.ts";
export {
  authenticationOf,
  DEFAULT_DOCUMENT_NAME,
  type RequestDocument,
  requestDocument,
  type SignerToRequest,
} from "./request.ts";
export { askAnewPauseMs, type RequestResend, requestResend } from "./resending.ts";
export {
  recordReport,
  recordSealed,
  recordSealingFailed,
} from "./seal.ts";
export { otherAccountName, requesterShown } from "./shown-name.ts";
export { isToBeSigned, reject, type Sign, sign } from "./sign.ts";
export * from "./state.ts";
export { type ClaimedFor, giveTurn, isTurnToBeClaimed, queueSigner } from "./turns.ts";

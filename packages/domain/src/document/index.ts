// A file is exported by names where it has what this package alone needs.

export { type PhotoKind, photoKinds } from "@rubrica/events";
export {
  type AugmentationFailure,
  augmentationAt,
  hasTimestampExpired,
  recordAugmentationFailed,
  recordAugmented,
} from "./augmentation.ts";
export * from "./cancel.ts";
export * from "./correcting.ts";
export * from "./erase.ts";
export * from "./evidence.ts";
export * from "./evolve.ts";
export { type ChangeExpiry, changeExpiry, expireDocument, takenBackAt } from "./expiry.ts";
export * from "./identity.ts";
export {
  canSign,
  hasEnded,
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
export * from "./notices.ts";
export { signingOrder } from "./order.ts";
export * from "./page.ts";
export * from "./photos.ts";
export { failPreparation, prepareDocument } from "./prepare.ts";
export { type ScheduleReminder, scheduleReminder } from "./reminders.ts";
export * from "./report.ts";
export * from "./request.ts";
export { askAnewPauseMs, type RequestResend, requestResend } from "./resending.ts";
export * from "./seal.ts";
export * from "./shown-name.ts";
export * from "./sign.ts";
export * from "./state.ts";
export { type ClaimedFor, isTurnToBeClaimed, recordQueued, recordTurnCome } from "./turns.ts";

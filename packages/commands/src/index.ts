// Carries commands out: loads a stream, decides, appends, tries again; and what takes several streams, step by step.
// It must not decide anything itself, nor read a read model.

export {
  acceptBulk,
  type BulkOutcome,
  type BulkStores,
  type BulkToAccept,
  continueBulk,
  forgetBulkRows,
} from "./accept-bulk.ts";
export {
  type AcceptedDocument,
  acceptDocument,
  acceptedDocument,
  type DocumentToAccept,
  type SignerToAccept,
} from "./accept-document.ts";
export { type BulkCall, type BulkRow, bulkDocumentId } from "./bulk-rows.ts";
export { commitLogHead, HeadContradicted, type HeadDependencies, type SignHead } from "./commit-log-head.ts";
export { type Continuity, createContinuity, holdsEnd, StreamCut } from "./continuity.ts";
export { carryOutErasures } from "./erasure/carry-out.ts";
export { type ErasureStores, eraseDocument, forgetDocument } from "./erasure/erase-document.ts";
export { createErasureWatch, type ErasureWatch } from "./erasure/watch.ts";
export { adoptFormerLines } from "./former-lines.ts";
export { createHandlers, type Handlers, stepOf } from "./handlers.ts";
export { giveLine, takeOffNeverRequested } from "./phone-lines.ts";
export { receiveNotices } from "./receive-notices.ts";
export { type AccountToSetUp, setUpAccount } from "./set-up-account.ts";
export { type Handled, StreamHandler } from "./stream-handler.ts";
export {
  announceTurn,
  claimAnew,
  claimTurnById,
  leaveFormerLines,
  releaseTurn,
  releaseTurnIfDue,
  type TurnOutcome,
} from "./turns.ts";

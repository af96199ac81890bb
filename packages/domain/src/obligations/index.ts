export * from "./all-kinds.ts";
export { type BulkObligationsRecord, bulkObligationsRecordId, evolveBulkObligations } from "./bulk.ts";
export { documentKinds, PREPARATION_ATTEMPTS, renewalDueAt, TIMESTAMP_ATTEMPTS } from "./document-kinds.ts";
export {
  evolveHeadsObligations,
  type HeadsObligationsRecord,
  headsObligationsRecordId,
} from "./heads.ts";
export {
  evolveNoticesObligations,
  type NoticesObligationsRecord,
  noticesObligationsRecordId,
} from "./notices.ts";
export * from "./obligations.ts";
export type {
  AnyPublishedObligation,
  Obligation,
  ObligationsRecord,
  ObligingEvent,
  PublishedBulkObligation,
  PublishedHeadsObligation,
  PublishedNoticesObligation,
  PublishedObligation,
} from "./record.ts";
export { setAside } from "./record.ts";
export * from "./signer-kinds.ts";
export { type OwedWebhook, receiverOf, webhookOwedFor, webhookRetries } from "./webhooks.ts";

export { type BulkObligationsRecord, bulkObligationsRecordId, evolveBulkObligations } from "./bulk.ts";
export { evolveObligations, obligationsRecordId } from "./obligations.ts";
export type {
  Obligation,
  ObligationKind,
  ObligationsRecord,
  ObligingEvent,
  PublishedBulkObligation,
  PublishedObligation,
} from "./record.ts";
export { obligationSubject } from "./record.ts";

export { evolveObligations, obligationsRecordId } from "./obligations.ts";
export type {
  Obligation,
  ObligationKind,
  ObligationsRecord,
  ObligingEvent,
} from "./record.ts";

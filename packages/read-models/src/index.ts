export { csvHeader, csvLine, csvRow } from "./analytics/csv.ts";
export {
  type Field,
  type FieldType,
  type Row,
  type Rows,
  snakeCase,
  type Table,
  type Value,
} from "./analytics/field.ts";
export { countFunnel, type FunnelGroup, type FunnelGroupBy, funnelGroups } from "./analytics/funnel.ts";
export { ANALYTICS_FIELD, type AnalyticsRecord, analyticsWithin } from "./analytics/record.ts";
export { signerRowsOf } from "./analytics/rows.ts";
export { analyticTables } from "./analytics/tables.ts";
export { SnapshotFile } from "./embedded/snapshot.ts";
export { openEmbeddedReadModelStore } from "./embedded/store.ts";
export { type CheckpointFreshness, createFreshness, type Freshness } from "./freshness.ts";
export { lowestCheckpoint } from "./lowest-checkpoint.ts";
export * from "./port.ts";
export type { Projection } from "./projection.ts";
export * from "./projections/index.ts";
export { anyQuarantined, quarantined, unnamedOf } from "./quarantined.ts";
export { ANY_SET_ASIDE_ID, type SetAsideRecord, setAsideChanges, setAsideIdOf, setAsideIn } from "./set-aside.ts";
export { ProjectorBehindError, TailedRecords, type TailedRecordsOptions } from "./tailed-records.ts";

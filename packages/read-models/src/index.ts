// Read models: the projections, and the port that keeps their records; the engines beside it, MongoDB's at `/mongodb`.
// It must not append events or send anything: all of it can be deleted and built anew.

export { csvHeader, csvLine, csvRow } from "./analytics/csv.ts";
export { startOfDay } from "./analytics/days.ts";
export {
  type Field,
  type FieldType,
  type Row,
  type Rows,
  snakeCase,
  type Table,
  type Value,
} from "./analytics/field.ts";
export { type FunnelGroup, type FunnelGroupBy, type FunnelQuestion, funnelGroups } from "./analytics/funnel.ts";
export type { AnalyticsRecord } from "./analytics/record.ts";
export { analyticTables } from "./analytics/tables.ts";
export { SnapshotFile } from "./embedded/snapshot.ts";
export { openEmbeddedReadModelStore } from "./embedded/store.ts";
export { type CheckpointFreshness, createFreshness, type Freshness } from "./freshness.ts";
export type { LogEntry, LogEntryName } from "./log-entries.ts";
export { lowestCheckpoint } from "./lowest-checkpoint.ts";
export { Pace } from "./pace.ts";
export * from "./port.ts";
export type { Projection } from "./projection.ts";
export * from "./projections/index.ts";
export { anyQuarantined, quarantined, unnamedOf } from "./quarantined.ts";
export { ANY_SET_ASIDE_ID, type SetAsideRecord, setAsideChanges, setAsideIdOf, setAsideIn } from "./set-aside.ts";
export { ProjectorBehindError, TailedRecords, type TailedRecordsOptions } from "./tailed-records.ts";

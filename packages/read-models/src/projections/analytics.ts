import { obligationsRecordId } from "@rubrica/domain";
import { ANALYTICS_FIELD, type AnalyticsRecord, recordAfter, requestedRecord } from "../analytics/record.ts";
import { rowsOf } from "../analytics/rows.ts";
import { analyticTables } from "../analytics/tables.ts";
import type { Projection } from "../projection.ts";

/** What analysts ask: a record a document, of which the rows of all tables follow. */
export const analytics: Projection<AnalyticsRecord> = {
  name: "analytics",
  version: 4,
  indexes: [{ field: ANALYTICS_FIELD }],
  tables: Object.values(analyticTables),
  keysOf: (event) => {
    const id =
      event.streamKind === "document" || event.streamKind === "delivery" ? obligationsRecordId(event) : undefined;
    return id === undefined ? [] : [id];
  },
  project: (record, event) => {
    if (event.type === "DocumentRequested") return record ?? requestedRecord(event);
    return record && recordAfter(record, event);
  },
  sparse: true,
  gathered: true,
  rowsOf,
};

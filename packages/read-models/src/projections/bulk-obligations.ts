import { type BulkObligationsRecord, bulkObligationsRecordId, evolveBulkObligations } from "@rubrica/domain";
import type { Projection } from "../projection.ts";
import { OBLIGATIONS_DUE_FIELD } from "./obligations.ts";

/** A bulk call's obligations as they are kept. Its id is the bulk call's. */
export type BulkObligationsDocument = Pick<BulkObligationsRecord, keyof BulkObligationsRecord>;

/** What still has to be done for each bulk call, from its own events and its rows' documents'. */
export const bulkObligations: Projection<BulkObligationsDocument> = {
  name: "bulk-obligations",
  indexes: [{ field: OBLIGATIONS_DUE_FIELD }],
  keysOf: (event) => {
    const id = bulkObligationsRecordId(event);
    return id === undefined ? [] : [id];
  },
  project: (record, event) => evolveBulkObligations(record, event),
};

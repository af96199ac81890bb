import {
  type BulkObligationsRecord,
  bulkObligationKinds,
  bulkObligationsRecordId,
  evolveBulkObligations,
  setAside,
} from "@rubrica/domain";
import type { Projection } from "../projection.ts";
import { type OwingCollection, owedIndexes, owedParts } from "./owed.ts";

/** A bulk call's obligations as they are kept. Its id is the bulk call's. */
export type BulkObligationsDocument = Pick<BulkObligationsRecord, keyof BulkObligationsRecord>;

/** What still has to be done for each bulk call, from its own events and its rows' documents'. */
export const bulkObligations: Projection<BulkObligationsDocument> & OwingCollection = {
  name: "bulk-obligations",
  version: 4,
  kinds: bulkObligationKinds,
  indexes: owedIndexes,
  keysOf: (event) => {
    const id = bulkObligationsRecordId(event);
    return id === undefined ? [] : [id];
  },
  project: (record, event) => evolveBulkObligations(record, event),
  partsOf: (record) => owedParts({ bulkId: record.bulkId }, record),
  setAside: {
    keysOf: ({ streamKind, streamId }) => (streamKind === "bulk" ? [streamId] : []),
    project: (record) => record && setAside(record),
  },
};

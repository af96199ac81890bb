import {
  evolveNoticesObligations,
  type NoticesObligationsRecord,
  noticesObligationKinds,
  noticesObligationsRecordId,
  setAside,
} from "@rubrica/domain";
import type { Projection } from "../projection.ts";
import { type OwingCollection, owedIndexes, owedParts } from "./owed.ts";

/** What is owed for notices that came together, until they are handled. Its id is their stream's. */
export type NoticesObligationsDocument = Pick<NoticesObligationsRecord, keyof NoticesObligationsRecord>;

/** The notices of messaging providers that still have to be handled. */
export const noticesObligations: Projection<NoticesObligationsDocument> & OwingCollection = {
  name: "notices-obligations",
  version: 2,
  kinds: noticesObligationKinds,
  indexes: owedIndexes,
  keysOf: (event) => {
    const id = noticesObligationsRecordId(event);
    return id === undefined ? [] : [id];
  },
  project: (record, event) => evolveNoticesObligations(record, event),
  setAside: {
    keysOf: ({ streamKind, streamId }) => (streamKind === "notices" ? [streamId] : []),
    project: (record) => record && setAside(record),
  },
  partsOf: (record) => owedParts({ noticesId: record.noticesId }, record),
};

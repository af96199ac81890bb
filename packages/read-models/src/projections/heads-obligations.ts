import {
  evolveHeadsObligations,
  type HeadsObligationsRecord,
  headsObligationKinds,
  headsObligationsRecordId,
  setAside,
} from "@rubrica/domain";
import type { Projection } from "../projection.ts";
import { type OwingCollection, owedIndexes, owedParts } from "./owed.ts";

/** What is owed of the log as a whole. Its id is the stream's of heads. */
export type HeadsObligationsDocument = Pick<HeadsObligationsRecord, keyof HeadsObligationsRecord>;

/** That a head of the log is to be committed, since it changed. */
export const headsObligations: Projection<HeadsObligationsDocument> & OwingCollection = {
  name: "heads-obligations",
  version: 1,
  kinds: headsObligationKinds,
  indexes: owedIndexes,
  sparse: true,
  keysOf: (event) => [headsObligationsRecordId(event)],
  project: (record, event) => evolveHeadsObligations(record, event),
  setAside: {
    keysOf: ({ streamKind, streamId }) => (streamKind === "heads" ? [streamId] : []),
    project: (record) => record && setAside(record),
  },
  partsOf: (record) => owedParts({ headsId: record.headsId }, record),
};

import {
  documentObligationKinds,
  evolveObligations,
  type ObligationsRecord,
  obligationsRecordId,
  setAside,
} from "@rubrica/domain";
import type { Projection } from "../projection.ts";
import { type OwingCollection, owedIndexes, owedParts } from "./owed.ts";

/** A document's obligations as they are kept. Its id is the document's. */
export type ObligationsDocument = Pick<ObligationsRecord, keyof ObligationsRecord>;

/** What still has to be done for each document, from its own events, its signers' phone lines and its deliveries. */
export const obligations: Projection<ObligationsDocument> & OwingCollection = {
  name: "obligations",
  version: 18,
  kinds: documentObligationKinds,
  indexes: owedIndexes,
  keysOf: (event) => {
    const id = obligationsRecordId(event);
    return id === undefined ? [] : [id];
  },
  project: (record, event) => evolveObligations(record, event),
  partsOf: (record) => owedParts({ documentId: record.documentId }, record),
  setAside: {
    keysOf: ({ streamKind, streamId }) => (streamKind === "document" ? [streamId] : []),
    project: (record) => record && setAside(record),
  },
};

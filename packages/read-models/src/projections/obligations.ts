import { evolveObligations, type ObligationsRecord, obligationsRecordId } from "@rubrica/domain";
import type { Projection } from "../projection.ts";

/** A document's obligations as they are kept. Its id is the document's. */
export type ObligationsDocument = Pick<ObligationsRecord, keyof ObligationsRecord>;

/** The index by which what is due is found: null, and so not found, where nothing is owed. */
export const OBLIGATIONS_DUE_FIELD = "nextDueAt";

/** What still has to be done for each document, from its own events, its signers' phone lines and its deliveries. */
export const obligations: Projection<ObligationsDocument> = {
  name: "obligations",
  indexes: [{ field: OBLIGATIONS_DUE_FIELD }],
  keysOf: (event) => {
    const id = obligationsRecordId(event);
    return id === undefined ? [] : [id];
  },
  project: (record, event) => evolveObligations(record, event),
};

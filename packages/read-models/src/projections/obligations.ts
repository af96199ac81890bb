import {
  type BulkObligationsRecord,
  bulkObligationsRecordId,
  evolveBulkObligations,
  evolveHeadsObligations,
  evolveNoticesObligations,
  evolveObligations,
  type HeadsObligationsRecord,
  headsObligationsRecordId,
  type NoticesObligationsRecord,
  noticesObligationsRecordId,
  type ObligationsRecord,
  obligationKindsOf,
  obligationsRecordId,
  setAside,
} from "@rubrica/domain";
import type { JournalEvent } from "@rubrica/journal";
import type { Projection } from "../projection.ts";
import { type ObligationOwner, type ObligationsCollection, type OwnerRecord, owedIndexes, owedParts } from "./owed.ts";

/** A document's obligations as they are kept. */
export type ObligationsDocument = Pick<ObligationsRecord, keyof ObligationsRecord>;

/** A projection of what is owed by those whose streams are of a kind. A record's id is its owner's. */
const obligationsOf = <Owner extends OwnerRecord>(
  owner: keyof typeof obligationKindsOf,
  ownerOf: (record: Owner) => ObligationOwner,
  recordIdOf: (event: JournalEvent) => string | undefined,
  evolve: (record: Owner | null, event: JournalEvent) => Owner | null,
): Omit<Projection<Owner> & ObligationsCollection, "name" | "version"> => ({
  kinds: obligationKindsOf[owner],
  indexes: owedIndexes,
  keysOf: (event) => {
    const id = recordIdOf(event);
    return id === undefined ? [] : [id];
  },
  project: (record, event) => evolve(record, event),
  partsOf: (record) => owedParts(ownerOf(record), record),
  setAside: {
    keysOf: ({ streamKind, streamId }) => (streamKind === owner ? [streamId] : []),
    project: (record) => record && setAside(record),
  },
});

/** What still has to be done for each document, from its own events, its signers' phone lines and its deliveries. */
export const obligations: Projection<ObligationsDocument> & ObligationsCollection = {
  name: "obligations",
  version: 18,
  ...obligationsOf<ObligationsDocument>(
    "document",
    ({ documentId }) => ({ documentId }),
    obligationsRecordId,
    evolveObligations,
  ),
};

/** What still has to be done for each bulk call, from its own events and its rows' documents'. */
export const bulkObligations: Projection<BulkObligationsRecord> & ObligationsCollection = {
  name: "bulk-obligations",
  version: 4,
  ...obligationsOf<BulkObligationsRecord>(
    "bulk",
    ({ bulkId }) => ({ bulkId }),
    bulkObligationsRecordId,
    evolveBulkObligations,
  ),
};

/** The notices of messaging providers that came together and still have to be handled. */
export const noticesObligations: Projection<NoticesObligationsRecord> & ObligationsCollection = {
  name: "notices-obligations",
  version: 2,
  ...obligationsOf<NoticesObligationsRecord>(
    "notices",
    ({ noticesId }) => ({ noticesId }),
    noticesObligationsRecordId,
    evolveNoticesObligations,
  ),
};

/** That a head of the log is to be committed, since it changed. */
export const headsObligations: Projection<HeadsObligationsRecord> & ObligationsCollection = {
  name: "heads-obligations",
  version: 1,
  sparse: true,
  ...obligationsOf<HeadsObligationsRecord>(
    "heads",
    ({ headsId }) => ({ headsId }),
    headsObligationsRecordId,
    evolveHeadsObligations,
  ),
};

/** The collections whose parts are open obligations: what the publisher goes through. */
export const obligationsCollections: readonly ObligationsCollection[] = [
  obligations,
  bulkObligations,
  noticesObligations,
  headsObligations,
];

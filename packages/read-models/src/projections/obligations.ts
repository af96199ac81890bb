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
import { type OwedOwner, type OwingCollection, type OwingRecord, owedIndexes, owedParts } from "./owed.ts";

/** A document's obligations as they are kept. */
export type ObligationsDocument = Pick<ObligationsRecord, keyof ObligationsRecord>;

/** A projection of what is owed by those whose streams are of a kind. A record's id is its owner's. */
const owing = <Owing extends OwingRecord>(
  owner: keyof typeof obligationKindsOf,
  ownerOf: (record: Owing) => OwedOwner,
  recordIdOf: (event: JournalEvent) => string | undefined,
  evolve: (record: Owing | null, event: JournalEvent) => Owing | null,
): Omit<Projection<Owing> & OwingCollection, "name" | "version"> => ({
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
export const obligations: Projection<ObligationsDocument> & OwingCollection = {
  name: "obligations",
  version: 18,
  ...owing<ObligationsDocument>(
    "document",
    ({ documentId }) => ({ documentId }),
    obligationsRecordId,
    evolveObligations,
  ),
};

/** What still has to be done for each bulk call, from its own events and its rows' documents'. */
export const bulkObligations: Projection<BulkObligationsRecord> & OwingCollection = {
  name: "bulk-obligations",
  version: 4,
  ...owing<BulkObligationsRecord>("bulk", ({ bulkId }) => ({ bulkId }), bulkObligationsRecordId, evolveBulkObligations),
};

/** The notices of messaging providers that came together and still have to be handled. */
export const noticesObligations: Projection<NoticesObligationsRecord> & OwingCollection = {
  name: "notices-obligations",
  version: 2,
  ...owing<NoticesObligationsRecord>(
    "notices",
    ({ noticesId }) => ({ noticesId }),
    noticesObligationsRecordId,
    evolveNoticesObligations,
  ),
};

/** That a head of the log is to be committed, since it changed. */
export const headsObligations: Projection<HeadsObligationsRecord> & OwingCollection = {
  name: "heads-obligations",
  version: 1,
  sparse: true,
  ...owing<HeadsObligationsRecord>(
    "heads",
    ({ headsId }) => ({ headsId }),
    headsObligationsRecordId,
    evolveHeadsObligations,
  ),
};

/** The collections whose parts are open obligations: what the publisher goes through. */
export const owingCollections: readonly OwingCollection[] = [
  obligations,
  bulkObligations,
  noticesObligations,
  headsObligations,
];

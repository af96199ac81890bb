import type { AnyPublishedObligation, Obligation, ObligationKind } from "@rubrica/domain";
import type { Collection, ReadModelDocument } from "../port.ts";

/** An open obligation as a record of its own, beside the record of what owes it: what a subscriber is given of it. */
export type OpenObligationRecord = AnyPublishedObligation & {
  /** What it is found by: {@link owedKey}. */
  due: string;
};

/** A collection whose parts are {@link OpenObligationRecord}s of these kinds. */
export interface ObligationsCollection extends Collection {
  readonly kinds: readonly ObligationKind[];
}

/** The index by which what is due is found. */
export const OWED_FIELD = "due";
/** The index by which what was opened by a clock that was fast is found. */
export const OWED_SINCE_FIELD = "obligation.since";

/** The indexes of an {@link ObligationsCollection}. */
export const owedIndexes = [{ field: OWED_FIELD }, { field: OWED_SINCE_FIELD }];

/** Sorts after every character of a key: `prefix + LAST` is the end of the keys that begin with the prefix. */
export const LAST = "~";

/**
 * Whom the publisher serves with an obligation: its account, and among webhooks each receiver of it, so that one
 * that is slow or dead holds up no other.
 */
export const laneOf = ({ accountId, obligation }: Pick<OpenObligationRecord, "accountId" | "obligation">): string =>
  obligation.receiver ? `${accountId}.${obligation.receiver}` : accountId;

/**
 * `{kind}/{lane}/{due time}/{obligation}`, or the beginning of it: cursors go through it kind by kind, {@link laneOf lane}
 * by lane, and, within a lane, by time.
 */
export const owedKey = (kind: ObligationKind, ...rest: readonly string[]): string => [kind, ...rest].join("/");

const PREFIX = "owed/";

/** The id of an obligation's record: no document's, nor bulk call's. */
export const owedId = (obligationId: string): string => `${PREFIX}${obligationId}`;

/** Whose record an id is of; undefined when it is a document's, or a bulk call's. */
export const obligationIdOf = (owedRecordId: string): string | undefined =>
  owedRecordId.startsWith(PREFIX) ? owedRecordId.slice(PREFIX.length) : undefined;

/** Who owes something, by their id. */
export type ObligationOwner = { documentId: string } | { bulkId: string } | { noticesId: string } | { headsId: string };

/** What the record of each owner has. */
export type OwnerRecord = { accountId: string; open: readonly Obligation[]; setAside: boolean };

/** The records of what is open. */
export const owedParts = (
  owner: ObligationOwner,
  { accountId, open }: OwnerRecord,
): { id: string; document: ReadModelDocument }[] =>
  open.map((obligation) => {
    const { id, kind, dueAt } = obligation;
    const lane = laneOf({ accountId, obligation });
    const document: OpenObligationRecord = { ...owner, accountId, obligation, due: owedKey(kind, lane, dueAt, id) };
    return { id: owedId(id), document };
  });

import { HEADS_ID, NOBODYS_ACCOUNT } from "@rubrica/events";
import { HOUR_MS } from "./kind.ts";
import { fresh, type Obligation, type ObligingEvent } from "./record.ts";

const KIND = "commit-heads";

/** What is owed of the log as a whole. */
export const headsKinds = { [KIND]: {} };

/** The open obligation to commit a head of the log. JSON; names no person. */
export type HeadsObligationsRecord = {
  headsId: string;
  accountId: string;
  /** What is told of heads can't be read: nothing is owed. */
  setAside: boolean;
  open: readonly Obligation[];
};

/** Every event is of the one record: each of them changes the log. */
export const headsObligationsRecordId = (_event: ObligingEvent): string => HEADS_ID;

const NO_HEADS: HeadsObligationsRecord = {
  headsId: HEADS_ID,
  accountId: NOBODYS_ACCOUNT,
  setAside: false,
  open: [],
};

const owed = ({ id, metadata: { at } }: ObligingEvent, delayMs: number): Obligation => {
  const dueAt = new Date(Date.parse(at) + delayMs).toISOString();
  return { ...fresh, id: `${id}:${KIND}`, kind: KIND, signerId: null, dueAt, since: at };
};

/** Open from the first change on, due an hour after it; the same record for those that follow. */
const changed = (record: HeadsObligationsRecord, event: ObligingEvent): HeadsObligationsRecord =>
  record.open.length > 0 ? record : { ...record, open: [owed(event, HOUR_MS)] };

const requested = (record: HeadsObligationsRecord, event: ObligingEvent): HeadsObligationsRecord => {
  const now = owed(event, 0);
  const { dueAt, since } = now;
  return { ...record, open: record.open.length > 0 ? record.open.map((one) => ({ ...one, dueAt, since })) : [now] };
};

/**
 * The record after one more event: the same object where it is as it was. Pure; apply each event once. `wentOn`: there are
 * events between the last one that the head covers and the head itself; the next head covers them.
 */
export const evolveHeadsObligations = (
  before: HeadsObligationsRecord | null,
  event: ObligingEvent,
): HeadsObligationsRecord => {
  const record = before ?? NO_HEADS;
  if (record.setAside) return record;
  switch (event.type) {
    case "HeadsCommitted":
      return { ...record, open: event.data.wentOn ? [owed(event, HOUR_MS)] : [] };
    case "HeadRequested":
      return requested(record, event);
    default:
      return event.streamKind === "heads" ? record : changed(record, event);
  }
};

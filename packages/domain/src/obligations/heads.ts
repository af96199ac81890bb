import { HEADS_ID, NOBODYS_ACCOUNT } from "@rubrica/events";
import { fresh, type Obligation, type ObligingEvent } from "./record.ts";

const HOUR_MS = 3_600_000;
const KIND = "commit-heads";

/** The open obligation to commit a head of the log. JSON; names no person. */
export type HeadsObligationsRecord = {
  headsId: string;
  accountId: string;
  /** What is told of heads can't be read: nothing is owed. */
  setAside: boolean;
  /** The last event of another stream, by its place. */
  lastChange: string | null;
  /** The last change that the newest head is over, as it says. */
  covered: string | null;
  open: readonly Obligation[];
};

/** An event with its place in its stream. */
export type PlacedEvent = ObligingEvent & { stream: string; revision: bigint };

/** All events are of the one record: whichever it is, the log has changed. */
export const headsObligationsRecordId = (_event: ObligingEvent): string => HEADS_ID;

/** Before the first event. */
export const NO_HEADS: HeadsObligationsRecord = {
  headsId: HEADS_ID,
  accountId: NOBODYS_ACCOUNT,
  setAside: false,
  lastChange: null,
  covered: null,
  open: [],
};

const placeOf = ({ stream, revision }: { stream: string; revision: bigint | number }): string =>
  `${stream}@${revision}`;

const owed = ({ id, metadata: { at } }: ObligingEvent, delayMs: number): Obligation => {
  const dueAt = new Date(Date.parse(at) + delayMs).toISOString();
  return { ...fresh, id: `${id}:${KIND}`, kind: KIND, signerId: null, dueAt, since: at };
};

/** Open from the first change on, due an hour after it. */
const changed = (record: HeadsObligationsRecord, event: PlacedEvent): HeadsObligationsRecord => ({
  ...record,
  lastChange: placeOf(event),
  open: record.open.length > 0 ? record.open : [owed(event, HOUR_MS)],
});

const requested = (record: HeadsObligationsRecord, event: ObligingEvent): HeadsObligationsRecord => {
  const now = owed(event, 0);
  const { dueAt, since } = now;
  return { ...record, open: record.open.length > 0 ? record.open.map((one) => ({ ...one, dueAt, since })) : [now] };
};

/**
 * What came between a head's place in the log and the head itself is for the next one. One that is over the same changes
 * as the last closes it anyway: what it does not name can't be read, and heads are not to follow each other for nothing.
 */
const committed = (
  record: HeadsObligationsRecord,
  event: Extract<PlacedEvent, { type: "HeadsCommitted" }>,
): HeadsObligationsRecord => {
  const { lastChange } = event.data;
  const covered = lastChange && placeOf(lastChange);
  const isOver = covered === record.lastChange || covered === record.covered;
  return { ...record, covered, open: isOver ? [] : [owed(event, HOUR_MS)] };
};

/** The record after one more event. Pure; apply each event once. */
export const evolveHeadsObligations = (
  before: HeadsObligationsRecord | null,
  event: PlacedEvent,
): HeadsObligationsRecord => {
  const record = before ?? NO_HEADS;
  if (record.setAside) return record;
  switch (event.type) {
    case "HeadsCommitted":
      return committed(record, event);
    case "HeadRequested":
      return requested(record, event);
    default:
      return event.streamKind === "heads" ? record : changed(record, event);
  }
};

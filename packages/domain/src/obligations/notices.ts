import { retriedForever } from "../backoff.ts";
import { type AttemptPolicy, DAY_MS } from "./kind.ts";
import { fresh, type Obligation, type ObligingEvent } from "./record.ts";

/** What is owed for notices that were received. */
export const noticesKinds = {
  "handle-notices": {
    // Where their message is unknown: it is known some milliseconds after its sending was recorded, unless the projection stands still.
    retries: retriedForever([2, "s"], [10, "s"], [1, "min"], [5, "min"], [30, "min"], [2, "h"], [6, "h"]),
    // Bounded in all, not by account: a provider tells of all accounts' messages together.
    limits: { inAll: 128, anAccount: 128 },
  },
} satisfies Readonly<Record<string, AttemptPolicy>>;

/** So long a notice waits for its message to be recorded. Then it is taken for one of a message that is not ours, and dropped. */
export const UNMATCHED_MS = 7 * DAY_MS;

/** The open obligation to handle notices that came together. JSON; names no person. */
export type NoticesObligationsRecord = {
  noticesId: string;
  accountId: string;
  /** What is told of them can't be read: nothing is owed. */
  setAside: boolean;
  open: readonly Obligation[];
};

/** Which notices' record an event belongs to, or undefined when it is of none. */
export const noticesObligationsRecordId = (event: ObligingEvent): string | undefined =>
  event.streamKind === "notices" ? event.streamId : undefined;

const received = ({ id, streamId, metadata: { at, accountId } }: ObligingEvent): NoticesObligationsRecord => {
  const kind = "handle-notices";
  const open = [{ ...fresh, id: `${id}:${kind}`, kind, signerId: null, dueAt: at, since: at } as const];
  return { noticesId: streamId, accountId, setAside: false, open };
};

/** Notices' record after one more event, or null when nothing is left to do. Pure; apply each event once. */
export const evolveNoticesObligations = (
  record: NoticesObligationsRecord | null,
  event: ObligingEvent,
): NoticesObligationsRecord | null => {
  if (record?.setAside) return record;
  switch (event.type) {
    case "NoticesReceived":
      return record ?? received(event);
    case "NoticesPostponed": {
      const { attempt: attempts, nextAttemptAt: dueAt } = event.data;
      const postponed = { attempts, dueAt, since: event.metadata.at, reason: "unknown_message" };
      return record && { ...record, open: record.open.map((one) => ({ ...one, ...postponed })) };
    }
    case "NoticesHandled":
      return null;
    default:
      return record;
  }
};

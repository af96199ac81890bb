import type { Medium, Notice, NoticesEvent } from "@rubrica/events";
import { retryAt } from "./backoff.ts";
import { DomainError, type Fold } from "./decider.ts";
import { noticesKinds, UNMATCHED_MS } from "./obligations/notices.ts";

/** What a messaging provider told in one go: `notices` come together and are handled together. */
export type ReceivedNotices =
  | { status: "none" }
  | {
      status: "received" | "handled";
      /** Whose provider told them. */
      medium: Medium;
      notices: readonly Notice[];
      /** UTC, ISO 8601: what matches nothing is dropped from then on. */
      unmatchedUntil: string;
      /** How often they were handled so far. */
      attempts: number;
    };

const evolve = (received: ReceivedNotices, event: NoticesEvent): ReceivedNotices => {
  if (event.type === "NoticesReceived") {
    return received.status === "none" ? { status: "received", attempts: 0, ...event.data } : received;
  }
  if (received.status === "none") return received;
  const { attempt } = event.data;
  // Handled once, nothing is left of what they said: their documents have it.
  return event.type === "NoticesHandled"
    ? { ...received, status: "handled", notices: [], attempts: attempt }
    : { ...received, attempts: attempt };
};

/** Received notices as their stream tells of them. */
export const receivedNoticesFold: Fold<ReceivedNotices, NoticesEvent> = { initial: { status: "none" }, evolve };

/**
 * Keeps notices, before the provider is answered; once. `now`: milliseconds since the UNIX epoch.
 */
export const keepNotices = (
  received: ReceivedNotices,
  { medium, notices, now }: { medium: Medium; notices: readonly Notice[]; now: number },
): NoticesEvent[] => {
  if (received.status !== "none") return [];
  const unmatchedUntil = new Date(now + UNMATCHED_MS).toISOString();
  return [{ type: "NoticesReceived", data: { medium, notices: [...notices], unmatchedUntil }, personal: null }];
};

/** What came of handling notices. `now` in milliseconds since the UNIX epoch, `jitter` a fraction in [0, 1). */
export interface NoticesOutcome {
  /** Whose message was found; their documents have taken note of them. */
  recorded: number;
  /** Whose message nobody knows. */
  unmatched: number;
  now: number;
  jitter: number;
}

/**
 * All notices are handled when each has its document, or when the time of those that have none is over; until then they
 * are looked up again, after growing pauses. Nothing when they were handled already.
 * @throws {DomainError} unknown_notices when they were not kept.
 */
export const recordNoticesOutcome = (
  received: ReceivedNotices,
  { recorded, unmatched, now, jitter }: NoticesOutcome,
): NoticesEvent[] => {
  if (received.status === "none") throw new DomainError("unknown_notices", "there are no such notices");
  if (received.status === "handled") return [];
  const attempt = received.attempts + 1;
  const endsAt = Date.parse(received.unmatchedUntil);
  if (unmatched === 0 || now >= endsAt) {
    return [{ type: "NoticesHandled", data: { attempt, recorded, dropped: unmatched }, personal: null }];
  }
  const againAt = Date.parse(retryAt(noticesKinds["handle-notices"].retries, { attempt, now, jitter }));
  const nextAttemptAt = new Date(Math.min(againAt, endsAt)).toISOString();
  return [{ type: "NoticesPostponed", data: { attempt, recorded, unmatched, nextAttemptAt }, personal: null }];
};

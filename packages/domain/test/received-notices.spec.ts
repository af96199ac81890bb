import { type DomainEvent, type Notice, type NoticesEvent, sample } from "@rubrica/events";
import { describe, expect, test } from "vitest";
import {
  evolveNoticesObligations,
  keepNotices,
  noticesObligationsRecordId,
  type ObligingEvent,
  receivedNoticesFold,
  recordNoticesOutcome,
  setAside,
} from "../src/index.ts";
import { given as givenFold } from "../src/testing.ts";

const given = (...history: NoticesEvent[]) => givenFold(receivedNoticesFold, ...history);
const NOW = Date.parse("2026-11-21T15:00:00.000Z");
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const notices: Notice[] = [
  { providerMessageId: "wamid.1", messageId: null, at: sample.at, kind: "delivered" },
  { providerMessageId: "wamid.2", messageId: "m:1", at: sample.at, kind: "answered", answer: "continue" },
];
const received: NoticesEvent = {
  type: "NoticesReceived",
  data: { medium: "wpp", notices, unmatchedUntil: "2026-11-28T15:00:00.000Z" },
  personal: null,
};
const postponed = (attempt: number, nextAttemptAt: string, recorded = 1): NoticesEvent => ({
  type: "NoticesPostponed",
  data: { attempt, recorded, unmatched: 2 - recorded, nextAttemptAt },
  personal: null,
});
const handled = (attempt: number, recorded: number, dropped: number): NoticesEvent => ({
  type: "NoticesHandled",
  data: { attempt, recorded, dropped },
  personal: null,
});
const outcome = (recorded: number, now: number, jitter = 0) => ({ recorded, unmatched: 2 - recorded, now, jitter });

describe("notices that came together", () => {
  test("are kept, once", () => {
    given().when(keepNotices, { medium: "wpp", notices, now: NOW }).then(received);
    given(received).when(keepNotices, { medium: "wpp", notices, now: NOW }).then();
    given(received, handled(1, 2, 0))
      .when(keepNotices, { medium: "wpp", notices, now: NOW })
      .then();
  });
  test("are handled when each has its document, once", () => {
    given(received)
      .when(recordNoticesOutcome, outcome(2, NOW))
      .then(handled(1, 2, 0));
    given(received, handled(1, 2, 0))
      .when(recordNoticesOutcome, outcome(2, NOW))
      .then();
  });
  test("are looked up again after growing pauses, while one of them matches nothing", () => {
    const next = (attempts: number, now = NOW, jitter = 0) => {
      const history = Array.from({ length: attempts }, (_, index) => postponed(index + 1, sample.at));
      const [event] = recordNoticesOutcome(
        [received, ...history].reduce(receivedNoticesFold.evolve, receivedNoticesFold.initial),
        outcome(1, now, jitter),
      );
      return event?.type === "NoticesPostponed" ? Date.parse(event.data.nextAttemptAt) - now : event;
    };
    expect([0, 1, 2, 3, 4, 5, 6, 7, 30].map((attempts) => next(attempts))).toEqual(
      [1 / 30, 1 / 6, 1, 5, 30, 120, 360, 360, 360].map((minutes) => minutes * MINUTE),
    );
    expect(next(0, NOW, 0.5)).toBe(2_100);
    // The last look is at the end of the time, not beyond it.
    expect(next(30, NOW + 7 * DAY - MINUTE)).toBe(MINUTE);
  });
  test("of no known message are dropped after seven days, and counted", () => {
    const history = [received, postponed(1, sample.at)];
    given(...history)
      .when(recordNoticesOutcome, outcome(1, NOW + 7 * DAY - 1))
      .then(postponed(2, "2026-11-28T15:00:00.000Z"));
    given(...history)
      .when(recordNoticesOutcome, outcome(1, NOW + 7 * DAY))
      .then(handled(2, 1, 1));
    given(received)
      .when(recordNoticesOutcome, outcome(0, NOW + 7 * DAY))
      .then(handled(1, 0, 2));
  });
  test("that were never kept are not handled", () => {
    given().when(recordNoticesOutcome, outcome(2, NOW)).fails("unknown_notices");
  });
});

describe("what is owed for notices", () => {
  const noticesId = "n-1";
  const recorded = (event: DomainEvent, index: number): ObligingEvent => ({
    ...event,
    id: `e${index + 1}`,
    streamKind: "notices",
    streamId: noticesId,
    metadata: { at: `2026-11-21T15:0${index + 1}:00.000Z`, accountId: "provider" },
  });
  const after = (...history: DomainEvent[]) => history.map(recorded).reduce(evolveNoticesObligations, null);
  const obligation = {
    id: "e1:handle-notices",
    kind: "handle-notices",
    signerId: null,
    webhookType: null,
    dueAt: "2026-11-21T15:01:00.000Z",
    since: "2026-11-21T15:01:00.000Z",
    attempts: 0,
    reason: null,
  } as const;
  const record = { noticesId, accountId: "provider", setAside: false };

  test("is handling them, at once", () => {
    expect(after(received)).toEqual({ ...record, open: [obligation] });
  });
  test("is looking them up again, as the same obligation", () => {
    const dueAt = "2026-11-21T15:09:00.000Z";
    const since = "2026-11-21T15:02:00.000Z";
    expect(after(received, postponed(1, dueAt))).toEqual({
      ...record,
      open: [{ ...obligation, dueAt, since, attempts: 1, reason: "unknown_message" }],
    });
  });
  test("is nothing once they were handled, and no record is left", () => {
    expect(after(received, handled(1, 2, 0))).toBeNull();
    expect(after(received, postponed(1, sample.at), handled(2, 1, 1))).toBeNull();
  });
  test("is nothing where they can't be read", () => {
    const set = setAside(after(received) ?? { ...record, open: [] });
    expect(set).toMatchObject({ open: [] });
    expect(evolveNoticesObligations(set, recorded(postponed(1, sample.at), 1))).toBe(set);
  });
  test("is told by their own stream", () => {
    expect(noticesObligationsRecordId(recorded(received, 0))).toBe(noticesId);
    expect(noticesObligationsRecordId({ ...recorded(received, 0), streamKind: "bulk" })).toBeUndefined();
  });
});

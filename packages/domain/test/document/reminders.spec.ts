import { type DocumentEvent, sample } from "@rubrica/events";
import {
  after,
  ana,
  answered,
  attempted,
  byApp,
  event,
  failed,
  given,
  link,
  now,
  refused,
  rejected,
  requested,
  requester,
  sent,
  signed,
  template,
  turnCame,
} from "@rubrica/test-kit/document-history";
import { describe, expect, test } from "vitest";
import {
  attemptMessage,
  documentFold,
  foldOf,
  recordMessageFailed,
  recordNotice,
  scheduleReminder,
} from "../../src/index.ts";
import { recordAfter } from "../obligations/fixtures.ts";

// It is 9 o'clock in Montevideo.
const HOUR_MS = 3_600_000;
const reminders = { afterHours: 4, everyHours: 24, max: 2 };
const timeZone = "America/Montevideo";
const dated = (hours: number, ...events: DocumentEvent[]) =>
  events.map((one) => ({ ...one, metadata: { at: after(hours * HOUR_MS) } }));
const request = (more: object = {}) => requested([ana], { reminders, ...more });
const asked = (more?: object) =>
  dated(0, request(more), turnCame(ana), attempted(template(ana)), sent(template(ana), "p1"));
const schedule = (hours = 0) => ({ signerId: ana, timeZone, now: now + hours * HOUR_MS });
const scheduled = (hours: number | null) =>
  event("ReminderScheduled", { signerId: ana, dueAt: hours === null ? null : after(hours * HOUR_MS) });
const reminder = { signerId: ana, kind: "reminder" as const, messageId: "r1" };
const attempt = (hours: number) => ({
  ...reminder,
  attempt: 1,
  media: byApp,
  providerBy: () => sample.provider,
  now: now + hours * HOUR_MS,
});
const reminded = [attempted(reminder), sent(reminder, "p5")];
const owedAfter = (...history: DocumentEvent[]) =>
  recordAfter(...history)
    .open.map(({ kind }) => kind)
    .filter((kind) => kind.endsWith("-reminder"));

describe("a signer who was asked and has not signed", () => {
  test("is reminded after the hours of the request, then after those between, as often as it says", () => {
    given(...asked())
      .when(scheduleReminder, schedule())
      .then(scheduled(4));
    const once = [...asked(), ...dated(0, scheduled(4)), ...dated(5, ...reminded)];
    given(...once)
      .when(scheduleReminder, schedule(5))
      .then(scheduled(29));
    const twice = [...once, ...dated(5, scheduled(29)), ...dated(30, ...reminded)];
    given(...twice)
      .when(scheduleReminder, schedule(30))
      .then();
    expect(owedAfter(...asked())).toEqual(["schedule-reminder"]);
    expect(owedAfter(...asked(), scheduled(4))).toEqual(["send-reminder"]);
    expect(owedAfter(...once)).toEqual(["schedule-reminder"]);
    expect(owedAfter(...twice)).toEqual([]);
  });
  test("is reminded from 9 to 20 o'clock alone, by the request's zone before the phone's", () => {
    given(...asked({ reminders: { ...reminders, afterHours: 11 } }))
      .when(scheduleReminder, schedule())
      .then(scheduled(24));
    given(...asked({ reminders: { ...reminders, afterHours: 11 }, timeZone: "Asia/Tokyo" }))
      .when(scheduleReminder, schedule())
      .then(scheduled(12));
  });
  test("of what was missed is reminded once", () =>
    given(...asked())
      .when(scheduleReminder, schedule(24 * 9 + 3))
      .then(scheduled(24 * 9 + 3)));
  test("is reminded no more once the document's time ends before; with another time anew", () => {
    const until = { expiresAt: after(4 * HOUR_MS) };
    given(...asked(until))
      .when(scheduleReminder, schedule())
      .then(scheduled(null));
    const over = [...asked(until), scheduled(null)];
    expect(owedAfter(...over)).toEqual([]);
    const longer = event("DocumentExpiryChanged", { expiresAt: after(40 * HOUR_MS), by: requester });
    expect(owedAfter(...over, longer)).toEqual(["schedule-reminder"]);
    given(...over, longer)
      .when(scheduleReminder, schedule())
      .then(scheduled(4));
  });
  test.each([
    ["refused to continue", [refused(ana, "p1")]],
    ["has signed", [signed(ana)]],
    ["sees it ended", [rejected(ana)]],
  ])("is reminded no more once they %s, or it %s", (_who, more) => {
    expect(owedAfter(...asked(), scheduled(4), ...more)).toEqual([]);
    given(...asked(), ...more)
      .when(scheduleReminder, schedule())
      .then();
  });
  test("is reminded again, though they refused, once they continue; and not once they refuse after that", () => {
    const again = [refused(ana, "p1"), answered(ana, "p1", after(1))];
    expect(owedAfter(...asked(), ...again)).toEqual(["schedule-reminder"]);
    expect(owedAfter(...asked(), ...again, refused(ana, "p1", true, after(2)))).toEqual([]);
    given(...asked(), ...again, refused(ana, "p1", true, after(2)))
      .when(scheduleReminder, schedule())
      .then();
  });
  test("is reminded at the time that was reckoned though they opened the page meanwhile: it is the signature that is awaited", () => {
    const opened = [...asked(), scheduled(4), ...dated(3, event("SigningPageOpened", { signerId: ana }))];
    expect(recordAfter(...opened).open).toMatchObject([{ kind: "send-reminder", dueAt: after(4 * HOUR_MS) }]);
    given(...opened)
      .when(attemptMessage, attempt(4))
      .then(attempted(reminder));
  });
  test("is reminded at the time that was reckoned, though they refused and continued meanwhile", () =>
    expect(
      recordAfter(...asked(), scheduled(4), refused(ana, "p1"), answered(ana, "p1")).open.find(
        ({ kind }) => kind === "send-reminder",
      ),
    ).toMatchObject({ dueAt: after(4 * HOUR_MS) }));
  test("is never reminded where nobody says so", () => {
    expect(owedAfter(...asked({ reminders: null }))).toEqual([]);
    given(...asked({ reminders: null }))
      .when(scheduleReminder, schedule())
      .then();
  });
  test("is reminded anew, and at most as often, once all was sent anew", () => {
    const resent = event("ResendRequested", { signerId: ana, resendId: sample.grantId, by: requester });
    const again = [resent, turnCame(ana), attempted({ ...template(ana), messageId: "t2" })];
    const history = [...asked(), scheduled(4), ...dated(5, ...reminded), ...dated(6, ...again)];
    expect(owedAfter(...history)).toEqual([]);
    const sentAnew = [...history, ...dated(6, sent({ ...template(ana), messageId: "t2" }, "p9"))];
    given(...sentAnew)
      .when(scheduleReminder, schedule(6))
      .then(scheduled(10));
  });
});

describe("a reminder", () => {
  const due = [...asked(), scheduled(4)];

  test("is sent when its time has come, not before", () => {
    given(...due)
      .when(attemptMessage, attempt(3.9))
      .fails("message_not_due");
    given(...due)
      .when(attemptMessage, attempt(4))
      .then(attempted(reminder));
    expect(recordAfter(...due).open.find(({ kind }) => kind === "send-reminder")).toMatchObject({
      dueAt: after(4 * HOUR_MS),
    });
  });
  test("that was missed, or is tried again, is put off from the night to the day", () => {
    const nightly = { ...attempt(11), timeZone };
    given(...due)
      .when(attemptMessage, nightly)
      .then(scheduled(24));
    given(...due, attempted(reminder), failed(reminder, 1, after(11 * HOUR_MS)))
      .when(attemptMessage, { ...nightly, attempt: 2 })
      .then(scheduled(24));
    const put = [...due, scheduled(24)];
    // It is owed by an id of its own: what was begun by the former one is of no use any more.
    const id = (...history: DocumentEvent[]) => `e${history.length}:send-reminder:${ana}`;
    expect(recordAfter(...due).open).toMatchObject([{ id: id(...due), dueAt: after(4 * HOUR_MS) }]);
    expect(recordAfter(...put).open).toMatchObject([{ id: id(...put), dueAt: after(24 * HOUR_MS) }]);
    given(...put)
      .when(attemptMessage, { ...attempt(24), messageId: "r2", timeZone })
      .then(attempted({ ...reminder, messageId: "r2" }));
  });
  test("comes its hours after they continued and got the link, though it was reckoned before", () => {
    const answeredLate = event("TemplateAnswered", {
      signerId: ana,
      providerMessageId: "p1",
      answeredAt: after(5 * HOUR_MS),
    });
    const continued = [...dated(3, refused(ana, "p1")), ...dated(5, answeredLate, attempted(link(ana)))];
    const linked = [...due, ...continued, ...dated(6, sent(link(ana), "p2"))];
    for (const [history, hours] of [
      [[...due, ...continued], 9],
      [linked, 10],
    ] as const) {
      given(...history)
        .when(attemptMessage, { ...attempt(6), timeZone })
        .then(scheduled(hours));
    }
    given(...linked, scheduled(10))
      .when(attemptMessage, { ...attempt(10), messageId: "r2", timeZone })
      .then(attempted({ ...reminder, messageId: "r2" }));
  });
  test("does not come along with the link where it was told late that they continued", () => {
    given(...due, ...dated(5, answered(ana, "p1", after(HOUR_MS))))
      .when(attemptMessage, { ...attempt(5), timeZone })
      .then(scheduled(9));
  });
  test("is reckoned from when all was to be sent anew, where they continued before", () => {
    const resent = event("ResendRequested", { signerId: ana, resendId: sample.grantId, by: requester });
    given(...asked(), ...dated(1, answered(ana, "p1")), ...dated(5, resent, turnCame(ana)))
      .when(scheduleReminder, schedule(6))
      .then(scheduled(9));
  });
  test("has buttons that count", () =>
    given(...due, ...reminded)
      .when(recordNotice, {
        notice: "answered",
        medium: "wpp",
        providerMessageId: "p5",
        answer: "continue",
        at: after(0),
      })
      .thenTypes("MessageDelivered", "TemplateAnswered"));
  test("has the link once they continued", () => {
    const linked = [...due, answered(ana, "p1"), attempted(link(ana)), sent(link(ana), "p2"), attempted(reminder)];
    given(...linked)
      .when(recordNotice, { notice: "sent", medium: "wpp", providerMessageId: "p5", messageId: "r1" })
      .then({
        ...event("ReminderSent", { ...reminder, medium: "wpp", providerMessageId: "p5", attempt: 1, withLink: true }),
      });
  });
  test("that can't be delivered calls nobody back, keeps the turn, and is as one that was sent", () => {
    const failure = { ...reminder, reason: "unreachable", permanent: true, media: byApp, now, jitter: 0 };
    given(...due, attempted(reminder))
      .when(recordMessageFailed, failure)
      .then(failed(reminder, 1, null));
    const lost = [...due, ...dated(5, attempted(reminder), failed(reminder, 1, null))];
    expect(recordAfter(...lost).signers).toMatchObject([{ undeliverable: false, reminders: 1 }]);
    expect(recordAfter(requested([ana], { reminders, hasWebhook: true }), ...lost.slice(1)).webhooks).toEqual([]);
    given(...lost)
      .when(scheduleReminder, schedule(5))
      .then(scheduled(29));
  });
  test("that fails after its provider took it is told of once, and leaves the next one as it is", () => {
    const failure = { reason: "unreachable", permanent: false, media: byApp, now, jitter: 0 };
    const notice = { ...failure, notice: "failed", medium: "wpp", providerMessageId: "p5" } as const;
    const lost = { medium: "wpp" as const, attempt: 1, reason: "unreachable", nextAttemptAt: null, nextMedium: null };
    const told = event("MessageFailed", { ...reminder, ...lost, wasTaken: true });
    const taken = [...due, ...dated(5, ...reminded)];
    given(...taken)
      .when(recordNotice, notice)
      .then(told);
    const late = [...taken, ...dated(5, scheduled(29)), ...dated(6, told)];
    given(...late)
      .when(recordNotice, notice)
      .then();
    const before = recordAfter(...late.slice(0, -1));
    expect(recordAfter(...late)).toMatchObject({ signers: before.signers, open: before.open });
    expect(foldOf(documentFold, late)).toMatchObject({ signers: [{ reminders: 1, remindedAt: after(5 * HOUR_MS) }] });
  });
});

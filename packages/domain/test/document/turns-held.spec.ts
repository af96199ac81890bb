import type { DocumentEvent, DomainEvent } from "@rubrica/events";
import { sample } from "@rubrica/events";
import {
  after,
  ana,
  answered,
  attempted,
  byApp,
  delivered,
  event,
  failed,
  given,
  link,
  now,
  queued,
  refused,
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
  documentAt,
  documentFold,
  foldOf,
  recordMessageFailed,
  recordMessageSent,
  recordNotice,
  recordQueued,
  releaseReason,
} from "../../src/index.ts";
import { lineQueued, lineReleased, lineTaken, minute, recordAfter } from "../obligations/fixtures.ts";

const HOUR_MS = 3_600_000;
const dated = (one: DocumentEvent) => ({ ...one, metadata: { at: after(0) } });
const request = (silenceHours: number | null) => requested([ana], { refusalHours: 20, silenceHours });
const askedWith = (silenceHours: number | null, ...more: DocumentEvent[]) =>
  [
    request(silenceHours),
    turnCame(ana),
    attempted(template(ana)),
    sent(template(ana), "p1"),
    delivered(template(ana), "p1"),
    ...more,
  ].map(dated);
const opened = event("SigningPageOpened", { signerId: ana });
const reasonAt = (hours: number, history: DocumentEvent[]) =>
  releaseReason(documentAt(foldOf(documentFold, history), now + hours * HOUR_MS), ana);

/** As it was told before it was kept when it was given. */
const untimed = event("ContinueRefused", { signerId: ana, providerMessageId: "p1", explained: true });
const isOfDocument = (one: DomainEvent): one is DocumentEvent => !one.type.startsWith("Turn");
const attemptBy = { attempt: 1, media: ["wpp", "sms"] as const, providerBy: () => sample.provider, now };

describe("a signer who chose not to continue", () => {
  const history = askedWith(null, refused(ana, "p1"));

  test("keeps their phone's turn for the hours of the request, then gives it up", () => {
    expect([reasonAt(19.9, history), reasonAt(20, history)]).toEqual([null, "refused"]);
  });
  test("keeps it when they continue after all, also later", () =>
    expect(reasonAt(21, [...history, dated(answered(ana, "p1"))])).toBeNull());
  test("gives it up though they had continued before, and though they did in between", () => {
    const changedMind = [answered(ana, "p1"), refused(ana, "p1", true, after(60_000))].map(dated);
    expect([reasonAt(19.9, askedWith(null, ...changedMind)), reasonAt(20, askedWith(null, ...changedMind))]).toEqual([
      null,
      "refused",
    ]);
    const twice = [...history, ...[answered(ana, "p1", after(40_000))].map(dated)];
    expect(reasonAt(20, [...twice, ...changedMind.slice(1)])).toBe("refused");
  });
  test("keeps it where the refusal comes late, after they continued", () =>
    expect(
      reasonAt(21, askedWith(null, answered(ana, "p1", after(2)), refused(ana, "p1", false, after(1)))),
    ).toBeNull());
  test("gives it up by what came last in the log, where it was not kept when they refused", () => {
    expect(reasonAt(20, askedWith(null, answered(ana, "p1"), untimed))).toBe("refused");
    expect(reasonAt(20, askedWith(null, untimed, answered(ana, "p1", after(-1))))).toBeNull();
  });
  test("gives it up for a better reason, where there is one", () =>
    expect(reasonAt(21, [...history, signed(ana)])).toBe("signed"));
});

describe("a signer who does not answer", () => {
  test("keeps it for as long as it takes, where nobody says otherwise", () =>
    expect(reasonAt(9_999, askedWith(null))).toBeNull());
  test("gives it up after the hours of the request, from the message's arrival on", () =>
    expect([reasonAt(29.9, askedWith(30)), reasonAt(30, askedWith(30))]).toEqual([null, "unanswered"]));
  test.each([
    ["continued", answered(ana, "p1")],
    ["opened the page", opened],
  ])("keeps it once they %s", (_what, answer) => expect(reasonAt(31, askedWith(30, answer))).toBeNull());
});

describe("that the hold ends", () => {
  const taken = (...more: DocumentEvent[]) => [request(30), lineTaken(ana), ...askedWith(30).slice(1), ...more];
  const endOf = (history: Parameters<typeof recordAfter>) =>
    recordAfter(...history).open.find(({ kind }) => kind === "end-refusal" || kind === "end-silence");

  test("is owed, due then, for as long as they are on the line", () => {
    expect(endOf(taken())).toMatchObject({ id: `e6:end-silence:${ana}`, dueAt: minute(6, 30 * HOUR_MS) });
    expect(endOf(taken(refused(ana, "p1")))).toMatchObject({
      id: `e7:end-refusal:${ana}`,
      dueAt: minute(7, 20 * HOUR_MS),
    });
    expect(endOf([...taken(refused(ana, "p1")), lineReleased(ana)])).toBeUndefined();
    expect(endOf(taken(refused(ana, "p1"), answered(ana, "p1")))).toBeUndefined();
    expect(endOf(taken(opened))).toBeUndefined();
    expect(endOf(taken(signed(ana)))).toBeUndefined();
  });
  test("lets the link go at once to who continues after it, also to who had it", () => {
    const late = [...taken(refused(ana, "p1")), lineReleased(ana), answered(ana, "p1")];
    const kinds = recordAfter(...late).open.map(({ kind }) => kind);
    expect(kinds).toContain("send-link");
    expect(kinds).not.toContain("claim-turn");
    const linked = [answered(ana, "p1"), attempted(link(ana)), sent(link(ana), "p2")];
    const refusedLast = [...taken(...linked, refused(ana, "p1", true, after(60_000))), lineReleased(ana)];
    expect(recordAfter(...refusedLast).open.map(({ kind }) => kind)).toEqual(["send-refusal"]);
    const again = [...refusedLast, answered(ana, "p1", after(90_000))];
    expect(recordAfter(...again).open).toMatchObject([{ kind: "send-link", id: `e${again.length}:send-link:${ana}` }]);
    given(...again.filter(isOfDocument))
      .when(attemptMessage, { ...attemptBy, signerId: ana, kind: "link", messageId: "another" })
      .then(attempted({ signerId: ana, kind: "link", messageId: "another" }));
  });
  test("leaves who continued in line before that was so where they are, until they press it again", () => {
    const resent = event("ResendRequested", { signerId: ana, resendId: sample.grantId, by: requester });
    const former = [request(30), lineTaken(ana), ...askedWith(30).slice(1), refused(ana, "p1"), lineReleased(ana)];
    const inLine = [...former, resent, lineQueued(ana), queued(ana), answered(ana, "p1", after(60_000))];
    expect(recordAfter(...inLine).open).toEqual([]);
    const history = inLine.filter(isOfDocument);
    expect(reasonAt(0, history)).toBeNull();
    const again = { notice: "answered", medium: "wpp", providerMessageId: "p1", answer: "continue" } as const;
    given(...history)
      .when(recordNotice, { ...again, at: after(60_000) })
      .then();
    given(...history)
      .when(recordNotice, { ...again, at: after(90_000) })
      .then(answered(ana, "p1", after(90_000)), event("SignerTurnCame", { signerId: ana, lineId: null }));
  });
  test("does the same for who waits in line to be asked anew: they leave it", () => {
    const resent = event("ResendRequested", { signerId: ana, resendId: sample.grantId, by: requester });
    const outOfTurn = event("SignerTurnCame", { signerId: ana, lineId: null });
    const released = askedWith(30, refused(ana, "p1"), resent);
    const answer = {
      notice: "answered",
      medium: "wpp",
      providerMessageId: "p1",
      answer: "continue",
      at: after(60_000),
    } as const;
    given(...released, queued(ana))
      .when(recordNotice, answer)
      .then(answered(ana, "p1", after(60_000)), outOfTurn);
    given(...released, answered(ana, "p1"))
      .when(recordQueued, { signerId: ana, behindDocumentId: sample.otherDocumentId })
      .then(outOfTurn);
    given(...released, answered(ana, "p1"), refused(ana, "p1", true, after(60_000)))
      .when(recordQueued, { signerId: ana, behindDocumentId: sample.otherDocumentId })
      .then(queued(ana));
    const inLine = [...taken(refused(ana, "p1")), lineReleased(ana), resent, lineQueued(ana), queued(ana)];
    const kinds = recordAfter(...inLine, answered(ana, "p1"), outOfTurn).open.map(({ kind }) => kind);
    expect(kinds).toEqual(["release-turn", "send-link"]);
    expect(reasonAt(0, [...released, queued(ana), answered(ana, "p1"), outOfTurn].map(dated))).toBe("continued");
    expect(reasonAt(0, [...released, answered(ana, "p1"), outOfTurn, resent].map(dated))).toBeNull();
  });
});

describe("what follows from choosing not to continue", () => {
  const note = { signerId: ana, kind: "refusal" as const, messageId: "n1" };
  const attempt = { ...attemptBy, ...note };
  const history = askedWith(null, refused(ana, "p1"));
  const kindsAfter = (...events: DocumentEvent[]) => recordAfter(...events).open.map(({ kind }) => kind);

  test("is explained once", () => {
    expect(kindsAfter(...history)).toContain("send-refusal");
    given(...history)
      .when(attemptMessage, attempt)
      .then(attempted(note));
    expect(kindsAfter(...history, attempted(note), sent(note, "p2"))).not.toContain("send-refusal");
  });
  test("is explained once more to nobody, but to who continued before it was sent and refused again", () => {
    const again = [answered(ana, "p1", after(40_000)), refused(ana, "p1", true, after(50_000))];
    const sentBefore = [...history, attempted(note), sent(note, "p2"), ...again];
    expect(kindsAfter(...sentBefore)).not.toContain("send-refusal");
    const cut = [...history, attempted(note), ...again];
    expect(kindsAfter(...cut)).toContain("send-refusal");
    given(...cut)
      .when(attemptMessage, { ...attempt, messageId: "n2" })
      .then(attempted({ ...note, messageId: "n2" }));
    given(...cut)
      .when(recordMessageSent, { ...note, providerMessageId: "p9" })
      .then();
  });
  test("is explained to who has the link, too", () => {
    const linked = [answered(ana, "p1"), attempted(link(ana)), sent(link(ana), "p3")];
    const later = refused(ana, "p1", true, after(60_000));
    expect(kindsAfter(...askedWith(null, ...linked, later))).toContain("send-refusal");
  });
  test("is explained to nobody who continued, signed, or refused before there was such a message", () => {
    for (const more of [answered(ana, "p1"), signed(ana)]) {
      expect(kindsAfter(...history, more)).not.toContain("send-refusal");
    }
    expect(kindsAfter(...askedWith(null, answered(ana, "p1"), untimed))).not.toContain("send-refusal");
    const before = refused(ana, "p1", false);
    expect(kindsAfter(...askedWith(null, before))).not.toContain("send-refusal");
    given(...askedWith(null, before))
      .when(attemptMessage, attempt)
      .fails("message_not_due");
  });
  test("calls nobody back where it fails, gives no turn up, and is told by the same medium alone", () => {
    given(...history, attempted(note))
      .when(recordMessageFailed, { ...note, reason: "outside_window", permanent: true, media: byApp, now, jitter: 0 })
      .then(failed(note, 1, null, "outside_window"));
    const lost = [...history, attempted(note), failed(note, 1, null)];
    expect(recordAfter(...lost).signers).toMatchObject([{ refusal: "given_up", undeliverable: false }]);
    expect(reasonAt(1, lost)).toBeNull();
  });
});

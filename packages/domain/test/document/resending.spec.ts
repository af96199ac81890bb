import { type DocumentEvent, sample } from "@rubrica/events";
import {
  after,
  ana,
  answered,
  attempted,
  ben,
  byApp,
  completed,
  event,
  failed,
  given,
  link,
  now,
  queued,
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
  documentAt,
  documentFold,
  foldOf,
  recordMessageSent,
  recordNotice,
  recordTurnCome,
  releaseReason,
  requestResend,
  signerOf,
} from "../../src/index.ts";
import { lineReleased, lineTaken, recordAfter } from "../obligations/fixtures.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const resendId = sample.grantId;
const resend = { signerId: ana, resendId, by: requester, now };
const resent = event("ResendRequested", { signerId: ana, resendId, by: requester });
const at = (ms: number) => ({ ...resent, metadata: { at: after(ms) } });
const asked = [requested([ana, ben]), turnCame(ana), attempted(template(ana)), sent(template(ana), "p1")];
const lost = [requested([ana]), turnCame(ana), attempted(template(ana)), failed(template(ana), 1, null)];
const anew = { ...template(ana), messageId: "another" };
const attempt = { ...anew, attempt: 1, media: byApp, providerBy: () => sample.provider, now };
const kindsAfter = (...history: Parameters<typeof recordAfter>) => recordAfter(...history).open.map(({ kind }) => kind);

describe("sending anew", () => {
  test.each([
    ["was asked", asked],
    ["could not be reached", lost],
    ["chose not to continue", [...asked, refused(ana, "p1")]],
    ["has the link", [...asked, answered(ana, "p1"), attempted(link(ana)), sent(link(ana), "p2")]],
  ])("is taken of a signer who %s, once by its id", (_who, history) => {
    given(...history)
      .when(requestResend, resend)
      .then(resent);
    given(...history, resent)
      .when(requestResend, resend)
      .then();
  });
  test.each<[string, DocumentEvent[], string]>([
    ["was not asked yet", asked, ben],
    ["sends no messages", [requested([ana], { sendMessages: false }), turnCame(ana)], ana],
    ["has signed", [...asked, signed(ana)], ana],
    ["is over", [...asked, rejected(ana)], ana],
    ["is complete", [...asked, signed(ana), signed(ben), completed], ana],
  ])("is refused where there is nothing to send: it %s", (_what, history, signerId) =>
    given(...history)
      .when(requestResend, { ...resend, signerId })
      .fails("nothing_to_send"),
  );
  test("is refused while the signer waits in line", () =>
    given(requested([ana]), queued(ana))
      .when(requestResend, resend)
      .fails("signer_queued"));
  test("is taken of who left the line, having chosen not to continue while they waited in it", () => {
    const refusal = { ...refused(ana, "p1"), metadata: { at: after(0) } };
    const inLine = foldOf(documentFold, [...asked, at(0), queued(ana), refusal]);
    const types = (hours: number) => {
      const then = now + hours * HOUR_MS;
      return requestResend(documentAt(inLine, then), { ...resend, resendId: sample.keyId, now: then }).map(
        ({ type }) => type,
      );
    };
    expect(() => types(71.9)).toThrow("the signer waits in line");
    expect(types(72)).toEqual(["ResendRequested"]);
  });
  test("is refused within ten minutes, and after ten in all", () => {
    const other = { ...resend, resendId: sample.keyId };
    const again = [...asked, at(0), turnCame(ana)];
    given(...again)
      .when(requestResend, { ...other, now: now + 10 * MINUTE_MS - 1 })
      .fails("resent_too_soon");
    given(...again)
      .when(requestResend, { ...other, now: now + 10 * MINUTE_MS })
      .thenTypes("ResendRequested");
    const often = Array.from({ length: 10 }, () => [at(0), turnCame(ana)]).flat();
    given(...asked, ...often)
      .when(requestResend, { ...other, now: now + 9_999 * MINUTE_MS })
      .fails("resent_too_often");
  });
});

describe("a signer who is sent anew what they were sent", () => {
  test("has their turn claimed once more, and is asked when it comes", () => {
    expect(kindsAfter(...lost, resent)).toEqual(["claim-turn"]);
    expect(kindsAfter(...asked, resent)).toEqual(["claim-turn"]);
    expect(kindsAfter(...asked, resent, lineTaken(ana))).toContain("announce-turn");
    given(...asked, resent)
      .when(recordTurnCome, { signerId: ana })
      .then(turnCame(ana));
    expect(recordAfter(...asked, resent, turnCame(ana)).open).toMatchObject([
      { kind: "send-template", id: `e6:send-template:${ana}` },
    ]);
    given(...asked, resent, turnCame(ana))
      .when(attemptMessage, attempt)
      .then(attempted(anew));
  });
  test("gets the link, where they chose to continue, and not before their turn", () => {
    const linked = [...asked, answered(ana, "p1"), attempted(link(ana)), sent(link(ana), "p2"), resent];
    expect(kindsAfter(...linked)).toEqual(["claim-turn"]);
    expect(kindsAfter(...linked, turnCame(ana))).toEqual(["send-link"]);
  });
  test("is undeliverable no more, and on the line again", () => {
    expect(releaseReason(foldOf(documentFold, [...lost, resent]), ana)).toBeNull();
    expect(kindsAfter(...lost, lineTaken(ana), resent)).not.toContain("release-turn");
    expect(kindsAfter(...lost, lineTaken(ana), lineReleased(ana), resent)).toEqual(["claim-turn"]);
  });
  test("may refuse anew, and answers the message of before as well as the new one", () => {
    const history = [...asked, refused(ana, "p1", true, after(0)), resent, turnCame(ana)];
    const answer = { notice: "answered", medium: "wpp", providerMessageId: "p1", at: after(1) } as const;
    const no = { ...answer, answer: "no_continue" } as const;
    given(...history)
      .when(recordNotice, no)
      .then(refused(ana, "p1", true, after(1)));
    given(...history)
      .when(recordNotice, { ...answer, answer: "continue" })
      .thenTypes("TemplateAnswered");
    // What they answered before is told once more.
    given(...history)
      .when(recordNotice, { ...no, at: after(0) })
      .then();
  });
  test("gets no turn by continuing, once they have signed or the document has ended", () => {
    const yes = {
      notice: "answered",
      medium: "wpp",
      providerMessageId: "p1",
      answer: "continue",
      at: after(1),
    } as const;
    const inLine = [...asked, resent, queued(ana)];
    given(...inLine)
      .when(recordNotice, yes)
      .thenTypes("TemplateAnswered", "SignerTurnCame");
    for (const end of [rejected(ben), signed(ana)])
      given(...inLine, end)
        .when(recordNotice, yes)
        .thenTypes("TemplateAnswered");
  });
  test("is told nothing by what becomes of the message of before", () => {
    const history = [...asked, resent, turnCame(ana)];
    const failure = { reason: "unreachable", permanent: true, media: byApp, now, jitter: 0 };
    for (const notice of [
      { notice: "failed", ...failure },
      { notice: "delivered" },
      { notice: "read" },
      { notice: "sent" },
    ] as const) {
      given(...history)
        .when(recordNotice, { ...notice, medium: "wpp", providerMessageId: "p1" })
        .then();
    }
    given(...asked.slice(0, 3), resent)
      .when(recordMessageSent, { ...template(ana), providerMessageId: "p9" })
      .then();
    for (const later of [history, [...asked, resent]])
      given(...later)
        .when(attemptMessage, { ...attempt, ...template(ana), attempt: 2 })
        .then();
  });
  test("is told of a cancellation, though what they were sent anew never arrived", () => {
    const canceled = event("DocumentWithdrawn", { reason: "canceled", bulkId: null, by: requester });
    expect(kindsAfter(...asked, resent, canceled)).toContain("send-cancellation");
    expect(kindsAfter(...lost, resent, canceled)).not.toContain("send-cancellation");
    expect(signerOf(foldOf(documentFold, [...asked, resent]), ana).resends).toHaveLength(1);
  });
});

import { type DocumentEvent, sample } from "@rubrica/events";
import {
  after as afterMs,
  ana,
  answered,
  attempted,
  ben,
  byApp,
  event,
  given,
  lineOf,
  link,
  now,
  origin,
  person,
  queued,
  refused,
  rejected,
  requested,
  requester,
  sent,
  signed,
  signing,
  template,
  turnCame,
} from "@rubrica/test-kit/document-history";
import { describe, expect, test } from "vitest";
import {
  attemptMessage,
  correctSigner,
  documentFold,
  eraseDocument,
  evolveObligations,
  foldOf,
  type ObligationsRecord,
  openPage,
  recordMessageFailed,
  recordMessageSent,
  recordNotice,
  recordQueued,
  recordTurnCome,
  reject,
  requestResend,
  sign,
  signerOf,
  uploadPhoto,
} from "../../src/index.ts";
import { lineReleased, lineTaken, recorded } from "../obligations/fixtures.ts";

const correctionId = sample.grantId;
const another = "dd".repeat(32);
const phone = "5491166667777";
const correction = { signerId: ana, correctionId, person: { phone }, lineId: another, by: requester, now };
const corrected = (
  { linkNumber = 1, formerLineId = lineOf[ana] ?? null, lineId = another as string | null, id = correctionId } = {},
  after: object = { phone },
): DocumentEvent => ({
  type: "SignerCorrected",
  data: { signerId: ana, correctionId: id, linkNumber, fields: ["phone"], formerLineId, lineId, by: requester },
  personal: { before: person(ana), after: { ...person(ana), ...after } },
});
const asked = [requested([ana]), turnCame(ana), attempted(template(ana)), sent(template(ana), "p1")];
const opened = event("SigningPageOpened", { signerId: ana });
const photo = event("SelfieUploaded", { signerId: ana, attempt: 1, file: sample.jpeg, validation: "none" });
const dated = (one: DocumentEvent) => ({ ...one, metadata: { at: afterMs(0) } });
const after = (...history: DocumentEvent[]) => signerOf(foldOf(documentFold, history), ana);

describe("a signer is corrected", () => {
  test.each([
    ["before anything happened", [requested([ana])]],
    ["in line", [requested([ana]), queued(ana)]],
    ["who was asked", asked],
    ["who has the link", [...asked, answered(ana, "p1"), attempted(link(ana)), sent(link(ana), "p2")]],
    ["who chose not to continue", [...asked, refused(ana, "p1")]],
  ])("%s, once by its id", (_who, history) => {
    given(...history)
      .when(correctSigner, correction)
      .then(corrected());
    given(...history, corrected())
      .when(correctSigner, correction)
      .then();
  });

  test("with what is named otherwise alone, and nothing where nothing is", () => {
    given(...asked)
      .when(correctSigner, { ...correction, person: { ...person(ana), name: "Ana Pérez" } })
      .then({
        ...corrected(),
        data: { ...(corrected().data as object), fields: ["name"], lineId: another },
        personal: { before: person(ana), after: { ...person(ana), name: "Ana Pérez" } },
      } as DocumentEvent);
    given(...asked)
      .when(correctSigner, { ...correction, person: { phone: person(ana).phone } })
      .then();
  });

  test.each([
    ["opened the page", [...asked, opened]],
    ["gave a photo", [...asked, photo]],
    ["signed", [requested([ana, ben]), signed(ana)]],
  ])("not once they %s", (_what, history) =>
    given(...history)
      .when(correctSigner, correction)
      .fails("correction_too_late"),
  );

  test("not once the document has ended, whatever of it is asked again", () => {
    given(...asked, rejected(ana))
      .when(correctSigner, correction)
      .fails("document_ended");
    given(...asked, corrected(), rejected(ana))
      .when(correctSigner, correction)
      .then();
  });

  test("twenty times at most", () => {
    const many = Array.from({ length: 20 }, (_, index) =>
      corrected({ linkNumber: index + 1, id: `019aa5c0-0000-7000-8000-${String(index).padStart(12, "0")}` }),
    );
    given(requested([ana]), ...many)
      .when(correctSigner, { ...correction, person: { phone: "5491100000000" } })
      .fails("correction_too_late");
  });

  test("not within ten minutes of being asked anew, nor when they were ten times, by resends and corrections", () => {
    const resent = dated(event("ResendRequested", { signerId: ana, resendId: sample.keyId, by: requester }));
    const other = { ...correction, correctionId: sample.bulkId, person: { phone: "5491100000000" } };
    for (const anew of [dated(corrected()), resent]) {
      given(...asked, anew, turnCame(ana))
        .when(correctSigner, { ...other, now: now + 599_999 })
        .fails("resent_too_soon");
      given(...asked, anew)
        .when(correctSigner, other)
        .fails("resent_too_soon");
      given(...asked, anew, queued(ana))
        .when(correctSigner, { ...other, now: now + 600_000 })
        .thenTypes("SignerCorrected");
    }
    given(...asked, dated(corrected()), turnCame(ana))
      .when(requestResend, { signerId: ana, resendId: sample.keyId, by: requester, now })
      .fails("resent_too_soon");
    const often = Array.from({ length: 5 }, () => [resent, turnCame(ana), corrected(), turnCame(ana)]).flat();
    given(...asked, ...often)
      .when(correctSigner, { ...other, now: now + 9_999_999 })
      .fails("resent_too_often");
  });

  test("as often as they please before anybody was asked", () =>
    given(requested([ana, ben]), dated(corrected()))
      .when(correctSigner, { ...correction, correctionId: sample.keyId, person: { phone: "5491100000000" } })
      .thenTypes("SignerCorrected"));

  test("keeps their line where the document sends no messages, or the phone stays", () => {
    const silent = requested([ana], { sendMessages: false });
    silent.data.signers = silent.data.signers.map((signer) => ({ ...signer, lineId: null }));
    given(silent)
      .when(correctSigner, correction)
      .then(corrected({ formerLineId: null, lineId: null }));
    const { lineId: _line, ...sameLine } = correction;
    given(...asked)
      .when(correctSigner, sameLine)
      .then(corrected({ lineId: lineOf[ana] ?? null }));
  });
});

describe("after a correction", () => {
  const history = [...asked, corrected()];
  const acts = { signerId: ana, origin };

  test("the former link does nothing, the new one all", () => {
    given(...history)
      .when(openPage, acts)
      .fails("link_replaced");
    given(...history)
      .when(sign, signing(ana))
      .fails("link_replaced");
    given(...history)
      .when(reject, { ...acts, reason: "no" })
      .fails("link_replaced");
    given(...history)
      .when(uploadPhoto, { ...acts, kind: "selfie", file: sample.jpeg })
      .fails("link_replaced");
    given(...history)
      .when(openPage, { ...acts, linkNumber: 1 })
      .thenTypes("SigningPageOpened");
    given(...history)
      .when(sign, { ...signing(ana), linkNumber: 1 })
      .thenTypes("ConsentGiven", "DocumentSigned", "DocumentCompleted");
  });

  test.each(["continue", "no_continue"] as const)("the answer %s to what was sent before is nothing", (answer) =>
    given(...history, turnCame(ana))
      .when(recordNotice, { providerMessageId: "p1", medium: "wpp", notice: "answered", answer, at: sample.at })
      .then(),
  );

  test("what becomes of a message of before is nothing: taken, failed, tried again", () => {
    const begun = [requested([ana]), turnCame(ana), attempted(template(ana)), corrected(), turnCame(ana)];
    const retry = { reason: "x", permanent: true, media: byApp, now, jitter: 0 };
    given(...begun)
      .when(recordMessageSent, { ...template(ana), providerMessageId: "p1" })
      .then();
    given(...begun)
      .when(recordMessageFailed, { ...template(ana), ...retry })
      .then();
    given(...begun)
      .when(recordNotice, {
        providerMessageId: "p1",
        medium: "wpp",
        notice: "failed",
        ...retry,
        messageId: template(ana).messageId,
      })
      .then();
    const attempt = { ...template(ana), attempt: 2, media: byApp, providerBy: () => sample.provider, now };
    given(...begun)
      .when(attemptMessage, attempt)
      .then();
  });

  test("they are asked anew, as if nobody had answered", () => {
    const signer = after(...asked, answered(ana, "p1"), corrected());
    expect(signer).toMatchObject({
      turn: "waiting",
      wantsLink: false,
      hasRefused: false,
      continuedAt: null,
      linkNumber: 1,
      lineId: another,
      formerLineIds: [lineOf[ana]],
      person: { phone },
      personRequested: { phone: person(ana).phone },
    });
  });

  test("a claim of before gives no turn and no place in line", () => {
    given(...history)
      .when(recordTurnCome, { signerId: ana })
      .then();
    given(...history)
      .when(recordQueued, { signerId: ana, behindDocumentId: sample.otherDocumentId })
      .then();
    given(...history)
      .when(recordTurnCome, { signerId: ana, linkNumber: 1 })
      .thenTypes("SignerTurnCame");
  });

  test("a line that they come back to is not among those that they leave", () => {
    const back = corrected({ linkNumber: 2, formerLineId: another, lineId: lineOf[ana] ?? null, id: sample.keyId });
    expect(after(...history, back)).toMatchObject({ lineId: lineOf[ana], formerLineIds: [another] });
  });

  test("what was answered to the request is known still, also whether it was held back", () => {
    const held = after(requested([ana]), queued(ana), corrected(), turnCame(ana));
    expect(held.claims).toEqual([
      { id: null, queuedBehind: sample.otherDocumentId },
      { id: correctionId, queuedBehind: null },
    ]);
  });

  test("nobody is named any more once the document was erased", () => {
    const erasure = { cause: "requested" as const, customIdHmac: () => sample.sha256 };
    const document = foldOf(documentFold, [{ ...requested([ana]), metadata: { at: sample.at } }, corrected()]);
    const erased = eraseDocument(document, erasure).reduce(documentFold.evolve, document);
    expect(signerOf(erased, ana)).toMatchObject({
      person: null,
      personRequested: null,
      corrections: [{ linkNumber: 1, person: null }],
    });
  });
});

describe("lines after a correction", () => {
  /** The record after events, each of the stream that is said, or the document's. */
  const recordAfter = (...events: (DocumentEvent | [ReturnType<typeof lineTaken>, string])[]): ObligationsRecord => {
    const record = events
      .map((one, index) =>
        Array.isArray(one) ? { ...recorded(one[0], index + 1), streamId: one[1] } : recorded(one, index + 1),
      )
      .reduce<ObligationsRecord | null>(evolveObligations, null);
    if (!record) throw new Error("not requested");
    return record;
  };
  const former = lineOf[ana] ?? "";
  const kinds = (...events: Parameters<typeof recordAfter>) => recordAfter(...events).open.map(({ kind }) => kind);
  const taken = (line: string): [ReturnType<typeof lineTaken>, string] => [lineTaken(ana), line];
  const released = (line: string): [ReturnType<typeof lineTaken>, string] => [lineReleased(ana), line];

  test("the former is to be left until it is, the new one to be claimed", () => {
    expect(kinds(requested([ana]), taken(former), turnCame(ana), corrected())).toEqual(["claim-turn", "leave-line"]);
    expect(kinds(requested([ana]), taken(former), turnCame(ana), corrected(), released(former))).toEqual([
      "claim-turn",
    ]);
  });

  test("also where it is taken after the correction, which tells no turn", () =>
    expect(kinds(requested([ana]), corrected(), taken(former))).toEqual(["claim-turn", "leave-line"]));

  test("the new one gives the turn, and is kept when the former is left", () => {
    const history = [requested([ana]), taken(former), corrected(), taken(another)];
    expect(kinds(...history)).toEqual(["claim-turn", "announce-turn", "leave-line"]);
    expect(kinds(...history, turnCame(ana), released(former))).toEqual(["send-template"]);
  });

  test("an unchanged line is not left", () => {
    const same = corrected({ lineId: former });
    expect(kinds(requested([ana]), taken(former), turnCame(ana), same)).toEqual(["claim-turn", "announce-turn"]);
  });

  test("what was to be sent before is another obligation now", () => {
    const [before] = recordAfter(requested([ana]), taken(former), turnCame(ana)).open;
    const now = recordAfter(requested([ana]), taken(former), turnCame(ana), corrected(), taken(another), turnCame(ana));
    expect(before?.kind).toBe("send-template");
    expect(now.open.map(({ id }) => id)).not.toContain(before?.id);
  });
});

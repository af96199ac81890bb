import { type DocumentEvent, sample } from "@rubrica/events";
import {
  after,
  ana,
  attempted,
  ben,
  bulkRow,
  canceled,
  cancellation,
  completed,
  delivered,
  event,
  failed,
  given,
  now,
  origin,
  preparationFailed,
  prepared,
  rejected,
  requested,
  requestedInBulk,
  requester,
  sealed,
  sent,
  signed,
  signing,
  template,
  turnCame,
} from "@rubrica/test-kit/document-history";
import { describe, expect, test } from "vitest";
import {
  attemptMessage,
  cancelDocument,
  documentFold,
  eraseDocument,
  foldOf,
  type Media,
  openPage,
  prepareDocument,
  recordEvidence,
  recordMessageFailed,
  recordMessageSent,
  recordReport,
  recordTurnCome,
  reject,
  releaseReason,
  sign,
} from "../../src/index.ts";
import { openAfter, recordAfter } from "../obligations/fixtures.ts";

const cancel = { by: requester, text: "The rent changed" };
const media: Media = ["wpp", "sms"];
const providerBy = () => sample.provider;
const open = [requested([ana, ben]), turnCame(ana), attempted(template(ana)), sent(template(ana), "p1")];
const over = [...open, canceled("The rent changed")];
const kindsAfter = (...history: DocumentEvent[]) => recordAfter(...history).open.map(({ kind }) => kind);

describe("canceling", () => {
  test("ends an open document, for whoever has signed and has not", () => {
    given(...open)
      .when(cancelDocument, cancel)
      .then(canceled("The rent changed"));
    given(...open, signed(ana))
      .when(cancelDocument, { ...cancel, text: null })
      .then(canceled());
  });
  test("again, with whatever reason, is nothing", () =>
    given(...over)
      .when(cancelDocument, { ...cancel, text: "another" })
      .then());
  test("of a bulk row that was still to be prepared tells its call, of a prepared one does not", () => {
    given(requestedInBulk([ana]))
      .when(cancelDocument, { ...cancel, text: null })
      .then(canceled(null, bulkRow.bulkId));
    given(requestedInBulk([ana]), prepared)
      .when(cancelDocument, { ...cancel, text: null })
      .then(canceled());
  });
  test.each([
    ["was signed by all", [...open, signed(ana), signed(ben), completed]],
    ["was sealed", [...open, signed(ana), signed(ben), completed, sealed]],
    ["was rejected", [...open, rejected(ana)]],
    ["could not be prepared", [requestedInBulk([ana]), preparationFailed]],
    ["was erased", [...open, event("DocumentWithdrawn", { reason: "erasure", bulkId: null, by: null })]],
  ])("is refused once the document %s", (_what, history) =>
    given(...history)
      .when(cancelDocument, cancel)
      .fails("document_ended"),
  );
  test("of an unknown document is refused", () => given().when(cancelDocument, cancel).fails("unknown_document"));
});

describe("a canceled document", () => {
  test("is signed, rejected, prepared and opened by nobody, and asks nobody", () => {
    given(...over)
      .when(sign, signing(ben))
      .fails("document_ended");
    given(...over)
      .when(reject, { signerId: ben, reason: "late", origin })
      .fails("document_ended");
    given(...over)
      .when(openPage, { signerId: ben, origin })
      .then();
    given(...over)
      .when(recordTurnCome, { signerId: ben })
      .then();
    given(requestedInBulk([ana]), canceled(null, bulkRow.bulkId))
      .when(prepareDocument, { file: sample.pdf, pageCount: 1 })
      .then();
    expect(releaseReason(foldOf(documentFold, over), ana)).toBe("document_ended");
  });
  test("stays signed by who had signed", () =>
    given(...open, signed(ana), canceled())
      .when(sign, signing(ana))
      .then());
  test("says why, until its people are erased", () => {
    const dated = over.map((one) => ({ ...one, metadata: { at: after(0) } }));
    expect(foldOf(documentFold, dated)).toMatchObject({
      status: "withdrawn",
      withdrawal: "canceled",
      takenBack: { by: requester, text: "The rent changed" },
      endedAt: after(0),
    });
    const erased = event("DocumentErased", { cause: "requested", requestedAt: after(0), customIds: [] });
    expect(foldOf(documentFold, [...dated, erased])).toMatchObject({ takenBack: { text: null } });
    given(...dated)
      .when(eraseDocument, { cause: "retention" as const, customIdHmac: () => sample.sha256 })
      .thenTypes("DocumentErased");
  });
  test("has its report, once the evidence is there, but none where there never was a PDF", () => {
    expect(kindsAfter(...over)).toContain("report");
    given(...over)
      .when(recordReport, { sizeBytes: 1 })
      .then(event("ReportGenerated", { sizeBytes: 1 }));
    given(...over)
      .when(recordEvidence, { provider: sample.provider, files: [] })
      .then();
    expect(kindsAfter(requestedInBulk([ana]), canceled(null, bulkRow.bulkId))).toEqual([]);
    given(requestedInBulk([ana]), canceled(null, bulkRow.bulkId))
      .when(recordReport, { sizeBytes: 1 })
      .fails("document_open");
  });
});

describe("that it was canceled", () => {
  const attempt = (signerId: string, number = 1) => ({
    ...cancellation(signerId),
    attempt: number,
    media,
    providerBy,
    now,
  });
  const told = [...over, attempted(cancellation(ana)), sent(cancellation(ana), "p2")];

  test("is told once to who was reached, signed or not, and to nobody else", () => {
    expect(openAfter(...over).filter((id) => id.includes("send-cancellation"))).toEqual([
      `e5:send-cancellation:${ana}`,
    ]);
    expect(kindsAfter(...open, signed(ana), canceled())).toContain("send-cancellation");
    given(...over)
      .when(attemptMessage, attempt(ana))
      .then(attempted(cancellation(ana)));
    given(...over, attempted(cancellation(ana)))
      .when(recordMessageSent, { ...cancellation(ana), providerMessageId: "p2" })
      .then(sent(cancellation(ana), "p2"));
    expect(kindsAfter(...told)).not.toContain("send-cancellation");
    given(...told)
      .when(attemptMessage, attempt(ana, 2))
      .then();
    given(...over)
      .when(attemptMessage, attempt(ben))
      .fails("message_not_due");
  });
  test("is told to who was reached once, and to nobody whom no message reached after all", () => {
    const lost = failed(template(ana), 1, null);
    expect(kindsAfter(...open, lost, canceled())).not.toContain("send-cancellation");
    given(...open, lost, canceled())
      .when(attemptMessage, attempt(ana))
      .fails("message_not_due");
    expect(kindsAfter(...open, failed(template(ana), 1, after(1)), canceled())).not.toContain("send-cancellation");
    expect(kindsAfter(...open, delivered(template(ana), "p1"), lost, canceled())).toContain("send-cancellation");
    const anew = event("ResendRequested", { signerId: ana, resendId: "r1", by: requester });
    const another = { ...template(ana), messageId: "another" };
    const lostAnew = [anew, turnCame(ana), attempted(another), sent(another, "p2"), failed(another, 1, null)];
    expect(kindsAfter(...open, ...lostAnew, canceled())).toContain("send-cancellation");
  });
  test("is told to nobody before, after another end, or once the document was erased", () => {
    given(...open)
      .when(attemptMessage, attempt(ana))
      .fails("message_not_due");
    given(...open, rejected(ana))
      .when(attemptMessage, attempt(ana))
      .fails("message_not_due");
    const erased = event("DocumentErased", { cause: "requested", requestedAt: after(0), customIds: [] });
    expect(kindsAfter(...over, erased)).toEqual(["forget"]);
    given(...over, erased)
      .when(attemptMessage, attempt(ana))
      .then();
  });
  test("calls nobody back where it can't be delivered", () => {
    const lost = [...over, attempted(cancellation(ana)), failed(cancellation(ana), 1, null)];
    expect(recordAfter(requested([ana], { hasWebhook: true }), ...lost.slice(1)).webhooks).toEqual([]);
    expect(recordAfter(...lost).signers[0]).toMatchObject({ cancellation: "given_up", undeliverable: false });
    given(...over, attempted(cancellation(ana)))
      .when(recordMessageFailed, {
        ...cancellation(ana),
        reason: "unreachable",
        permanent: true,
        media,
        now,
        jitter: 0,
      })
      .then(failed(cancellation(ana), 1, after(0), "unreachable", ["wpp", "sms"]));
  });
});

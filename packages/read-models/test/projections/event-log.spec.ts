import { documentEvents, sample } from "@rubrica/events";
import { type Given, History, ofSample } from "@rubrica/test-kit/history";
import { describe, expect, test } from "vitest";
import { eventLog } from "../../src/index.ts";

type DocumentEventType = (typeof documentEvents)[number]["type"];

/** What the log tells of each event after the request, with the catalogue's example data unless given. */
const told: [DocumentEventType, Given<never>["data"] | undefined, object | undefined][] = [
  ["DocumentPrepared", undefined, undefined],
  ["PreparationFailed", undefined, { event: "document_rejected" }],
  ["DocumentExpiryChanged", undefined, { event: "expiry_changed" }],
  ["SignerQueued", undefined, undefined],
  ["SignerTurnCame", undefined, undefined],
  ["ResendRequested", undefined, { event: "resend_requested" }],
  ["SignerCorrected", undefined, { event: "signer_corrected", corrections: 1 }],
  ["MessageAttempted", undefined, undefined],
  ["MessageSent", undefined, undefined],
  ["MessageDelivered", undefined, { event: "msg_delivered" }],
  ["MessageDelivered", { kind: "link" } as never, undefined],
  ["MessageRead", undefined, { event: "msg_delivered" }],
  ["MessageRead", { kind: "link" } as never, undefined],
  ["MessageFailed", undefined, undefined],
  ["TemplateAnswered", undefined, { event: "template_response" }],
  ["ContinueRefused", undefined, { event: "no_continue" }],
  ["SignatureLinkSent", undefined, { event: "signature_link_sent" }],
  ["SignedCopySent", undefined, undefined],
  ["CancellationSent", undefined, undefined],
  ["RefusalExplained", undefined, undefined],
  ["ReminderScheduled", undefined, undefined],
  ["ReminderSent", undefined, { event: "reminder_sent" }],
  ["SigningPageOpened", undefined, undefined],
  ["SelfieUploaded", { validation: "none" } as never, { event: "selfie_image_uploaded" }],
  ["SelfieUploaded", { validation: "pending" } as never, undefined],
  ["IdFrontUploaded", { validation: "none" } as never, { event: "dni_image_uploaded" }],
  ["IdFrontUploaded", { validation: "pending" } as never, undefined],
  ["IdBackUploaded", { validation: "none" } as never, { event: "dni_image_uploaded" }],
  ["IdBackUploaded", { validation: "pending" } as never, undefined],
  [
    "SelfieValidated",
    { attempt: 2, result: "rejected" } as never,
    { event: "selfie_biometric_validation", attempt: 2, result: "rejected", photo: "selfie" },
  ],
  [
    "IdDocumentValidated",
    { side: "front" } as never,
    { event: "dni_biometric_validation", attempt: 1, result: "approved", photo: "idFront" },
  ],
  [
    "IdDocumentValidated",
    { side: "back" } as never,
    { event: "dni_biometric_validation", attempt: 1, result: "approved", photo: "idBack" },
  ],
  ["MrzValidated", undefined, { event: "mrz_validation", attempt: 1, result: "approved" }],
  ["IdDocumentErrorFound", undefined, { event: "dni_error" }],
  ["IdentityProviderFailed", undefined, { event: "provider_failed_validation" }],
  ["IdentityProviderRejected", undefined, { event: "provider_rejection" }],
  ["ConsentGiven", undefined, undefined],
  ["DocumentSigned", undefined, { event: "document_signed" }],
  ["DocumentCompleted", undefined, undefined],
  ["DocumentSealed", undefined, undefined],
  ["SealingFailed", undefined, undefined],
  ["SealAugmented", undefined, undefined],
  ["SealAugmentationFailed", undefined, undefined],
  ["EvidenceFetched", undefined, undefined],
  ["EvidenceFetchFailed", undefined, undefined],
  ["ReportGenerated", undefined, undefined],
  ["Rejected", undefined, { event: "document_rejected" }],
  ["DocumentWithdrawn", { reason: "erasure" } as never, { event: "document_rejected" }],
  ["DocumentWithdrawn", { reason: "canceled" } as never, { event: "document_canceled" }],
  ["DocumentWithdrawn", { reason: "expired" } as never, { event: "document_expired" }],
  ["DocumentErased", undefined, undefined],
  ["DocumentForgotten", undefined, undefined],
];

const requested = (): History => {
  const history = new History();
  history.add("DocumentRequested");
  return history;
};

describe("the log", () => {
  test("begins empty, with who the signers are", () => {
    expect(ofSample(eventLog, requested())).toEqual({
      documentId: sample.documentId,
      accountId: sample.accountId,
      createdAt: "2026-11-21T15:00:01.500Z",
      authentication: "link",
      signerIds: [sample.signerId],
      erased: false,
      corrections: [],
      entries: [],
      reached: [],
      revision: "0",
    });
  });

  test.each(told)("of %s %o tells %o, once", (type, data, entry) => {
    const history = requested();
    const event = history.add(type, data ? ({ data } as never) : {});
    expect(eventLog.keysOf(event)).toEqual([sample.documentId]);
    const once = ofSample(eventLog, history);
    const expected = entry ? [{ signerId: sample.signerId, at: "2026-11-21T15:00:02.500Z", ...entry }] : [];
    expect(once.entries).toEqual(expected);
    expect(once.revision).toBe("1");
    expect(eventLog.project(once, event, sample.documentId)).toEqual(once);
  });

  test("knows every event of a document", () => {
    const known = new Set([...told.map(([type]) => type), "DocumentRequested"]);
    expect(documentEvents.map(({ type }) => type).filter((type) => !known.has(type))).toEqual([]);
  });

  test("tells a message's arrival once, whether it was delivered, read, or both in any order", () => {
    const history = requested();
    history.add("MessageRead");
    history.add("MessageDelivered");
    history.add("MessageDelivered", { data: { providerMessageId: "sim.2" } });
    history.add("MessageRead", { data: { providerMessageId: "sim.2" } });
    expect(ofSample(eventLog, history).entries.map(({ event, at }) => [event, at])).toEqual([
      ["msg_delivered", "2026-11-21T15:00:02.500Z"],
      ["msg_delivered", "2026-11-21T15:00:04.500Z"],
    ]);
  });

  test("keeps the order of the stream", () => {
    const history = requested();
    for (const type of ["MessageDelivered", "TemplateAnswered", "SignatureLinkSent", "DocumentSigned"] as const) {
      history.add(type);
    }
    expect(ofSample(eventLog, history).entries.map(({ event }) => event)).toEqual([
      "msg_delivered",
      "template_response",
      "signature_link_sent",
      "document_signed",
    ]);
  });

  test("names nobody, who may be read or was forgotten alike, and tells that they were erased", () => {
    const logOf = (personal: null | undefined) => {
      const history = new History();
      history.add("DocumentRequested", personal === null ? { personal } : {});
      history.add("Rejected", personal === null ? { personal } : {});
      history.add("DocumentErased");
      return ofSample(eventLog, history);
    };
    const log = logOf(undefined);
    expect(log).toEqual(logOf(null));
    expect(log.entries).toMatchObject([{ event: "document_rejected", signerId: sample.signerId }]);
    expect(log.erased).toBe(true);
  });
});

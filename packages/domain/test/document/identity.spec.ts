import { type DocumentEvent, type FileReference, photoUploads, sample } from "@rubrica/events";
import {
  after,
  ana,
  ben,
  event,
  given,
  now,
  origin,
  rejected,
  requested,
  signed,
} from "@rubrica/test-kit/document-history";
import { describe, expect, test } from "vitest";
import {
  documentFold,
  foldOf,
  type IdentityFindings,
  identityCheckOf,
  type PhotoKind,
  photoKinds,
  recordIdentityFailure,
  recordIdentityFindings,
  signerKinds,
  signerOf,
} from "../../src/index.ts";

const biometric = requested([ana, ben], { authentication: "biometric", requestPhotos: true, validatePhotos: true });
const picture = (byte: string): FileReference => ({ ...sample.jpeg, sha256: byte.repeat(32) });
const uploaded = (kind: PhotoKind, attempt: number, validation: "none" | "pending" = "pending"): DocumentEvent => ({
  type: photoUploads[kind],
  data: { signerId: ana, attempt, file: picture(`1${attempt}`), validation },
  personal: origin,
});
const waiting = [biometric, ...photoKinds.map((kind) => uploaded(kind, 1))];

const good = { result: "approved" as const, reason: null };
const bad = (reason: string) => ({ result: "rejected" as const, reason });
const first = { selfie: 1, idFront: 1, idBack: 1 };
const findings = (other: Partial<IdentityFindings> = {}): IdentityFindings => ({
  provider: sample.provider,
  signerId: ana,
  attempts: first,
  photos: { selfie: good, idFront: good, idBack: good },
  mrz: good,
  documentError: null,
  rejection: null,
  ...other,
});
const { delaysMs } = signerKinds["check-identity"].retries;
const word = { signerId: ana, provider: sample.provider, attempt: 1 };
const selfie = event("SelfieValidated", { ...word, ...good });
const front = event("IdDocumentValidated", { ...word, ...good, side: "front" });
const back = event("IdDocumentValidated", { ...word, ...good, side: "back" });
const zone = event("MrzValidated", { ...word, ...good });

const photosAfter = (...history: DocumentEvent[]) => {
  const { photos } = signerOf(foldOf(documentFold, history), ana);
  return photoKinds.map((kind) => photos[kind].at(-1)?.validation);
};

describe("the identity provider is asked", () => {
  const asks = (...history: DocumentEvent[]) => identityCheckOf(foldOf(documentFold, history), ana) !== null;

  test("once all three photos are there", () => {
    expect(asks(...waiting.slice(0, -1))).toBe(false);
    expect(asks(...waiting)).toBe(true);
  });
  test("not where photos are not validated", () =>
    expect(asks(requested([ana]), ...photoKinds.map((kind) => uploaded(kind, 1, "none")))).toBe(false));
  test("not about what it has approved", () => expect(asks(...waiting, selfie, front, back)).toBe(false));
  test("not while a rejected photo was not taken anew, then again", () => {
    const refused = [
      ...waiting,
      selfie,
      front,
      event("IdDocumentValidated", { ...word, ...bad("blurred"), side: "back" }),
    ];
    expect(asks(...refused)).toBe(false);
    expect(asks(...refused, uploaded("idBack", 2))).toBe(true);
  });
  test("not after the signature, nor after the document's end", () => {
    expect(asks(...waiting, signed(ana))).toBe(false);
    expect(asks(...waiting, rejected(ben))).toBe(false);
  });
});

describe("what the identity provider found", () => {
  test("is recorded by photo, with the machine-readable zone", () =>
    given(...waiting)
      .when(recordIdentityFindings, findings())
      .then(selfie, front, back, zone));
  test("names why a photo was rejected, and no reason for one that was approved", () =>
    given(...waiting)
      .when(
        recordIdentityFindings,
        findings({ photos: { selfie: bad("blurred"), idFront: { ...good, reason: "fine" }, idBack: good }, mrz: null }),
      )
      .then(event("SelfieValidated", { ...word, ...bad("blurred") }), front, back));
  test("is recorded once", () =>
    given(...waiting, selfie, front, back, zone)
      .when(recordIdentityFindings, findings())
      .then());
  test("about the signer's document and the signer comes after the photos", () =>
    given(...waiting)
      .when(recordIdentityFindings, findings({ mrz: null, documentError: "expired", rejection: "face_mismatch" }))
      .then(
        selfie,
        front,
        back,
        event("IdDocumentErrorFound", { ...word, reason: "expired" }),
        event("IdentityProviderRejected", { ...word, reason: "face_mismatch" }),
      ));
  test("is about photos that there are", () =>
    given(...waiting)
      .when(recordIdentityFindings, findings({ attempts: { ...first, selfie: 2 } }))
      .fails("unknown_photo"));
  test("of photos that were taken anew meanwhile says only what became of each", () =>
    given(...waiting, uploaded("selfie", 2))
      .when(recordIdentityFindings, findings({ rejection: "face_mismatch" }))
      .then(selfie, front, back));
  test("of a photo that was taken anew leaves out those that have their word, and counts on", () => {
    const again = { attempts: { ...first, idBack: 2 } };
    given(
      ...waiting,
      selfie,
      front,
      event("IdDocumentValidated", { ...word, ...bad("blurred"), side: "back" }),
      uploaded("idBack", 2),
    )
      .when(recordIdentityFindings, findings(again))
      .then(
        event("IdDocumentValidated", { ...word, ...good, attempt: 2, side: "back" }),
        event("MrzValidated", { ...word, ...good, attempt: 2 }),
      );
  });
  test("comes too late after the signature and the document's end", () => {
    for (const end of [signed(ana), rejected(ben)]) {
      given(...waiting, end)
        .when(recordIdentityFindings, findings())
        .then();
    }
  });
});

describe("what speaks against the signer has photos taken anew", () => {
  const known = [...waiting, selfie, front, back];

  test("the machine-readable zone: both sides of the document", () => {
    expect(photosAfter(...known, zone)).toEqual(["approved", "approved", "approved"]);
    const disagrees = event("MrzValidated", { ...word, ...bad("number_mismatch") });
    expect(photosAfter(...known, disagrees)).toEqual(["approved", "rejected", "rejected"]);
  });
  test("a document that can't be used: both its sides", () =>
    expect(photosAfter(...known, event("IdDocumentErrorFound", { ...word, reason: "expired" }))).toEqual([
      "approved",
      "rejected",
      "rejected",
    ]));
  test("the provider's refusal: all of them", () =>
    expect(photosAfter(...known, event("IdentityProviderRejected", { ...word, reason: "face_mismatch" }))).toEqual([
      "rejected",
      "rejected",
      "rejected",
    ]));
});

describe("an identity provider that can't be asked", () => {
  const failure = {
    signerId: ana,
    provider: sample.provider,
    attempts: first,
    attempt: 1,
    reason: "timeout",
    permanent: false,
    now,
    jitter: 0,
  };
  const failed = (attempt: number, nextAttemptAt: string | null) =>
    event("IdentityProviderFailed", {
      provider: sample.provider,
      signerId: ana,
      attempt,
      reason: "timeout",
      nextAttemptAt,
    });

  test("is asked again, later each time, for as long as it takes", () => {
    const history: DocumentEvent[] = [...waiting];
    for (const delayMs of [...delaysMs, delaysMs.at(-1) ?? 0]) {
      const attempt = history.length - waiting.length + 1;
      const next = failed(attempt, after(delayMs));
      given(...history)
        .when(recordIdentityFailure, { ...failure, attempt })
        .then(next);
      history.push(next);
      given(...history)
        .when(recordIdentityFailure, { ...failure, attempt })
        .then();
    }
  });
  test("is asked soon about photos that were taken anew", () =>
    given(...waiting, failed(1, after(1)), failed(2, after(2)), uploaded("selfie", 2))
      .when(recordIdentityFailure, { ...failure, attempts: { ...first, selfie: 2 } })
      .then(failed(1, after(delaysMs[0] ?? 0))));
  test("speaks against nobody", () =>
    expect(photosAfter(...waiting, failed(1, after(1)))).toEqual(["pending", "pending", "pending"]));
  test("that won't check these photos has those that wait taken anew", () => {
    given(...waiting)
      .when(recordIdentityFailure, { ...failure, permanent: true })
      .then(failed(1, null));
    expect(photosAfter(...waiting, selfie, failed(1, null))).toEqual(["approved", "rejected", "rejected"]);
  });
  test("is of no matter once its word is there, or the photos were taken anew", () => {
    given(...waiting, selfie, front, back)
      .when(recordIdentityFailure, failure)
      .then();
    given(...waiting, uploaded("selfie", 2))
      .when(recordIdentityFailure, failure)
      .then();
    given(...waiting, signed(ana))
      .when(recordIdentityFailure, failure)
      .then();
  });
});

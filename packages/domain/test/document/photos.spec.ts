import { type DocumentEvent, type FileReference, photoUploads, sample } from "@rubrica/events";
import {
  ana,
  ben,
  event,
  given,
  origin,
  rejected,
  requested,
  requestedInBulk,
  signed,
  signing,
} from "@rubrica/test-kit/document-history";
import { describe, expect, test } from "vitest";
import { canSign, documentFold, foldOf, type PhotoKind, photoKinds, sign, uploadPhoto } from "../../src/index.ts";

const photosOnly = requested([ana, ben], { authentication: "photos", requestPhotos: true });
const biometric = requested([ana, ben], { authentication: "biometric", requestPhotos: true, validatePhotos: true });

const picture = (byte: string): FileReference => ({ ...sample.jpeg, sha256: byte.repeat(32) });
const uploaded = (
  kind: PhotoKind,
  attempt: number,
  validation: "none" | "pending",
  byte = `1${attempt % 10}`,
): DocumentEvent => ({
  type: photoUploads[kind],
  data: { signerId: ana, attempt, file: picture(byte), validation },
  personal: origin,
});
const upload = (kind: PhotoKind, byte: string) => ({ signerId: ana, kind, file: picture(byte), origin });
const approved = { signerId: ana, provider: sample.provider, attempt: 1, result: "approved" as const, reason: null };
const refusal = {
  signerId: ana,
  provider: sample.provider,
  attempt: 1,
  result: "rejected" as const,
  reason: "blurred",
};
const failure = { signerId: ana, provider: sample.provider, attempt: 1, reason: "expired" };

const all = (validation: "none" | "pending") => photoKinds.map((kind) => uploaded(kind, 1, validation));
const allApproved = [
  ...all("pending"),
  event("SelfieValidated", approved),
  event("IdDocumentValidated", { ...approved, side: "front" }),
  event("IdDocumentValidated", { ...approved, side: "back" }),
];

describe("a photo", () => {
  test.each(photoKinds)("%s is taken, to be validated where photos are validated", (kind) => {
    given(photosOnly)
      .when(uploadPhoto, upload(kind, "11"))
      .then(uploaded(kind, 1, "none"));
    given(biometric)
      .when(uploadPhoto, upload(kind, "11"))
      .then(uploaded(kind, 1, "pending"));
  });
  test("taken anew is one attempt more", () =>
    given(photosOnly, uploaded("selfie", 1, "none"))
      .when(uploadPhoto, upload("selfie", "12"))
      .then(uploaded("selfie", 2, "none")));
  test("sent again, the same picture, is nothing", () =>
    given(photosOnly, uploaded("selfie", 1, "none"))
      .when(uploadPhoto, upload("selfie", "11"))
      .then());
  test("is counted by kind", () =>
    given(photosOnly, uploaded("selfie", 1, "none"))
      .when(uploadPhoto, upload("idBack", "11"))
      .then(uploaded("idBack", 1, "none")));
  test("that was rejected may be replaced, even by the same picture", () =>
    given(biometric, uploaded("selfie", 1, "pending"), event("SelfieValidated", refusal))
      .when(uploadPhoto, upload("selfie", "11"))
      .then(uploaded("selfie", 2, "pending", "11")));
  test("that was approved is not replaced", () =>
    given(biometric, uploaded("selfie", 1, "pending"), event("SelfieValidated", approved))
      .when(uploadPhoto, upload("selfie", "12"))
      .then());
  test("that was approved is replaced when the signer was refused all the same", () =>
    given(biometric, ...allApproved, event("IdentityProviderRejected", failure))
      .when(uploadPhoto, upload("selfie", "12"))
      .then(uploaded("selfie", 2, "pending")));
  test("may be taken ten times", () => {
    const ten = Array.from({ length: 10 }, (_, index) => uploaded("selfie", index + 1, "none"));
    given(photosOnly, ...ten.slice(1))
      .when(uploadPhoto, upload("selfie", "aa"))
      .thenTypes("SelfieUploaded");
    given(photosOnly, ...ten)
      .when(uploadPhoto, upload("selfie", "aa"))
      .fails("too_many_photos");
  });

  test("is not taken where none is asked for", () =>
    given(requested()).when(uploadPhoto, upload("selfie", "11")).fails("photos_not_requested"));
  test("is not taken after the signature", () =>
    given(photosOnly, signed(ana)).when(uploadPhoto, upload("selfie", "11")).fails("already_signed"));
  test("is not taken after the document's end", () =>
    given(photosOnly, rejected(ben)).when(uploadPhoto, upload("selfie", "11")).fails("document_ended"));
  test("is not taken while the document is prepared", () =>
    given(requestedInBulk()).when(uploadPhoto, upload("selfie", "11")).fails("document_being_prepared"));
  test("is not taken of strangers", () =>
    given(requested([ben]))
      .when(uploadPhoto, upload("selfie", "11"))
      .fails("unknown_signer"));
});

describe("signing with photos", () => {
  test.each(photoKinds)("waits for %s", (missing) =>
    given(photosOnly, ...photoKinds.filter((kind) => kind !== missing).map((kind) => uploaded(kind, 1, "none")))
      .when(sign, signing(ana))
      .fails("photos_missing"),
  );
  test("works once all are there, where they are not validated", () =>
    given(photosOnly, ...all("none"))
      .when(sign, signing(ana))
      .thenTypes("ConsentGiven", "DocumentSigned"));
  test("waits for the validation of each, where they are", () => {
    given(biometric, ...all("pending"))
      .when(sign, signing(ana))
      .fails("photos_missing");
    given(biometric, ...allApproved.slice(0, -1))
      .when(sign, signing(ana))
      .fails("photos_missing");
    given(biometric, ...allApproved)
      .when(sign, signing(ana))
      .thenTypes("ConsentGiven", "DocumentSigned");
  });
  test("is refused with a rejected photo", () =>
    given(biometric, ...allApproved.slice(0, -1), event("IdDocumentValidated", { ...refusal, side: "back" }))
      .when(sign, signing(ana))
      .fails("photos_missing"));
  test("goes by the last photo of each kind", () =>
    given(
      biometric,
      ...allApproved.slice(0, 4),
      event("IdDocumentValidated", { ...refusal, side: "back" }),
      event("IdDocumentValidated", { ...approved, side: "front" }),
      uploaded("idBack", 2, "pending"),
      event("IdDocumentValidated", { ...approved, attempt: 2, side: "back" }),
    )
      .when(sign, signing(ana))
      .thenTypes("ConsentGiven", "DocumentSigned"));
  test("asks each signer for their own", () => {
    const document = foldOf(documentFold, [photosOnly, ...all("none")]);
    expect([canSign(document, ana), canSign(document, ben)]).toEqual([true, false]);
  });
  test.each([
    ["the machine-readable zone disagrees", event("MrzValidated", refusal)],
    ["the identity document can't be used", event("IdDocumentErrorFound", failure)],
    ["the provider refuses the signer", event("IdentityProviderRejected", failure)],
  ])("is refused when %s, until new photos are approved", (_why, word) => {
    const refused = [biometric, ...allApproved, word];
    const again = photoKinds.map((kind) => uploaded(kind, 2, "pending"));
    const front = event("IdDocumentValidated", { ...approved, attempt: 2, side: "front" });
    const back = event("IdDocumentValidated", { ...approved, attempt: 2, side: "back" });
    const selfie = event("SelfieValidated", { ...approved, attempt: 2 });
    for (const missing of [[], [...again], [...again.slice(0, 2), selfie, front]]) {
      given(...refused, ...missing)
        .when(sign, signing(ana))
        .fails("photos_missing");
    }
    given(...refused, ...again, selfie, front, back)
      .when(sign, signing(ana))
      .thenTypes("ConsentGiven", "DocumentSigned");
  });
  test("is not kept back by a provider's failure, once the photos are approved", () =>
    given(biometric, ...allApproved, event("IdentityProviderFailed", { ...failure, nextAttemptAt: null }))
      .when(sign, signing(ana))
      .thenTypes("ConsentGiven", "DocumentSigned"));
});

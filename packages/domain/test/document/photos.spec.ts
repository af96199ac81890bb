import { type DocumentEvent, type FileReference, sample } from "@rubrica/events";
import { describe, expect, test } from "vitest";
import {
  canSign,
  documentFold,
  foldOf,
  type PhotoKind,
  photoKinds,
  recordIdDocumentError,
  recordIdDocumentValidation,
  recordIdentityProviderFailure,
  recordIdentityProviderRejection,
  recordMrzValidation,
  recordSelfieValidation,
  sign,
  uploadPhoto,
} from "../../src/index.ts";
import { ana, ben, event, given, origin, rejected, requested, requestedInBulk, signed, signing } from "./fixtures.ts";

const photosOnly = requested([ana, ben], { authentication: "photos", requestPhotos: true });
const biometric = requested([ana, ben], { authentication: "biometric", requestPhotos: true, validatePhotos: true });

const picture = (byte: string): FileReference => ({ ...sample.jpeg, sha256: byte.repeat(32) });
const types = { selfie: "SelfieUploaded", idFront: "IdFrontUploaded", idBack: "IdBackUploaded" } as const;
const uploaded = (
  kind: PhotoKind,
  attempt: number,
  validation: "none" | "pending",
  byte = `1${attempt % 10}`,
): DocumentEvent => ({
  type: types[kind],
  data: { signerId: ana, attempt, file: picture(byte), validation },
  personal: origin,
});
const upload = (kind: PhotoKind, byte: string) => ({ signerId: ana, kind, file: picture(byte), origin });
const approved = { signerId: ana, attempt: 1, result: "approved" as const, reason: null };
const refusal = { signerId: ana, attempt: 1, result: "rejected" as const, reason: "blurred" };
const failure = { signerId: ana, attempt: 1, reason: "expired" };

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
    given(biometric, ...allApproved, word)
      .when(sign, signing(ana))
      .fails("photos_missing");
    given(biometric, ...allApproved, word, uploaded("idFront", 2, "pending"))
      .when(sign, signing(ana))
      .fails("photos_missing");
    given(
      biometric,
      ...allApproved,
      word,
      uploaded("idFront", 2, "pending"),
      event("IdDocumentValidated", { ...approved, attempt: 2, side: "front" }),
    )
      .when(sign, signing(ana))
      .thenTypes("ConsentGiven", "DocumentSigned");
  });
  test("is not kept back by a provider that can't be reached, once the photos are approved", () =>
    given(biometric, ...allApproved, event("IdentityProviderFailed", { ...failure, nextAttemptAt: null }))
      .when(sign, signing(ana))
      .thenTypes("ConsentGiven", "DocumentSigned"));
});

describe("the identity provider's word", () => {
  const waiting = [biometric, ...all("pending")];

  test("on a selfie is recorded, once", () => {
    given(...waiting)
      .when(recordSelfieValidation, refusal)
      .then(event("SelfieValidated", refusal));
    given(...waiting, event("SelfieValidated", refusal))
      .when(recordSelfieValidation, approved)
      .then();
  });
  test("on each side of the identity document is recorded, once", () => {
    const front = { ...approved, side: "front" as const };
    given(...waiting)
      .when(recordIdDocumentValidation, front)
      .then(event("IdDocumentValidated", front));
    given(...waiting, event("IdDocumentValidated", front))
      .when(recordIdDocumentValidation, front)
      .then();
    given(...waiting, event("IdDocumentValidated", front))
      .when(recordIdDocumentValidation, { ...front, side: "back" })
      .then(event("IdDocumentValidated", { ...front, side: "back" }));
  });
  test("is on an upload that there is", () => {
    given(...waiting)
      .when(recordSelfieValidation, { ...approved, attempt: 2 })
      .fails("unknown_photo");
    given(...waiting)
      .when(recordIdDocumentValidation, { ...approved, attempt: 2, side: "back" })
      .fails("unknown_photo");
  });
  test("on photos that are not validated is nothing", () =>
    given(photosOnly, ...all("none"))
      .when(recordSelfieValidation, approved)
      .then());

  test.each([
    ["the machine-readable zone", recordMrzValidation, approved, event("MrzValidated", approved)],
    ["an identity document error", recordIdDocumentError, failure, event("IdDocumentErrorFound", failure)],
    ["its refusal", recordIdentityProviderRejection, failure, event("IdentityProviderRejected", failure)],
    [
      "its failure",
      recordIdentityProviderFailure,
      { ...failure, nextAttemptAt: null },
      event("IdentityProviderFailed", { ...failure, nextAttemptAt: null }),
    ],
  ] as const)("on %s is recorded once for each attempt", (_what, decide, command, word) => {
    const record = decide as (document: Parameters<typeof decide>[0], command: object) => DocumentEvent[];
    given(...waiting)
      .when(record, command)
      .then(word);
    given(...waiting, word)
      .when(record, command)
      .then();
    given(...waiting, word)
      .when(record, { ...command, attempt: 2 })
      .thenTypes(word.type);
  });

  test("comes too late after the signature and the document's end", () => {
    for (const end of [signed(ana), rejected(ben)]) {
      given(...waiting, end)
        .when(recordSelfieValidation, approved)
        .then();
      given(...waiting, end)
        .when(recordIdDocumentValidation, { ...approved, side: "front" })
        .then();
      given(...waiting, end)
        .when(recordMrzValidation, approved)
        .then();
      given(...waiting, end)
        .when(recordIdDocumentError, failure)
        .then();
      given(...waiting, end)
        .when(recordIdentityProviderRejection, failure)
        .then();
      given(...waiting, end)
        .when(recordIdentityProviderFailure, { ...failure, nextAttemptAt: null })
        .then();
    }
  });
});

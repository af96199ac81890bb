import type { DocumentEvent } from "@rubrica/events";
import { DomainError } from "../decider.ts";
import { identityWord } from "./evolve-signer.ts";
import { hasEnded, signerOf } from "./lookup.ts";
import type { Document, Photo, PhotoKind, Signer } from "./state.ts";

/** The identity provider's word on one upload. `reason` is null when it was approved. */
export interface Validation {
  signerId: string;
  attempt: number;
  result: "approved" | "rejected";
  reason: string | null;
}

/** Something that speaks against a signer's identity, found with the given attempt. */
export interface IdentityFailure {
  signerId: string;
  attempt: number;
  reason: string;
}

const photoOf = (signer: Signer, kind: PhotoKind, attempt: number): Photo => {
  const photo = signer.photos[kind].find((candidate) => candidate.attempt === attempt);
  if (!photo) throw new DomainError("unknown_photo", "there is no such upload");
  return photo;
};

/** A word that comes after the signature or the document's end changes nothing any more. */
const comesTooLate = (document: Document, signer: Signer): boolean => signer.signed !== null || hasEnded(document);

/** The provider's word on a selfie, once for each upload. @throws {DomainError} unknown_photo */
export const recordSelfieValidation = (document: Document, validation: Validation): DocumentEvent[] => {
  const { signerId, attempt, result, reason } = validation;
  const signer = signerOf(document, signerId);
  if (photoOf(signer, "selfie", attempt).validation !== "pending" || comesTooLate(document, signer)) return [];
  return [{ type: "SelfieValidated", data: { signerId, attempt, result, reason }, personal: null }];
};

/** The provider's word on one side of the identity document, once for each upload. @throws {DomainError} unknown_photo */
export const recordIdDocumentValidation = (
  document: Document,
  validation: Validation & { side: "front" | "back" },
): DocumentEvent[] => {
  const { signerId, attempt, result, reason, side } = validation;
  const signer = signerOf(document, signerId);
  const photo = photoOf(signer, side === "front" ? "idFront" : "idBack", attempt);
  if (photo.validation !== "pending" || comesTooLate(document, signer)) return [];
  return [{ type: "IdDocumentValidated", data: { signerId, attempt, result, reason, side }, personal: null }];
};

const isNews = (document: Document, type: DocumentEvent["type"], signerId: string, attempt: number): boolean => {
  const signer = signerOf(document, signerId);
  return !signer.identityWords.includes(identityWord(type, attempt)) && !comesTooLate(document, signer);
};

/** Whether the machine-readable zone agrees with the requested signer; once for each attempt. */
export const recordMrzValidation = (document: Document, validation: Validation): DocumentEvent[] => {
  const { signerId, attempt, result, reason } = validation;
  if (!isNews(document, "MrzValidated", signerId, attempt)) return [];
  return [{ type: "MrzValidated", data: { signerId, attempt, result, reason }, personal: null }];
};

/** The identity document can't be used; once for each attempt. */
export const recordIdDocumentError = (document: Document, failure: IdentityFailure): DocumentEvent[] => {
  const { signerId, attempt, reason } = failure;
  if (!isNews(document, "IdDocumentErrorFound", signerId, attempt)) return [];
  return [{ type: "IdDocumentErrorFound", data: { signerId, attempt, reason }, personal: null }];
};

/** The identity provider refused the signer; once for each attempt. New photos are a new try. */
export const recordIdentityProviderRejection = (document: Document, failure: IdentityFailure): DocumentEvent[] => {
  const { signerId, attempt, reason } = failure;
  if (!isNews(document, "IdentityProviderRejected", signerId, attempt)) return [];
  return [{ type: "IdentityProviderRejected", data: { signerId, attempt, reason }, personal: null }];
};

/** The identity provider could not be asked; once for each attempt. Speaks against nobody. */
export const recordIdentityProviderFailure = (
  document: Document,
  failure: IdentityFailure & { nextAttemptAt: string | null },
): DocumentEvent[] => {
  const { signerId, attempt, reason, nextAttemptAt } = failure;
  if (!isNews(document, "IdentityProviderFailed", signerId, attempt)) return [];
  return [{ type: "IdentityProviderFailed", data: { signerId, attempt, reason, nextAttemptAt }, personal: null }];
};

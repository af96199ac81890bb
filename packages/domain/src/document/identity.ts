import { type DocumentEvent, type PhotoKind, type Provider, photoKinds } from "@rubrica/events";
import { retryAt } from "../backoff.ts";
import { DomainError } from "../decider.ts";
import { signerKinds } from "../obligations/signer-kinds.ts";
import { isIdentityCheckDue } from "../standing/due.ts";
import { photoSetNumber, photosToCheck } from "../standing/photo-progress.ts";
import { hasEnded, requestedDocument, signerOf } from "./lookup.ts";
import type { Document, Photo, Signer } from "./state.ts";

/** A word on something that was looked at. `reason` is null when it was approved. */
export interface Finding {
  result: "approved" | "rejected";
  reason: string | null;
}

/** The photos that a word of the identity provider is about: the attempt of each. */
export type PhotoAttempts = Readonly<Record<PhotoKind, number>>;

/** The identity provider's word on a signer's photos. */
export interface IdentityFindings {
  signerId: string;
  /** Whose word it is. */
  provider: Provider;
  attempts: PhotoAttempts;
  photos: Readonly<Record<PhotoKind, Finding>>;
  /** Whether the machine-readable zone agrees with the requested signer; null when there is none to be read. */
  mrz: Finding | null;
  /** Why the identity document can't be used, or null. */
  documentError: string | null;
  /** Why the provider refuses the signer, or null. */
  rejection: string | null;
}

/** A word that comes after the signature or the document's end changes nothing any more. */
const comesTooLate = (document: Document, signer: Signer): boolean => signer.signed || hasEnded(document);

/** The photos of a signer that the identity provider is to be asked about now; null when there is nothing to ask. */
export const identityCheckOf = (document: Document, signerId: string): Record<PhotoKind, Photo> | null => {
  const signer = signerOf(document, signerId);
  return isIdentityCheckDue(requestedDocument(document), signer) ? photosToCheck(signer.photos) : null;
};

const isAboutLast = (signer: Signer, attempts: PhotoAttempts): boolean =>
  photoKinds.every((kind) => signer.photos[kind].at(-1)?.attempt === attempts[kind]);

const validationOf = (
  signer: Signer,
  kind: PhotoKind,
  attempt: number,
  { result, reason }: Finding,
  provider: Provider,
): DocumentEvent[] => {
  const photo = signer.photos[kind].find((candidate) => candidate.attempt === attempt);
  if (!photo) throw new DomainError("unknown_photo", "there is no such upload");
  if (photo.validation !== "pending") return [];
  const data = { signerId: signer.signerId, provider, attempt, result, reason: result === "rejected" ? reason : null };
  if (kind === "selfie") return [{ type: "SelfieValidated", data, personal: null }];
  const side = kind === "idFront" ? "front" : "back";
  return [{ type: "IdDocumentValidated", data: { ...data, side }, personal: null }];
};

const wordsOf = ({
  signerId,
  provider,
  attempts,
  mrz,
  documentError,
  rejection,
}: IdentityFindings): DocumentEvent[] => {
  const attempt = photoSetNumber(attempts);
  const words: DocumentEvent[] = [];
  if (mrz) words.push({ type: "MrzValidated", data: { signerId, provider, attempt, ...mrz }, personal: null });
  if (documentError !== null) {
    words.push({
      type: "IdDocumentErrorFound",
      data: { signerId, provider, attempt, reason: documentError },
      personal: null,
    });
  }
  if (rejection !== null) {
    words.push({
      type: "IdentityProviderRejected",
      data: { signerId, provider, attempt, reason: rejection },
      personal: null,
    });
  }
  return words;
};

/**
 * Records what the identity provider found, once for each upload. Where a photo was taken anew meanwhile, only the
 * verdicts on single photos count: what was found in them together is about the former set.
 * @throws {DomainError} unknown_photo
 */
export const recordIdentityFindings = (document: Document, findings: IdentityFindings): DocumentEvent[] => {
  const { signerId, provider, attempts, photos } = findings;
  const signer = signerOf(document, signerId);
  const validations = photoKinds.flatMap((kind) => validationOf(signer, kind, attempts[kind], photos[kind], provider));
  if (validations.length === 0 || comesTooLate(document, signer)) return [];
  return isAboutLast(signer, attempts) ? [...validations, ...wordsOf(findings)] : validations;
};

/** The identity provider could not be asked. */
export interface IdentityFailure {
  signerId: string;
  provider: Provider;
  attempts: PhotoAttempts;
  /** How many times it could not be asked about these photos, with this one. */
  attempt: number;
  reason: string;
  /** It won't check these photos, however often it is asked. */
  permanent: boolean;
  /** Milliseconds since the UNIX epoch. */
  now: number;
  /** A fraction in [0, 1), by chance. */
  jitter: number;
}

/** Records that the identity provider could not be asked about photos that still wait for its word, once for each time. */
export const recordIdentityFailure = (document: Document, failure: IdentityFailure): DocumentEvent[] => {
  const { signerId, provider, attempts, attempt, reason, permanent, now, jitter } = failure;
  const signer = signerOf(document, signerId);
  if (identityCheckOf(document, signerId) === null || !isAboutLast(signer, attempts)) return [];
  if (attempt !== signer.identityFailures + 1) return [];
  const retriedAt = retryAt(signerKinds["check-identity"].retries, { attempt, now, jitter });
  const data = { signerId, provider, attempt, reason, nextAttemptAt: permanent ? null : retriedAt };
  return [{ type: "IdentityProviderFailed", data, personal: null }];
};

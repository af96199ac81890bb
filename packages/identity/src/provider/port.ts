import type { PhotoKind, Provider } from "@rubrica/events";

/** Who was asked to sign, as the request has it. `idNumber` is sanitized; `idNumberCountry` is ISO 3166-1 alpha-2. */
export interface IdentityPerson {
  name: string;
  idNumber: string;
  idNumberCountry: string | null;
}

/** A photo, and which of the signer's uploads of its kind it is, counted from 1. */
export interface IdentityPhoto {
  attempt: number;
  jpeg: Uint8Array;
}

/** One question to the provider: do these photos show this person? */
export interface IdentityCheck {
  /** Stable over retries. */
  checkId: string;
  /** Stable over all checks of one signer: `{documentId}/{signerId}`. */
  subject: string;
  person: IdentityPerson;
  photos: Record<PhotoKind, IdentityPhoto>;
}

/** `reason` is a short word for machines, `[a-z0-9_]{1,60}`; null where none was given. */
export interface PhotoVerdict {
  result: "approved" | "rejected";
  reason: string | null;
}

/** What the provider says of a check. Each of the parts may speak against the signer by itself. */
export interface IdentityVerdict {
  selfie: PhotoVerdict;
  idFront: PhotoVerdict;
  idBack: PhotoVerdict;
  /** The lines of the machine-readable zone as read, or null when there is none to be read. */
  mrz: readonly string[] | null;
  /** Why the identity document can't be used (unreadable, expired, ...), a word as in {@link PhotoVerdict}, or null. */
  documentError: string | null;
  /** Why the provider refuses the signer (face_mismatch, ...), a word as in {@link PhotoVerdict}, or null. */
  rejection: string | null;
  /** Nobody looked at the photos: the verdict is for development, demos and tests. */
  simulated: boolean;
}

/** A file of evidence. `name` tells one from another for a reader, and is no path. */
export interface ProviderFile {
  kind: "audit" | "photo";
  /** What a photo shows; null where that is not said, and for audits. */
  shows: PhotoKind | null;
  name: string;
  mediaType: "application/json" | "application/pdf" | "text/plain" | "image/jpeg" | "image/png";
  bytes: Uint8Array;
}

/** Outside service that says whether a signer's photos show the person who was asked to sign. */
export interface IdentityProvider {
  /** Who it is, for whoever reads the record. */
  readonly provider: Provider;
  /**
   * Checks a signer's three photos together. The same `checkId` is the same check: asked again, it is answered again.
   * An aborted `signal` gives up; what it is aborted with is thrown.
   * @throws {IdentityProviderUnavailable}
   */
  check(check: IdentityCheck, signal: AbortSignal): Promise<IdentityVerdict>;
  /**
   * All that the provider keeps of a subject's checks: its audit and its photos. Empty when it keeps none.
   * @throws {IdentityProviderUnavailable}
   */
  evidence(subject: string, signal: AbortSignal): Promise<ProviderFile[]>;
  /**
   * Has the provider forget a subject's checks, with all that it keeps of them; of nothing, too, and again. Resolves as
   * well when it can't forget.
   * @throws {IdentityProviderUnavailable} when it has to be asked again.
   */
  forget(subject: string, signal: AbortSignal): Promise<void>;
}

/** Why the provider has no answer: what it was asked it will not do (`refused`), or it was not to be had. */
export type UnavailableReason = "timeout" | "unreachable" | "refused" | "bad_answer" | "busy";

/** The provider did not answer; `permanent` when asking the same again is of no use. Names no person and no key. */
export class IdentityProviderUnavailable extends Error {
  readonly reason: UnavailableReason;
  readonly permanent: boolean;

  constructor(reason: UnavailableReason, permanent: boolean, options?: { cause?: unknown }) {
    super(`the identity provider has no answer: ${reason}`, options);
    this.name = "IdentityProviderUnavailable";
    this.reason = reason;
    this.permanent = permanent;
  }
}

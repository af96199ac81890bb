/** What came after a revision: nothing, signature fields and validation data alone, or something else. */
export type LaterChanges = "none" | "signing" | "other";

/** What is found of one signature of a file. */
export interface VerifiedSignature {
  fieldName: string;
  kind: "signature" | "document_timestamp";
  /** Whether it holds for the bytes that it covers; null when it is of a form that can't be checked here. */
  intact: boolean | null;
  /** Why it is not intact, or can't be checked. */
  fault: string | null;
  /** Who signed. */
  certificate: { subject: string; issuer: string; sha256: string } | null;
  /** Whether its certificate chains to one of the roots that were given. */
  trusted: boolean;
  /** When it was made by its own claim (of a document timestamp: by its authority), in milliseconds. */
  claimedAt: number | null;
  /** When it existed, by a timestamp over it, in milliseconds. */
  timestampedAt: number | null;
  /** The subject of the certificate that made this timestamp. Whether it is to be trusted is for the reader to say. */
  timestampedBy: string | null;
  /** The bytes, from the file's first, that it covers. */
  coveredBytes: number;
  changesAfter: LaterChanges;
  /** Whether its contents have the one encoding that this service writes, so that none of their bits is free. */
  canonical: boolean;
}

/** What is found of a file. */
export interface Verification {
  /** False when the file can't be read as a PDF at all. */
  readable: boolean;
  /**
   * Whether this is a file as this service sealed it, to the last bit, by what the file says itself: a seal of a
   * trusted root is intact, nothing but signing followed it, and the last signature covers all of the file in
   * the one encoding that this service writes.
   */
  untouched: boolean;
  /** In the order in which they were made. */
  signatures: readonly VerifiedSignature[];
}

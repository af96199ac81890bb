import type { Named } from "../sealing/named.ts";
import type { CertificateStatus } from "./certificate-status.ts";

/** What came after a revision: nothing, signature fields and validation data alone, or something else. */
export type LaterChanges = "none" | "signing" | "other";

/**
 * What came after the last seal of this service: nothing; validation data in this service's own form, of authorities that
 * are trusted, or of others (so is a timestamp of others within the seal); or something else.
 */
export type AfterSeal = "nothing" | "validation_data" | "validation_data_by_others" | "other";

/** By what it is known since when a signature has been there. Times are milliseconds since the UNIX epoch. */
export interface Proof {
  /** A timestamp over the signature, one over the document with it, or the service's own record of the very file. */
  by: "signature_timestamp" | "document_timestamp" | "record";
  at: number;
  /** The subject of the certificate that made the timestamp; null for a record. */
  authority: string | null;
  /** Whether it proves anything: its authority is one that is trusted, and its certificate was good. */
  trusted: boolean;
  /** Of the authority's certificate; null where that can't be told, and for a record. */
  certificateStatus: CertificateStatus | null;
}

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
  /** What it says that it is over; null where it does not say, as other signers do not. */
  named: Named | null;
  /** Whether its certificate chains to one of the roots that were given. */
  trusted: boolean;
  /** When it was made by its own claim (of a document timestamp: by its authority), in milliseconds. */
  claimedAt: number | null;
  /** When it existed, by a timestamp over it, in milliseconds. */
  timestampedAt: number | null;
  /** The subject of the certificate that made this timestamp. Whether it is to be trusted is for the reader to say. */
  timestampedBy: string | null;
  /** Since when it has been there; null without a timestamp and a record. One that is not trusted is told where there is no other. */
  proof: Proof | null;
  /** What its certificate was worth as of a proof that is trusted, else is worth now; null where that can't be told. */
  certificateStatus: CertificateStatus | null;
  /** Whether the time of a document timestamp's authority is trusted. */
  trustedTime: boolean;
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
   * trusted root is intact, and nothing followed it but validation data and timestamps of trusted authorities, in the one
   * encoding that this service writes.
   */
  untouched: boolean;
  /** Null where no seal of this service holds in the form that it writes. */
  afterSeal: AfterSeal | null;
  /** In the order in which they were made. */
  signatures: readonly VerifiedSignature[];
}

/** What is known beside a file; certificates and lists in DER. */
export interface Knowledge {
  /** Certificates of authorities whose timestamps are trusted. */
  timestampRoots?: readonly Uint8Array[];
  /** Certificates of authorities above those of this service: what came after a seal may be of them, too. */
  issuers?: readonly Uint8Array[];
  /** Revocation lists of now. */
  crls?: readonly Uint8Array[];
  /**
   * When the very file is on record to have been there, in milliseconds since the UNIX epoch, and the certificate (SHA-256,
   * in hex) that is recorded to have sealed it: without a seal of that one, the record proves nothing of it.
   */
  record?: { at: number; certificateSha256: string } | null;
}

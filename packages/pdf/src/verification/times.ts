import type { X509Certificate } from "node:crypto";
import { isTrusted } from "../asn1/chain.ts";
import type { Use } from "../asn1/profile.ts";
import { type CertificateStatus, certificateStatusOf, type Moment } from "./certificate-status.ts";
import type { Proof, VerifiedSignature } from "./findings.ts";
import type { Revocations } from "./revocations.ts";

/** A certificate, and those that came with it, in the one copy that there is of each. */
export interface Certified {
  signer: Uint8Array;
  certificates: readonly Uint8Array[];
}

/** Who signed, and the timestamp over the signature. */
export interface Signer extends Certified {
  timestamp: (Certified & { at: number; certificate: X509Certificate }) | null;
}

/** What times and certificates are judged by. */
export interface Judge {
  revocations: Revocations;
  now: number;
  /** Certificates that issuers may be among, beside those that come along. */
  known: readonly Uint8Array[];
  /** Certificates of this service, and of authorities whose time is trusted, in the one copy that there is of each. */
  roots: readonly Uint8Array[];
  timestampRoots: readonly Uint8Array[];
  /** When the very file is on record to have been there, sealed as it is; null when it is not. */
  recordedAt: number | null;
}

const oneLine = (name: string): string => name.replaceAll("\n", ", ");

/**
 * Tells of each intact signature since when it has been there, by whose word, and what its certificate was worth then:
 * from the last signature to the first, as each timestamp vouches for what it covers, later ones for former ones
 * (past signature validation, ETSI EN 319 102-1, 5.6.2). A timestamp whose authority is not trusted proves nothing: what
 * rests on it alone is judged as of now.
 *
 * @param signed the intact ones, each with who signed it
 */
export const judgeTimes = (judge: Judge, signed: readonly { found: VerifiedSignature; signer: Signer }[]): void => {
  const { recordedAt } = judge;
  let proof: Proof | null =
    recordedAt === null
      ? null
      : { by: "record", at: recordedAt, authority: null, trusted: true, certificateStatus: null };
  let untrusted: Proof | null = null;
  for (const { found, signer } of [...signed].sort((one, other) => other.found.coveredBytes - one.found.coveredBytes)) {
    const own = signer.timestamp && proofBy(judge, "signature_timestamp", signer.timestamp, proof);
    // Of the same second, its own timestamp says it first.
    found.proof = earliest(own?.trusted === true ? own : null, proof) ?? own ?? untrusted;
    found.certificateStatus = statusOf(judge, signer, judge.roots, momentOf(judge, found.proof), "signature");
    if (found.kind !== "document_timestamp" || found.claimedAt === null) continue;
    const authority = found.certificate?.subject ?? "";
    const document = proofBy(judge, "document_timestamp", { ...signer, at: found.claimedAt, authority }, proof);
    found.certificateStatus = document.certificateStatus;
    found.trustedTime = document.trusted;
    if (document.trusted) proof = earliest(proof, document);
    else untrusted = document;
  }
};

const momentOf = ({ now }: Judge, proof: Proof | null): Moment =>
  proof?.trusted === true ? { at: proof.at, isProven: true } : { at: now, isProven: false };

const earliest = (one: Proof | null, other: Proof | null): Proof | null =>
  one === null || (other !== null && other.at < one.at) ? other : one;

/** What a timestamp proves, as of the time that another one over it proves. */
const proofBy = (
  judge: Judge,
  by: Proof["by"],
  timestamp: Certified & { at: number; certificate?: X509Certificate; authority?: string },
  over: Proof | null,
): Proof => {
  const { signer, certificates, at } = timestamp;
  const authority = timestamp.authority ?? oneLine(timestamp.certificate?.subject ?? "");
  const found = statusOf(judge, timestamp, judge.timestampRoots, momentOf(judge, over), "timestamp");
  const isGood = found?.status === "good" || found?.status === "unknown";
  const known = [...certificates, ...judge.known];
  const trusted = isGood && isSoundly(() => isTrusted(signer, known, judge.timestampRoots, "timestamp"));
  return { by, at, authority, trusted, certificateStatus: found };
};

const statusOf = (
  { revocations, known }: Judge,
  { signer, certificates }: Certified,
  anchors: readonly Uint8Array[],
  moment: Moment,
  use: Use,
): CertificateStatus | null => {
  try {
    return certificateStatusOf(signer, [...certificates, ...known], anchors, revocations, moment, use);
  } catch {
    // What came along as a certificate can't be read as one.
    return null;
  }
};

const isSoundly = (check: () => boolean): boolean => {
  try {
    return check();
  } catch {
    return false;
  }
};

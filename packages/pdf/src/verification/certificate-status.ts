import { X509Certificate } from "node:crypto";
import { chainOf, isFit, isIssuedBy, isRoot, pathsTo } from "../asn1/chain.ts";
import type { Use } from "../asn1/profile.ts";
import type { Revocations } from "./revocations.ts";

/** What a certificate, with those above it, is worth at a time. Times are milliseconds since the UNIX epoch. */
export interface CertificateStatus {
  /** As of when it is judged. */
  at: number;
  /**
   * `unknown`: nothing at hand tells whether it, or one above it, was revoked, or one of them may not be used as it was. The
   * worst of what there is to say.
   */
  status: "good" | "unknown" | "not_yet_valid" | "expired" | "revoked";
  /** From when to when the certificate itself is valid. */
  validFrom: number;
  validUntil: number;
  /** Since when it, or one above it, is revoked, be that after the time in question; null when that is not known. */
  revokedAt: number | null;
  /** When it was last said, as far as is at hand, that none is revoked; null when nothing says so. */
  revocationKnownAt: number | null;
}

/** A time, and whether it is proven; what is not proven is now. */
export interface Moment {
  at: number;
  isProven: boolean;
}

const worst = ["good", "unknown", "not_yet_valid", "expired", "revoked"] as const;

/**
 * Judges a certificate and those above it, up to one that is trusted or the last at hand.
 * @param anchors certificates that are trusted as they are, in the one copy that there is of each
 */
export const certificateStatusOf = (
  certificate: Uint8Array,
  known: readonly Uint8Array[],
  anchors: readonly Uint8Array[],
  revocations: Revocations,
  { at, isProven }: Moment,
  use: Use,
): CertificateStatus => {
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  const paths = pathsTo(certificate, known, anchors);
  const isGoodAt = (path: readonly Uint8Array[]) => path.every((each) => validityAt(each, at) === "good");
  const fit = paths.filter((path) => isFit(path, use));
  const path = fit.find(isGoodAt) ?? fit[0] ?? paths[0] ?? chainOf(certificate, known);
  const judged = paths.length === 0 ? path : path.slice(0, Math.max(1, path.length - 1));
  const chain = withIssuer(path, known);
  const statuses: CertificateStatus["status"][] = judged.map((each) => validityAt(each, at));
  const revoked = judged.flatMap((each) => {
    const issuer = chain[chain.indexOf(each) + 1];
    if (issuer !== undefined) return [revocations.of(each, issuer, at, isProven)];
    // A root that is trusted needs nobody's word; any other certificate that signs itself has nobody's.
    return anchors.includes(each) && isRoot(each)
      ? []
      : [{ status: "unknown" as const, revokedAt: null, knownAt: null }];
  });
  const since = revoked.flatMap(({ revokedAt }) => (revokedAt === null ? [] : [revokedAt]));
  const said = revoked.map(({ knownAt }) => knownAt ?? Number.NaN);
  const knownAt = said.length === 0 ? Number.NaN : Math.min(...said);
  const all = [...statuses, ...revoked.map(({ status }) => status), ...(isFit(path, use) ? [] : ["unknown" as const])];
  return {
    at,
    status: worst.findLast((status) => all.includes(status)) ?? "unknown",
    validFrom: validFromDate.getTime(),
    validUntil: validToDate.getTime(),
    revokedAt: since.length === 0 ? null : Math.min(...since),
    revocationKnownAt: Number.isNaN(knownAt) ? null : knownAt,
  };
};

/** A certificate that is trusted itself may yet be revoked, of which its issuer tells. */
const withIssuer = (path: readonly Uint8Array[], known: readonly Uint8Array[]): readonly Uint8Array[] => {
  const [own, ...issuers] = path;
  if (own === undefined || issuers.length > 0 || isRoot(own)) return path;
  return [own, ...known.filter((candidate) => isIssuedBy(own, candidate)).slice(0, 1)];
};

const validityAt = (certificate: Uint8Array, at: number): "good" | "not_yet_valid" | "expired" => {
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  if (at < validFromDate.getTime()) return "not_yet_valid";
  return at > validToDate.getTime() ? "expired" : "good";
};

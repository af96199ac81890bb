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
 * Judges a certificate and those above it, up to one that is trusted or the last at hand. Of several ways the best counts,
 * whatever their order.
 * @param anchors certificates that are trusted as they are, in the one copy that there is of each
 */
export const certificateStatusOf = (
  certificate: Uint8Array,
  known: readonly Uint8Array[],
  anchors: readonly Uint8Array[],
  revocations: Revocations,
  moment: Moment,
  use: Use,
): CertificateStatus => {
  const paths = pathsTo(certificate, known, anchors);
  const fit = paths.filter((path) => isFit(path, use));
  const bench = { anchors, revocations, moment, isAnchored: paths.length > 0, isAnyFit: fit.length > 0 };
  const chains = fit.length > 0 ? fit : [paths[0] ?? chainOf(certificate, known)];
  const [first = [certificate], ...others] = chains.flatMap((chain) => withIssuers(chain, known));
  let best = statusBy(bench, certificate, first);
  for (const chain of others) {
    if (best.status === "good") break;
    const other = statusBy(bench, certificate, chain);
    if (worst.indexOf(other.status) < worst.indexOf(best.status)) best = other;
  }
  return best;
};

/** A certificate that is trusted itself may yet be revoked, of which its issuer tells. */
const withIssuers = (
  chain: readonly Uint8Array[],
  known: readonly Uint8Array[],
): readonly (readonly Uint8Array[])[] => {
  const [own, ...above] = chain;
  if (own === undefined || above.length > 0 || isRoot(own)) return [chain];
  const issuers = [...new Set(known)].filter((candidate) => isIssuedBy(own, candidate));
  return issuers.length === 0 ? [chain] : issuers.map((issuer) => [own, issuer]);
};

/** What the ways to certificates that are trusted are judged by. */
interface Bench {
  anchors: readonly Uint8Array[];
  revocations: Revocations;
  moment: Moment;
  /** Whether there are such ways, and whether one of them may be used so. */
  isAnchored: boolean;
  isAnyFit: boolean;
}

const statusBy = (
  { anchors, revocations, moment: { at, isProven }, isAnchored, isAnyFit }: Bench,
  certificate: Uint8Array,
  chain: readonly Uint8Array[],
): CertificateStatus => {
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  const judged = isAnchored ? chain.slice(0, Math.max(1, chain.length - 1)) : chain;
  const statuses: CertificateStatus["status"][] = judged.map((each) => validityAt(each, at));
  const revoked = judged.flatMap((each, index) => {
    const issuer = chain[index + 1];
    if (issuer !== undefined) return [revocations.of(each, issuer, at, isProven)];
    // A root that is trusted needs nobody's word; any other certificate that signs itself has nobody's.
    return anchors.includes(each) && isRoot(each)
      ? []
      : [{ status: "unknown" as const, revokedAt: null, knownAt: null }];
  });
  const since = revoked.flatMap(({ revokedAt }) => (revokedAt === null ? [] : [revokedAt]));
  const said = revoked.map(({ knownAt }) => knownAt ?? Number.NaN);
  const knownAt = said.length === 0 ? Number.NaN : Math.min(...said);
  const all = [...statuses, ...revoked.map(({ status }) => status), ...(isAnyFit ? [] : ["unknown" as const])];
  return {
    at,
    status: worst.findLast((status) => all.includes(status)) ?? "unknown",
    validFrom: validFromDate.getTime(),
    validUntil: validToDate.getTime(),
    revokedAt: since.length === 0 ? null : Math.min(...since),
    revocationKnownAt: Number.isNaN(knownAt) ? null : knownAt,
  };
};

const validityAt = (certificate: Uint8Array, at: number): "good" | "not_yet_valid" | "expired" => {
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  if (at < validFromDate.getTime()) return "not_yet_valid";
  return at > validToDate.getTime() ? "expired" : "good";
};

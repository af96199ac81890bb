import { X509Certificate } from "node:crypto";
import { isWeak } from "../asn1/algorithms.ts";
import { authorizedResponder, isAbout, needsNoCheck, readOcspResponse } from "../asn1/ocsp.ts";
import { coversCertificate, crlHolds, readRevocationList, revokedSince } from "../asn1/revocation-list.ts";

/** How old an answer may be that does not say until when it holds: as sealing has it. */
const MAX_AGE_MS = 30 * 60_000;
/** How often signatures upon lists and responses are checked for one file: what is looked through for each other. */
const MAX_CHECKS = 2_000;

/** What one list or response says of one certificate. Times are milliseconds since the UNIX epoch. */
interface Statement {
  /** Since when it is revoked; null when it is not. */
  revokedAt: number | null;
  from: number;
  until: number;
  /** Whether it is also believed that a certificate is good, or was before; if not, that it is revoked alone. */
  saysGood: boolean;
}

/** What is known of a certificate's revocation. */
export interface Revocation {
  status: "good" | "revoked" | "unknown";
  /** Since when it is revoked, be that after the time in question. */
  revokedAt: number | null;
  /** When what it rests on was said; null when it rests on nothing. */
  knownAt: number | null;
}

/** Tells of revocation by lists and responses that are at hand (DER); nothing is asked for. */
export class Revocations {
  readonly #crls: readonly Uint8Array[];
  readonly #ocsps: readonly Uint8Array[];
  readonly #now: number;
  /** By the certificate, then by its issuer, each in one copy. */
  readonly #known = new Map<Uint8Array, Map<Uint8Array, Statement[]>>();
  #checksLeft = MAX_CHECKS;

  constructor({ crls, ocsps }: { crls: readonly Uint8Array[]; ocsps: readonly Uint8Array[] }, now: number) {
    this.#crls = crls;
    this.#ocsps = ocsps;
    this.#now = now;
  }

  /**
   * Of a certificate at a time.
   * @param isProven whether that time is: where it is not, what was revoked at any time is taken for revoked
   */
  of(certificate: Uint8Array, issuer: Uint8Array, at: number, isProven: boolean): Revocation {
    const statements = this.#statementsOn(certificate, issuer).filter(({ from }) => from <= this.#now + MAX_AGE_MS);
    const since = statements.flatMap(({ revokedAt }) => (revokedAt === null ? [] : [revokedAt]));
    const revokedAt = since.length === 0 ? null : Math.min(...since);
    if (revokedAt !== null && (!isProven || revokedAt <= at))
      return { status: "revoked", revokedAt, knownAt: lastOf(statements) };
    const taken = statements.filter(({ saysGood }) => saysGood);
    const isGood = taken.some((each) => each.revokedAt !== null || each.until >= at);
    return { status: isGood ? "good" : "unknown", revokedAt, knownAt: lastOf(taken) };
  }

  #statementsOn(certificate: Uint8Array, issuer: Uint8Array): Statement[] {
    const byIssuer = this.#known.get(certificate) ?? new Map<Uint8Array, Statement[]>();
    this.#known.set(certificate, byIssuer);
    const known = byIssuer.get(issuer);
    if (known !== undefined) return known;
    // A responder that is asked about itself has nothing to say.
    byIssuer.set(issuer, []);
    const statements = [
      ...this.#crls.flatMap((crl) => this.#read(() => this.#byList(crl, certificate, issuer))),
      ...this.#ocsps.flatMap((response) => this.#read(() => this.#byResponse(response, certificate, issuer))),
    ];
    byIssuer.set(issuer, statements);
    return statements;
  }

  /** What can't be read says nothing. */
  #read(read: () => Statement | null): Statement[] {
    if (this.#checksLeft <= 0) return [];
    this.#checksLeft -= 1;
    try {
      const statement = read();
      return statement === null ? [] : [statement];
    } catch {
      return [];
    }
  }

  #byList(crl: Uint8Array, certificate: Uint8Array, issuer: Uint8Array): Statement | null {
    if (!crlHolds(crl, issuer)) return null;
    const list = readRevocationList(crl);
    const revokedAt = revokedSince(list, certificate);
    if (revokedAt === null && !coversCertificate(list, certificate)) return null;
    const { thisUpdate: from, nextUpdate, isWeak: isListWeak } = list;
    return { revokedAt, from, until: nextUpdate ?? from + MAX_AGE_MS, saysGood: !isListWeak };
  }

  #byResponse(bytes: Uint8Array, certificate: Uint8Array, issuer: Uint8Array): Statement | null {
    const response = readOcspResponse(bytes);
    const about = response.statuses.filter((each) => isAbout(each, certificate, issuer));
    // Told twice, the worst counts.
    const status = about.find((each) => each.status !== "good") ?? about[0];
    if (status === undefined || status.status === "unknown") return null;
    const end = new X509Certificate(certificate).validToDate.getTime();
    const tellsOfEnded = status.archiveCutoff !== null && status.archiveCutoff <= end;
    if (status.status === "good" && status.thisUpdate > end && !tellsOfEnded) return null;
    const responder = authorizedResponder(response, issuer, status.thisUpdate);
    if (responder === null) return null;
    const isChecked = responder === issuer || needsNoCheck(responder);
    const own = isChecked ? "good" : this.of(responder, issuer, status.thisUpdate, true).status;
    if (own === "revoked") return null;
    // No longer than whoever says it.
    const ends = new X509Certificate(responder).validToDate.getTime();
    const until = Math.min(ends, status.nextUpdate ?? status.thisUpdate + MAX_AGE_MS);
    const saysGood = own === "good" && !isWeak(response.algorithm);
    return { revokedAt: status.revokedAt, from: status.thisUpdate, until, saysGood };
  }
}

/** When the last of some statements was made; null where there are none. */
const lastOf = (statements: readonly Statement[]): number | null =>
  statements.length === 0 ? null : Math.max(...statements.map(({ from }) => from));

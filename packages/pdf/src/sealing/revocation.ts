import type { Clock, Random } from "@rubrica/runtime";
import { isWeak } from "../asn1/algorithms.ts";
import { crlAddresses, ocspAddresses } from "../asn1/certificate-fields.ts";
import {
  authorizedResponder,
  encodeOcspResponse,
  isAbout,
  NoOcspStatus,
  needsNoCheck,
  ocspRequest,
  readOcspResponse,
} from "../asn1/ocsp.ts";
import { coversCertificate, crlHolds, isRevokedBy, readRevocationList } from "../asn1/revocation-list.ts";
import { firstOf } from "./attempts.ts";
import { exchange } from "./download.ts";

const OCSP_LIMITS = { timeoutMs: 10_000, maxBytes: 100_000 };
const CRL_LIMITS = { timeoutMs: 10_000, maxBytes: 5 * 1024 * 1024 };
const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** How old an answer may be that does not say until when it holds: as pyHanko has it. */
const MAX_AGE_MS = 30 * 60_000;
/** The size that RFC 9654 (2.1) recommends. */
const NONCE_BYTES = 32;

/** That a certificate is not revoked, in DER: a revocation list, or an OCSP response and its responder's certificate. */
export interface RevocationData {
  certificates: readonly Uint8Array[];
  crls: readonly Uint8Array[];
  ocsps: readonly Uint8Array[];
}

/** What asking takes. */
export interface RevocationTools {
  clock: Clock;
  random: Random;
}

/** No address tells whether a certificate is revoked; the message says why, by address. */
export class StatusUnknown extends Error {
  override name = "StatusUnknown";
}

interface Inquiry extends RevocationTools {
  certificate: Uint8Array;
  issuer: Uint8Array;
  /** Whether the certificate is that of a responder, for which another one like it can't vouch. */
  isResponder: boolean;
}

/**
 * Asks whether a certificate is revoked, where it says: by OCSP first, which is current and small, then by revocation
 * list, as EU DSS and pyHanko do. Three rounds at most. Throws {@link StatusUnknown}.
 */
export const revocationOf = async (
  certificate: Uint8Array,
  issuer: Uint8Array,
  tools: RevocationTools,
): Promise<RevocationData | "revoked"> => inquire({ ...tools, certificate, issuer, isResponder: false });

const inquire = async (inquiry: Inquiry, rounds?: number): Promise<RevocationData | "revoked"> => {
  const { certificate, clock } = inquiry;
  const asks = [
    ...ocspAddresses(certificate).map((address) => named("OCSP", (round) => byOcsp(inquiry, address, round))),
    ...crlAddresses(certificate).map((address) => named("CRL", () => byList(inquiry, address))),
  ];
  if (asks.length === 0) throw new StatusUnknown("it names neither an OCSP responder nor a revocation list");
  try {
    return await firstOf(clock, asks, rounds);
  } catch (error) {
    const errors = error instanceof AggregateError ? error.errors : [error];
    throw new StatusUnknown(errors.map(messageOf).join("; "), { cause: error });
  }
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "failed");

type Ask = (round: number) => Promise<RevocationData | "revoked">;

/** Adds the protocol's name to the failures of a request. */
const named =
  (protocol: string, ask: Ask): Ask =>
  (round) =>
    ask(round).catch((error: unknown) => {
      throw new StatusUnknown(`${protocol}: ${messageOf(error)}`, { cause: error });
    });

/**
 * The first request has a nonce: it makes responders answer anew instead of out of a cache, so that what is embedded
 * is not older than the signature. Many answer without it, which RFC 5019 (4) lets pass when the times are right; some
 * refuse it, so that further requests have none. A nonce that was not sent is another request's answer.
 */
const byOcsp = async (inquiry: Inquiry, address: string, round: number): Promise<RevocationData | "revoked"> => {
  const { certificate, issuer, clock, random } = inquiry;
  const nonce = round === 0 ? random.bytes(NONCE_BYTES) : null;
  const body = ocspRequest(certificate, issuer, nonce);
  const contentType = "application/ocsp-request";
  const answer = await exchange(clock, address, OCSP_LIMITS, { method: "POST", contentType, body });
  const response = readOcspResponse(answer);
  if (response.nonce !== null && (nonce === null || Buffer.compare(response.nonce, nonce) !== 0)) {
    throw new NoOcspStatus("the response answers another request");
  }
  const responder = authorizedResponder(response, issuer, clock.now());
  const status = response.statuses.find((each) => isAbout(each, certificate, issuer));
  // Over a weak digest it is believed that a certificate is revoked, not that it is good.
  if (responder === null || (isWeak(response.algorithm) && status?.status !== "revoked"))
    throw new NoOcspStatus("the response is not signed as it must");
  if (status === undefined) throw new NoOcspStatus("the response is about another certificate");
  assertCurrent(status, clock);
  if (status.status === "unknown") throw new NoOcspStatus("the responder does not know the certificate");
  const ofResponder = responder === issuer ? nothing : await ofDelegated(inquiry, responder);
  if (status.status === "revoked") return "revoked";
  const delegated = responder === issuer ? null : responder;
  return { ...ofResponder, ocsps: [new Uint8Array(encodeOcspResponse(response, delegated)), ...ofResponder.ocsps] };
};

const nothing: RevocationData = { certificates: [], crls: [], ocsps: [] };

/** A delegated responder's certificate and, unless its issuer waives that, that it is not revoked. */
const ofDelegated = async (inquiry: Inquiry, responder: Uint8Array): Promise<RevocationData> => {
  if (needsNoCheck(responder)) return { ...nothing, certificates: [responder] };
  if (inquiry.isResponder) throw new NoOcspStatus("responders vouch for each other");
  const data = await inquire({ ...inquiry, certificate: responder, isResponder: true }, 1);
  if (data === "revoked") throw new NoOcspStatus("the responder's certificate is revoked");
  return { ...data, certificates: [responder, ...data.certificates] };
};

const byList = async (
  { certificate, issuer, clock }: Inquiry,
  address: string,
): Promise<RevocationData | "revoked"> => {
  const crl = await exchange(clock, address, CRL_LIMITS);
  if (!crlHolds(crl, issuer)) throw new StatusUnknown("the list is not signed by the issuer");
  const list = readRevocationList(crl);
  const isRevoked = isRevokedBy(list, certificate);
  if (!isRevoked && (list.isWeak || !coversCertificate(list, certificate)))
    throw new StatusUnknown("the list can't be relied on");
  assertCurrent(list, clock);
  return isRevoked ? "revoked" : { ...nothing, crls: [crl] };
};

/** Throws {@link StatusUnknown} for what holds only later, or held only earlier. */
const assertCurrent = (
  { thisUpdate, nextUpdate }: { thisUpdate: number; nextUpdate: number | null },
  clock: Clock,
): void => {
  const now = clock.now();
  if (thisUpdate > now + CLOCK_TOLERANCE_MS) throw new StatusUnknown("what it says is of the future");
  if ((nextUpdate ?? thisUpdate + MAX_AGE_MS) < now) throw new StatusUnknown("what it says is out of date");
};

import { createHash, type X509Certificate } from "node:crypto";
import type { Clock, Random } from "@rubrica/runtime";
import { digestOf } from "../asn1/algorithms.ts";
import {
  boolean,
  childrenOf,
  der,
  instantOf,
  objectIdentifier,
  readDer,
  sequence,
  smallInteger,
  tag,
  unsignedInteger,
} from "../asn1/der.ts";
import { oid } from "../asn1/oids.ts";
import {
  InvalidSignature,
  inOneEncoding,
  NotJudged,
  namesItsCertificate,
  readSignedData,
  type SignedData,
  verifySignedData,
} from "../asn1/signed-data.ts";
import { exchange } from "./download.ts";

const LIMITS = { timeoutMs: 10_000, maxBytes: 100_000 };
/** How far the server's clock and this machine's may be apart: with more, one of them states a wrong time. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** No timestamp was to be had; the document is not sealed with less than what was asked for. */
export class TimestampFailed extends Error {
  override name = "TimestampFailed";
}

/** What a timestamp says (RFC 3161, 2.4.2). */
export interface Timestamp {
  /** Milliseconds since the UNIX epoch. */
  at: number;
  /** The timestamp authority's certificate; its trust is not judged here. */
  certificate: X509Certificate;
  signedData: SignedData;
  nonce: Uint8Array | null;
}

/**
 * Asks a timestamp server (RFC 3161, over HTTP) once for a token over a SHA-256 digest. What it answers is verified before
 * it is taken. Throws why it is not.
 */
export const requestTimestamp = async (
  url: string,
  digest: Uint8Array,
  clock: Clock,
  random: Random,
): Promise<Uint8Array> => {
  const nonce = random.bytes(8);
  const imprint = sequence(sequence(objectIdentifier(oid.sha256), der(tag.null)), der(tag.octetString, digest));
  const body = sequence(smallInteger(1), imprint, unsignedInteger(nonce), boolean(true));
  const contentType = "application/timestamp-query";
  const answer = readDer(await exchange(clock, url, LIMITS, { method: "POST", contentType, body }));
  const [status, token] = childrenOf(answer);
  const [code] = status === undefined ? [] : childrenOf(status);
  const granted = code?.tag === tag.integer && code.content.length === 1 && (code.content[0] ?? 2) <= 1;
  if (!granted || token === undefined) throw new InvalidSignature("the timestamp server refused");
  const canonical = new Uint8Array(inOneEncoding(token.encoded));
  const timestamp = readTimestamp(canonical, digest);
  const echoed = timestamp.nonce === null ? null : unsignedInteger(timestamp.nonce);
  if (echoed === null || !unsignedInteger(nonce).equals(echoed)) {
    throw new InvalidSignature("the timestamp answers another request");
  }
  assertOfNow(timestamp, clock.now());
  return canonical;
};

/** A timestamp is asked for to state the present, by a certificate and a digest that validators will take. */
const assertOfNow = (timestamp: Timestamp, now: number): void => {
  const { at, signedData } = timestamp;
  if (Math.abs(at - now) > CLOCK_TOLERANCE_MS) {
    throw new InvalidSignature("the timestamp's time is not that of this machine");
  }
  if (!wasValid(timestamp)) throw new InvalidSignature("the timestamp's certificate has expired, or is not valid yet");
  if (signedData.digest === "sha1") throw new InvalidSignature("the timestamp is signed over SHA-1");
};

/**
 * Reads a timestamp token in its one encoding, and checks that it is over the SHA-256 digest, and signed by a certificate
 * for timestamping that it names. Throws {@link InvalidSignature}, `NotJudged` or `NotDer`.
 */
export const readTimestamp = (token: Uint8Array, digest: Uint8Array): Timestamp =>
  timestampIn(readSignedData(token), (algorithm) => (algorithm === "sha256" ? digest : new Uint8Array()));

/**
 * Reads a timestamp token as others may have asked for it.
 * @param hashOf the digest, by an algorithm, of what it has to be over
 */
export const readAnyTimestamp = (token: Uint8Array, hashOf: (algorithm: string) => Uint8Array): Timestamp => {
  const digests: string[] = [];
  const timestamp = timestampIn(readSignedData(token, false), (algorithm) => {
    digests.push(algorithm);
    return hashOf(algorithm);
  });
  if ([...digests, timestamp.signedData.digest].includes("sha1")) throw new NotJudged("the timestamp rests on SHA-1");
  if (!wasValid(timestamp)) throw new InvalidSignature("the timestamp's certificate had expired, or was not valid yet");
  return timestamp;
};

const wasValid = ({ at, certificate }: Timestamp): boolean =>
  certificate.validFromDate.getTime() <= at && at <= certificate.validToDate.getTime();

const timestampIn = (signedData: SignedData, hashOf: (algorithm: string) => Uint8Array): Timestamp => {
  const { content } = signedData;
  if (signedData.contentType !== oid.tstInfo || content === null) throw new InvalidSignature("it is no timestamp");
  const certificate = verifySignedData(signedData, (algorithm) => createHash(algorithm).update(content).digest());
  if (!namesItsCertificate(signedData)) throw new InvalidSignature("the timestamp does not name its certificate");
  if (certificate.keyUsage?.join() !== oid.timeStamping) {
    throw new InvalidSignature("the timestamp's certificate is not for timestamps");
  }
  const [, , imprint, , time, ...rest] = childrenOf(readDer(content));
  const [algorithm, hash] = imprint === undefined ? [] : childrenOf(imprint);
  if (algorithm === undefined || !hash || !Buffer.from(hashOf(digestOf(algorithm))).equals(hash.content)) {
    throw new InvalidSignature("the timestamp is over something else");
  }
  if (time?.tag !== tag.generalizedTime) throw new InvalidSignature("the timestamp has no time");
  const nonce = rest.find((field) => field.tag === tag.integer)?.content ?? null;
  return { at: instantOf(time), certificate, signedData, nonce };
};

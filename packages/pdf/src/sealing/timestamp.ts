import { createHash, type X509Certificate } from "node:crypto";
import type { Clock, Random } from "@rubrica/runtime";
import { digestOf } from "../asn1/algorithms.ts";
import {
  boolean,
  childrenOf,
  der,
  type Element,
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
  namesItsCertificate,
  readSignedData,
  type SignedData,
  verifySignedData,
  withItsChainOnly,
} from "../asn1/signed-data.ts";
import { exchange } from "./download.ts";

const LIMITS = { timeoutMs: 10_000, maxBytes: 100_000 };
/** Waits before each attempt, in milliseconds. */
const ATTEMPTS_AFTER_MS = [0, 500, 2_000];

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
 * Asks a timestamp server (RFC 3161, over HTTP) for a token over a SHA-256 digest, three times at most.
 * What it answers is verified before it is taken. Throws {@link TimestampFailed}.
 */
export async function requestTimestamp(
  url: string,
  digest: Uint8Array,
  clock: Clock,
  random: Random,
): Promise<Uint8Array> {
  let cause: unknown;
  for (const waitMs of ATTEMPTS_AFTER_MS) {
    if (waitMs > 0) await clock.wait(waitMs);
    try {
      return await attempt(url, digest, clock, random);
    } catch (error) {
      cause = error;
    }
  }
  throw new TimestampFailed("the timestamp server gave no valid timestamp", { cause });
}

async function attempt(url: string, digest: Uint8Array, clock: Clock, random: Random): Promise<Uint8Array> {
  const nonce = random.bytes(8);
  const imprint = sequence(sequence(objectIdentifier(oid.sha256), der(tag.null)), der(tag.octetString, digest));
  const body = sequence(smallInteger(1), imprint, unsignedInteger(nonce), boolean(true));
  const contentType = "application/timestamp-query";
  const answer = readDer(await exchange(clock, url, LIMITS, { method: "POST", contentType, body }));
  const [status, token] = childrenOf(answer);
  const [code] = status === undefined ? [] : childrenOf(status);
  const granted = code?.tag === tag.integer && code.content.length === 1 && (code.content[0] ?? 2) <= 1;
  if (!granted || token === undefined) throw new InvalidSignature("the timestamp server refused");
  const timestamp = readTimestamp(token.encoded, digest);
  const echoed = timestamp.nonce === null ? null : unsignedInteger(timestamp.nonce);
  if (echoed === null || !unsignedInteger(nonce).equals(echoed)) {
    throw new InvalidSignature("the timestamp answers another request");
  }
  return new Uint8Array(withItsChainOnly(token.encoded));
}

/**
 * Reads a timestamp token and checks that it is over the digest, and signed by a certificate for
 * timestamping that it names. Throws {@link InvalidSignature} or `NotDer`.
 */
export function readTimestamp(token: Uint8Array, digest: Uint8Array): Timestamp {
  const signedData = readSignedData(token);
  const { content } = signedData;
  if (signedData.contentType !== oid.tstInfo || content === null) throw new InvalidSignature("it is no timestamp");
  const certificate = verifySignedData(signedData, (algorithm) => createHash(algorithm).update(content).digest());
  if (!namesItsCertificate(signedData)) throw new InvalidSignature("the timestamp does not name its certificate");
  if (certificate.keyUsage?.join() !== oid.timeStamping) {
    throw new InvalidSignature("the timestamp's certificate is not for timestamps");
  }
  const [, , imprint, , time, ...rest] = childrenOf(readDer(content));
  const [algorithm, hash] = imprint === undefined ? [] : childrenOf(imprint);
  if (
    algorithm === undefined ||
    digestOf(algorithm) !== "sha256" ||
    !hash ||
    !Buffer.from(digest).equals(hash.content)
  ) {
    throw new InvalidSignature("the timestamp is over something else");
  }
  const nonce = rest.find((field) => field.tag === tag.integer)?.content ?? null;
  return { at: generalizedTime(time), certificate, signedData, nonce };
}

/** `YYYYMMDDhhmmss[.f]Z` (RFC 3161, 2.4.2) in milliseconds since the UNIX epoch. */
function generalizedTime(element: Element | undefined): number {
  const text = element?.tag === tag.generalizedTime ? Buffer.from(element.content).toString("latin1") : "";
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d+)?Z$/.exec(text);
  if (match === null) throw new InvalidSignature("the timestamp has no time");
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return Date.UTC(year, month - 1, day, hour, minute, second) + Math.floor(Number(match[7] ?? 0) * 1_000);
}

import { createHash } from "node:crypto";
import { isoTime } from "@rubrica/runtime";
import { isTrusted } from "../asn1/chain.ts";
import { oid } from "../asn1/oids.ts";
import { attribute, InvalidSignature, readSignedData, verifySignedData } from "../asn1/signed-data.ts";
import type { Timestamps } from "../port.ts";
import { Authorities } from "./authorities.ts";
import { encodeCms, signDigest } from "./cms.ts";
import type { SigningIdentity } from "./identity.ts";
import { type Named, readNamed } from "./named.ts";
import type { RevocationTools } from "./revocation.ts";
import { readTimestamp, TimestampFailed } from "./timestamp.ts";

const sha256 = (data: Uint8Array): Buffer => createHash("sha256").update(data).digest();

/** A statement's signature: a detached CMS, and when it existed by a timestamp; null without one. */
export interface StatementSignature {
  cms: Uint8Array;
  /** Milliseconds since the UNIX epoch. */
  timestampedAt: number | null;
}

/** Signs what is no PDF, with a timestamp where authorities are given and one of them has one. */
export const signStatement = async (
  tools: RevocationTools,
  statement: Uint8Array,
  named: Named,
  { identity, timestamps }: { identity: SigningIdentity; timestamps?: Timestamps | undefined },
): Promise<StatementSignature> => {
  const parts = await signDigest(identity, sha256(statement), named);
  const token = timestamps && (await timestampOver(parts.signature, timestamps, tools));
  const cms = encodeCms({ ...parts, timestampToken: token?.token ?? null });
  return { cms, timestampedAt: token?.at ?? null };
};

/** What is signed without a timestamp is worth more than what is not signed until an authority is back. */
const timestampOver = async (signature: Uint8Array, { urls }: Timestamps, tools: RevocationTools) => {
  try {
    return await new Authorities(urls, tools, false).timestamp(sha256(signature));
  } catch (error) {
    if (error instanceof TimestampFailed) return undefined;
    throw error;
  }
};

/** What a statement's signature is found to be. */
export interface CheckedStatement {
  /** Of the certificate that signed, in lower-case hex. */
  certificateSha256: string;
  /** Whether it chains to one of the roots. */
  trusted: boolean;
  timestampedAt: number | null;
}

/** What is said of a signature where it is kept, and is not signed with it. */
export interface SaidOfSignature {
  /** Of the certificate that signed, in lower-case hex. */
  certificateSha256: string;
  /** ISO 8601, UTC; null without a timestamp. */
  timestampedAt: string | null;
}

/**
 * Checks a detached CMS over a statement that has to be of that name.
 * @param roots certificates (DER)
 * @param said what is said of it, where that is to be true
 * @throws {InvalidSignature} when it does not hold, is over something else, or is not as is said.
 */
export const checkStatement = (
  statement: Uint8Array,
  named: Named,
  cms: Uint8Array,
  roots: readonly Uint8Array[],
  said?: SaidOfSignature,
): CheckedStatement => {
  const signedData = strictly(cms);
  verifySignedData(signedData, (algorithm) => createHash(algorithm).update(statement).digest());
  const value = attribute(signedData.signed, oid.rubricaNamed);
  const found = value === undefined ? null : readNamed(value);
  if (found?.kind !== named.kind || found.id !== named.id) throw new InvalidSignature("it names something else");
  const token = attribute(signedData.unsigned, oid.signatureTimeStamp)?.encoded;
  const timestampedAt = token === undefined ? null : readTimestamp(token, sha256(signedData.signature)).at;
  const certificateSha256 = sha256(signedData.signer).toString("hex");
  const isAsSaid =
    said === undefined ||
    (said.certificateSha256 === certificateSha256 &&
      said.timestampedAt === (timestampedAt === null ? null : isoTime(timestampedAt)));
  if (!isAsSaid) throw new InvalidSignature("its certificate or its timestamp is not the one that is recorded with it");
  return {
    certificateSha256,
    trusted: isTrusted(signedData.signer, signedData.certificates, roots, "signature"),
    timestampedAt,
  };
};

/** What can't be read at all does not hold either. */
const strictly = (cms: Uint8Array) => {
  try {
    return readSignedData(cms);
  } catch (error) {
    if (error instanceof InvalidSignature) throw error;
    throw new InvalidSignature("it is no signature that can be read", { cause: error });
  }
};

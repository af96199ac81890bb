import { createHash } from "node:crypto";
import type { Stamp } from "@rubrica/pdf-drawing/stamping/box";
import type { Clock, Random } from "@rubrica/runtime";
import type { Sealed, Sealing, Timestamps } from "../port.ts";
import { Authorities, saidBy, type Token } from "./authorities.ts";
import { type CmsParts, encodeCms, signDigest } from "./cms.ts";
import { TOKEN_BYTES, unprovenAs, withDocumentTimestamp, withReserved } from "./document-timestamp.ts";
import { fill } from "./fill.ts";
import { partOf } from "./named.ts";
import type { SealingRunner } from "./tasks.ts";
import { TimestampFailed } from "./timestamp.ts";
import {
  CertificateRevoked,
  gatherValidationData,
  type ValidationData,
  ValidationDataMissing,
} from "./validation-data.ts";

/** What a CMS takes beside its certificates and its timestamp. */
const CMS_BYTES = 1_024;

/** What sealing works with. */
export interface SealTools {
  runner: SealingRunner;
  clock: Clock;
  random: Random;
}

const sha256 = (data: Uint8Array): Buffer => createHash("sha256").update(data).digest();

/**
 * Stamps and seals a document: PAdES baseline (ETSI EN 319 142-1). One seal for a document that carried no
 * signature; else one for each stamp, since each is the appearance of a field of its own.
 */
export const seal = async (
  tools: SealTools,
  bytes: Uint8Array,
  stamps: readonly Stamp[],
  sealing: Sealing,
): Promise<Sealed> => {
  const { identity, timestamps } = sealing;
  // Where there is another authority to turn to, one whose certificate is revoked is found at once.
  const authorities = timestamps && new Authorities(timestamps.urls, tools, timestamps.urls.length > 1);
  const tokens: Token[] = [];
  let current = bytes;
  let left = stamps;
  let unproven: string | null = null;
  do {
    const one = await sealOnce(tools, current, left, sealing, authorities);
    if (one.token !== null) tokens.push(one.token);
    [current, left, unproven] = [one.bytes, one.left, one.unprovenIssuer];
  } while (left.length > 0);
  const timestamp = tokens.at(-1);
  const sealed: Sealed = {
    bytes: current,
    level: timestamps === undefined ? "B-B" : "B-T",
    shortfall: null,
    isShortfallTemporary: false,
    certificateSha256: identity.certificateSha256,
    timestamp: timestamp === undefined ? null : saidBy(timestamp),
    provenUntil: null,
  };
  if (timestamps === undefined || authorities === undefined || timestamps.level === "B-T") return sealed;
  const archived = await archive(tools, sealed, sealing, timestamps, authorities, tokens);
  if (unproven === null || archived.shortfall !== null) return archived;
  return { ...archived, ...unprovenAs(unproven) };
};

/** One seal: the document prepared, its digest signed, the signature timestamped and put into its place. */
const sealOnce = async (
  { runner }: SealTools,
  bytes: Uint8Array,
  stamps: readonly Stamp[],
  { identity, sealedAt, reason, named }: Sealing,
  authorities: Authorities | undefined,
): Promise<{ bytes: Uint8Array; left: readonly Stamp[]; token: Token | null; unprovenIssuer: string | null }> => {
  const certificateBytes = [identity.certificate, ...identity.issuers].reduce((sum, { length }) => sum + length, 0);
  const expectedBytes = CMS_BYTES + certificateBytes + (authorities === undefined ? 0 : TOKEN_BYTES);
  return withReserved(expectedBytes, async (contentsBytes) => {
    const prepared = await runner.run({
      kind: "prepareSeal",
      bytes,
      stamps,
      contentsBytes,
      entries: { type: "Sig", subFilter: "ETSI.CAdES.detached", claimedAt: sealedAt, reason: reason ?? null },
    });
    const over = prepared.left.length > 0 ? partOf(named) : named;
    const parts: CmsParts = await signDigest(identity, prepared.digest, over);
    const token = (await authorities?.timestamp(sha256(parts.signature))) ?? null;
    fill(prepared, encodeCms({ ...parts, timestampToken: token?.token ?? null }));
    return { bytes: prepared.bytes, left: prepared.left, token, unprovenIssuer: prepared.unprovenIssuer };
  });
};

/** Adds validation data (B-LT), and a document timestamp over all (B-LTA). */
const archive = async (
  { runner, clock, random }: SealTools,
  sealed: Sealed,
  { identity }: Sealing,
  { level = "B-LTA" }: Timestamps,
  authorities: Authorities,
  tokens: readonly Token[],
): Promise<Sealed> => {
  let data: ValidationData;
  try {
    const signers = [identity.certificate, ...tokens.map(({ signedData }) => signedData.signer)];
    const known = [...identity.issuers, ...tokens.flatMap(({ signedData }) => signedData.certificates)];
    data = await gatherValidationData(signers, known, identity.authority, { clock, random });
  } catch (error) {
    if (error instanceof ValidationDataMissing) {
      return { ...sealed, shortfall: error.message, isShortfallTemporary: error.isTemporary };
    }
    if (error instanceof CertificateRevoked && error.signer !== identity.certificate) {
      throw new TimestampFailed("the timestamp server's certificate is revoked", { cause: error });
    }
    throw error;
  }
  if (level === "B-LT") {
    return { ...sealed, bytes: await runner.run({ kind: "addValidationData", bytes: sealed.bytes, data }), level };
  }
  const { bytes, provenUntil } = await withDocumentTimestamp(runner, sealed.bytes, data, authorities);
  return { ...sealed, bytes, level: "B-LTA", provenUntil };
};

import { createHash } from "node:crypto";
import type { Clock, Random } from "@rubrica/runtime";
import type { TaskRunner } from "../engine/runner.ts";
import type { Sealed, Sealing, Stamp, Timestamps } from "../port.ts";
import { type CmsParts, encodeCms, signDigest } from "./cms.ts";
import { fill, type Prepared, SignatureTooLong } from "./field.ts";
import { readTimestamp, requestTimestamp, TimestampFailed } from "./timestamp.ts";
import {
  CertificateRevoked,
  gatherValidationData,
  type ValidationData,
  ValidationDataMissing,
} from "./validation-data.ts";

/** What a CMS takes beside its certificates and its timestamp. */
const CMS_BYTES = 1_024;
/** What most timestamp tokens fit in; more room is made for a larger one. */
const TOKEN_BYTES = 8_192;

/** As long as a record of a seal takes why its level is lower. */
const MAX_REASON_LENGTH = 500;

/** What sealing works with. */
export interface SealTools {
  runner: TaskRunner;
  clock: Clock;
  random: Random;
}

/** A name as Node gives it, which has a line for each part. */
const oneLine = (name: string): string => name.replaceAll("\n", ", ");

const sha256 = (data: Uint8Array): Buffer => createHash("sha256").update(data).digest();

/**
 * Stamps and seals a document: PAdES baseline (ETSI EN 319 142-1). One seal for a document that carried no
 * signature; else one for each stamp, since each is the appearance of a field of its own.
 */
export async function seal(
  tools: SealTools,
  bytes: Uint8Array,
  stamps: readonly Stamp[],
  sealing: Sealing,
): Promise<Sealed> {
  const { identity, timestamps } = sealing;
  const tokens: { token: Uint8Array; digest: Uint8Array }[] = [];
  let current = bytes;
  let left = stamps;
  let unproven: string | null = null;
  do {
    const one = await sealOnce(tools, current, left, sealing);
    if (one.parts.timestampToken !== null) {
      tokens.push({ token: one.parts.timestampToken, digest: sha256(one.parts.signature) });
    }
    [current, left, unproven] = [one.bytes, one.left, one.unprovenIssuer];
  } while (left.length > 0);
  const timestamp = tokens.map(({ token, digest }) => readTimestamp(token, digest)).at(-1);
  const sealed: Sealed = {
    bytes: current,
    level: timestamps === undefined ? "B-B" : "B-T",
    shortfall: null,
    certificateSha256: identity.certificateSha256,
    timestamp: timestamp === undefined ? null : { at: timestamp.at, authority: oneLine(timestamp.certificate.subject) },
  };
  if (timestamps === undefined || timestamps.level === "B-T") return sealed;
  const certificates = tokens.flatMap(({ token, digest }) => readTimestamp(token, digest).signedData);
  const archived = await archive(tools, sealed, sealing, timestamps, certificates);
  if (unproven === null || archived.shortfall !== null) return archived;
  // All that the seal needs is there; but what counts is what validators find.
  const shortfall = `the document came with a revocation list of ${unproven}, whose own status it does not tell`;
  return { ...archived, level: "B-T", shortfall: shortfall.slice(0, MAX_REASON_LENGTH) };
}

/** One seal: the document prepared, its digest signed, the signature timestamped and put into its place. */
async function sealOnce(
  { runner, clock, random }: SealTools,
  bytes: Uint8Array,
  stamps: readonly Stamp[],
  { identity, sealedAt, reason, timestamps }: Sealing,
): Promise<{ bytes: Uint8Array; left: readonly Stamp[]; parts: CmsParts; unprovenIssuer: string | null }> {
  const certificateBytes = [identity.certificate, ...identity.issuers].reduce((sum, { length }) => sum + length, 0);
  const contentsBytes = CMS_BYTES + certificateBytes + (timestamps === undefined ? 0 : TOKEN_BYTES);
  return withRoom(contentsBytes, async (room) => {
    const prepared = await runner.run({
      kind: "prepareSeal",
      bytes,
      stamps,
      contentsBytes: room,
      entries: { type: "Sig", subFilter: "ETSI.CAdES.detached", claimedAt: sealedAt, reason: reason ?? null },
    });
    const parts = await signDigest(identity, prepared.digest);
    if (timestamps !== undefined) {
      parts.timestampToken = await requestTimestamp(timestamps.url, sha256(parts.signature), clock, random);
    }
    fill(prepared, encodeCms(parts));
    return { bytes: prepared.bytes, left: prepared.left, parts, unprovenIssuer: prepared.unprovenIssuer };
  });
}

/** Makes more room once, when a signature turns out larger than its place. */
async function withRoom<Result>(bytes: number, use: (bytes: number) => Promise<Result>): Promise<Result> {
  try {
    return await use(bytes);
  } catch (error) {
    if (!(error instanceof SignatureTooLong)) throw error;
    return use(error.neededBytes + CMS_BYTES);
  }
}

/** Adds validation data (B-LT), and a document timestamp over all (B-LTA). */
async function archive(
  { runner, clock, random }: SealTools,
  sealed: Sealed,
  { identity }: Sealing,
  { url, level = "B-LTA" }: Timestamps,
  tokens: readonly { signer: Uint8Array; certificates: readonly Uint8Array[] }[],
): Promise<Sealed> {
  let data: ValidationData;
  try {
    const signers = [identity.certificate, ...tokens.map(({ signer }) => signer)];
    const known = [...identity.issuers, ...tokens.flatMap(({ certificates }) => certificates)];
    data = await gatherValidationData(signers, known, identity.authority, { clock, random });
  } catch (error) {
    if (error instanceof ValidationDataMissing) return { ...sealed, shortfall: error.message };
    if (error instanceof CertificateRevoked && error.signer !== identity.certificate) {
      throw new TimestampFailed("the timestamp server's certificate is revoked", { cause: error });
    }
    throw error;
  }
  if (level === "B-LT") {
    return { ...sealed, bytes: await runner.run({ kind: "addValidationData", bytes: sealed.bytes, data }), level };
  }
  const bytes = await withRoom(TOKEN_BYTES, async (contentsBytes) => {
    const prepared: Prepared = await runner.run({ kind: "prepareArchive", bytes: sealed.bytes, data, contentsBytes });
    fill(prepared, await requestTimestamp(url, prepared.digest, clock, random));
    return prepared.bytes;
  });
  return { ...sealed, bytes, level: "B-LTA" };
}

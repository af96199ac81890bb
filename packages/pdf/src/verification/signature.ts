import { createHash, type X509Certificate } from "node:crypto";
import { TooComplex } from "@rubrica/pdf-reading/faults";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { type SignatureField, textOf } from "@rubrica/pdf-reading/signatures";
import { type Certificates, isExactChain, isTrusted } from "../asn1/chain.ts";
import { readFirst } from "../asn1/der.ts";
import { oid } from "../asn1/oids.ts";
import {
  attribute,
  InvalidSignature,
  NotJudged,
  namesItsCertificate,
  readSignedData,
  type SignedData,
  verifySignedData,
} from "../asn1/signed-data.ts";
import { encodeCms } from "../sealing/cms.ts";
import { type Named, readNamed } from "../sealing/named.ts";
import { readAnyTimestamp, readTimestamp } from "../sealing/timestamp.ts";
import type { Coverage } from "./coverage.ts";
import type { Digests } from "./digests.ts";
import type { VerifiedSignature } from "./findings.ts";
import type { Signer } from "./times.ts";

const TIMESTAMP = "ETSI.RFC3161";

/** What signatures of a file are checked with. */
export interface Bench {
  file: PdfFile;
  digests: Digests;
  certificates: Certificates;
  /** Certificates (DER) that seals of this service chain to. */
  roots: readonly Uint8Array[];
  /** Certificates that issuers may be among, beside those that come with a signature. */
  known: readonly Uint8Array[];
}

/** What a signature is found to cover: that, or why nothing can be said of it. */
export type Covered = { coverage: Coverage; error?: never } | { coverage?: never; error: unknown };

/** What is found of a signature, and who signed it: null where that is not known. */
export interface Checked {
  found: VerifiedSignature;
  signer: Signer | null;
}

/**
 * Checks one signature, but for what came after it, and since when it has been there. What goes wrong is what is found;
 * throws `TooComplex` alone.
 */
export const verifySignature = (bench: Bench, { name, value }: SignatureField, covered: Covered): Checked => {
  const { file } = bench;
  const found: VerifiedSignature = {
    fieldName: name,
    kind: file.nameEntry(value, "SubFilter") === TIMESTAMP ? "document_timestamp" : "signature",
    intact: null,
    fault: null,
    certificate: null,
    named: null,
    trusted: false,
    claimedAt: pdfTime(textOf(file.entry(value, "M"))),
    timestampedAt: null,
    timestampedBy: null,
    proof: null,
    certificateStatus: null,
    trustedTime: false,
    coveredBytes: covered.coverage?.end ?? 0,
    changesAfter: "other",
    canonical: false,
  };
  let signer: Signer | null = null;
  try {
    if (covered.coverage === undefined) throw covered.error;
    signer = check(bench, file.nameEntry(value, "SubFilter"), covered.coverage, found);
    found.intact = true;
  } catch (error) {
    if (error instanceof TooComplex) throw error;
    found.canonical = false;
    found.intact = error instanceof InvalidSignature ? false : null;
    const isTold = error instanceof InvalidSignature || error instanceof NotJudged;
    found.fault = isTold ? error.message : "it is of a form that can't be checked";
  }
  return { found, signer };
};

const check = (bench: Bench, subFilter: string | undefined, coverage: Coverage, found: VerifiedSignature): Signer => {
  const hashOf = (algorithm: string) => bench.digests.of(coverage, algorithm);
  const gap = coverage.contents;
  const encoded = readFirst(Buffer.from(gap.replace(/[<>\s]/g, ""), "hex")).encoded;
  const zeros = gap.length - 2 - encoded.length * 2;
  const isPlain = zeros >= 0 && gap === `<${Buffer.from(encoded).toString("hex")}${"0".repeat(zeros)}>`;
  const stored = { encoded, isPlain, hashOf };
  return subFilter === TIMESTAMP ? checkTimestamp(bench, stored, found) : checkCms(bench, subFilter, stored, found);
};

/** What stands in a file for a signature. */
interface StoredSignature {
  encoded: Uint8Array;
  /** Whether it is written as this service writes it: in hex, then zeros. */
  isPlain: boolean;
  hashOf: (algorithm: string) => Buffer;
}

const checkTimestamp = (
  bench: Bench,
  { encoded, isPlain, hashOf }: StoredSignature,
  found: VerifiedSignature,
): Signer => {
  const timestamp = readAnyTimestamp(encoded, hashOf);
  found.claimedAt = timestamp.at;
  const signedData = bench.certificates.within(timestamp.signedData);
  noteSigner(bench, found, timestamp.certificate, signedData);
  found.canonical = isPlain && isExactToken(bench, encoded, hashOf("sha256"));
  return { ...signedData, timestamp: null };
};

const checkCms = (
  bench: Bench,
  subFilter: string | undefined,
  { encoded, isPlain, hashOf }: StoredSignature,
  found: VerifiedSignature,
): Signer => {
  if (subFilter !== "ETSI.CAdES.detached" && subFilter !== "adbe.pkcs7.detached") throw new Error("another form");
  const signedData = bench.certificates.within(readSignedData(encoded, false));
  const certificate = verifySignedData(signedData, hashOf);
  noteSigner(bench, found, certificate, signedData);
  if (subFilter === "ETSI.CAdES.detached" && !namesItsCertificate(signedData)) {
    throw new InvalidSignature("it does not name its certificate");
  }
  // Two documents of one such digest can be made (2017, "SHAttered").
  if (signedData.digest === "sha1") throw new NotJudged("it rests on SHA-1");
  const token = attribute(signedData.unsigned, oid.signatureTimeStamp)?.encoded ?? null;
  const timestamp = token === null ? null : noteTimestamp(bench, found, token, signedData.signature);
  const named = namedIn(signedData);
  found.named = named;
  const parts = {
    algorithm: certificate.publicKey.asymmetricKeyType === "rsa" ? ("RSA" as const) : ("ECDSA" as const),
    certificates: signedData.certificates,
    digest: hashOf("sha256"),
    signature: signedData.signature,
    named,
    timestampToken: token,
  };
  const rewritten = signedData.certificates[0] === signedData.signer && encodeCms(parts).equals(encoded);
  const exactToken = token === null || isExactToken(bench, token, sha256(signedData.signature));
  found.canonical =
    isPlain && rewritten && exactToken && isExactChain(signedData.signer, signedData.certificates, bench.known);
  return { ...signedData, timestamp };
};

/** What the signature says that it is over; null where it does not say, or not as this service does. */
const namedIn = ({ signed }: Pick<SignedData, "signed">): Named | null => {
  const value = attribute(signed, oid.rubricaNamed);
  return value === undefined ? null : readNamed(value);
};

/** When a signature existed by a timestamp over it, where that can be checked. Throws when it does not hold. */
const noteTimestamp = (
  { certificates }: Bench,
  found: VerifiedSignature,
  token: Uint8Array,
  signature: Uint8Array,
): Signer["timestamp"] => {
  const digestOf = (algorithm: string) => createHash(algorithm).update(signature).digest();
  try {
    const { at, certificate, signedData } = readAnyTimestamp(token, digestOf);
    found.timestampedAt = at;
    found.timestampedBy = oneLine(certificate.subject);
    return { ...certificates.within(signedData), at, certificate };
  } catch (error) {
    if (error instanceof InvalidSignature) throw error;
    return null;
  }
};

/** Whether a timestamp that holds has its one encoding, with no certificates but those that are vouched for. */
const isExactToken = ({ certificates, known }: Bench, token: Uint8Array, digest: Uint8Array): boolean => {
  try {
    const signedData = certificates.within(readTimestamp(token, digest).signedData);
    return isExactChain(signedData.signer, signedData.certificates, known);
  } catch {
    return false;
  }
};

const sha256 = (data: Uint8Array): Buffer => createHash("sha256").update(data).digest();

const oneLine = (name: string): string => name.replaceAll("\n", ", ");

const noteSigner = (
  { roots, known }: Bench,
  found: VerifiedSignature,
  { subject, issuer, raw }: X509Certificate,
  { signer, certificates }: Pick<SignedData, "signer" | "certificates">,
): void => {
  found.certificate = { subject: oneLine(subject), issuer: oneLine(issuer), sha256: sha256(raw).toString("hex") };
  found.trusted = isTrusted(signer, [...certificates, ...known], roots, "signature");
};

/**
 * `D:YYYYMMDDHHmmSS` with an offset (ISO 32000-2, 7.9.4) in milliseconds since the UNIX epoch: without one it is of UTC.
 * Null for all else, and for what no calendar has.
 */
const pdfTime = (text: string | undefined): number | null => {
  const match = /^D:(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:Z|([+-])(\d\d)'?(\d\d)?)?/.exec(text ?? "");
  if (match === null) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const offsetMinutes = Number(match[8] ?? 0) * 60 + Number(match[9] ?? 0);
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  if (new Date(local).toISOString().replace(/\D/g, "").slice(0, 14) !== match.slice(1, 7).join("")) return null;
  return local - (match[7] === "-" ? -1 : 1) * offsetMinutes * 60_000;
};

import { createHash, type X509Certificate } from "node:crypto";
import { chainOf, isExactChain, isTrusted } from "../asn1/chain.ts";
import { readFirst } from "../asn1/der.ts";
import { oid } from "../asn1/oids.ts";
import {
  attribute,
  InvalidSignature,
  NotJudged,
  namesItsCertificate,
  readSignedData,
  verifySignedData,
} from "../asn1/signed-data.ts";
import { Damaged, TooComplex } from "../reading/faults.ts";
import type { PdfFile } from "../reading/pdf-file.ts";
import { type SignatureField, textOf } from "../reading/signatures.ts";
import { encodeCms } from "../sealing/cms.ts";
import { readAnyTimestamp, readTimestamp } from "../sealing/timestamp.ts";
import { changesAfter } from "./changes.ts";
import { type Coverage, coverageOf } from "./coverage.ts";
import type { LaterChanges, VerifiedSignature } from "./findings.ts";

const TIMESTAMP = "ETSI.RFC3161";

/**
 * Checks one signature. Throws nothing: what goes wrong is what is found.
 * @param known certificates that issuers may be among, beside those that come with the signature
 */
export function verifySignature(
  file: PdfFile,
  field: SignatureField,
  roots: readonly Uint8Array[],
  known: readonly Uint8Array[],
): VerifiedSignature {
  const { value } = field;
  const kind = file.nameEntry(value, "SubFilter") === TIMESTAMP ? "document_timestamp" : "signature";
  const found: VerifiedSignature = {
    fieldName: field.name,
    kind,
    intact: null,
    fault: null,
    certificate: null,
    trusted: false,
    claimedAt: pdfTime(textOf(file.entry(value, "M"))),
    timestampedAt: null,
    timestampedBy: null,
    coveredBytes: 0,
    changesAfter: "other",
    canonical: false,
  };
  try {
    const coverage = coverageOf(file, field);
    found.coveredBytes = coverage.end;
    check(file, field, coverage, { roots, known }, found);
    found.intact = true;
  } catch (error) {
    found.canonical = false;
    found.intact = error instanceof InvalidSignature ? false : null;
    const isTold = error instanceof InvalidSignature || error instanceof NotJudged;
    found.fault = isTold ? error.message : "it is of a form that can't be checked";
  }
  if (found.intact === true) found.changesAfter = laterChanges(file, found.coveredBytes);
  return found;
}

function check(
  file: PdfFile,
  { value }: SignatureField,
  coverage: Coverage,
  { roots, known }: { roots: readonly Uint8Array[]; known: readonly Uint8Array[] },
  found: VerifiedSignature,
): void {
  const hashOf = (algorithm: string) =>
    createHash(algorithm)
      .update(file.bytes.subarray(0, coverage.gapStart))
      .update(file.bytes.subarray(coverage.gapEnd, coverage.end))
      .digest();
  const gap = coverage.contents;
  const encoded = readFirst(Buffer.from(gap.replace(/[<>\s]/g, ""), "hex")).encoded;
  const subFilter = file.nameEntry(value, "SubFilter");
  const zeros = gap.length - 2 - encoded.length * 2;
  const plainHex = zeros >= 0 && gap === `<${Buffer.from(encoded).toString("hex")}${"0".repeat(zeros)}>`;
  if (subFilter === TIMESTAMP) {
    const { at, certificate, signedData } = readAnyTimestamp(encoded, hashOf);
    found.claimedAt = at;
    noteSigner(found, certificate, [...signedData.certificates, ...known], roots);
    found.canonical = plainHex && isExactToken(encoded, hashOf("sha256"), known);
    return;
  }
  if (subFilter !== "ETSI.CAdES.detached" && subFilter !== "adbe.pkcs7.detached") throw new Error("another form");
  const signedData = readSignedData(encoded, false);
  const certificate = verifySignedData(signedData, hashOf);
  noteSigner(found, certificate, [...signedData.certificates, ...known], roots);
  if (subFilter === "ETSI.CAdES.detached" && !namesItsCertificate(signedData)) {
    throw new InvalidSignature("it does not name its certificate");
  }
  // Two documents of one such digest can be made (2017, "SHAttered").
  if (signedData.digest === "sha1") throw new NotJudged("it rests on SHA-1");
  const token = attribute(signedData.unsigned, oid.signatureTimeStamp)?.encoded ?? null;
  if (token !== null) noteTimestamp(found, token, signedData.signature);
  const parts = {
    algorithm: certificate.publicKey.asymmetricKeyType === "rsa" ? ("RSA" as const) : ("ECDSA" as const),
    certificates: signedData.certificates,
    digest: hashOf("sha256"),
    signature: signedData.signature,
    timestampToken: token,
  };
  const rewritten = signedData.certificates[0] === signedData.signer && encodeCms(parts).equals(encoded);
  const exactToken = token === null || isExactToken(token, sha256(signedData.signature), known);
  found.canonical =
    plainHex && rewritten && exactToken && isExactChain(signedData.signer, signedData.certificates, known);
}

/** When a signature existed by a timestamp over it, where that can be checked. Throws when it does not hold. */
function noteTimestamp(found: VerifiedSignature, token: Uint8Array, signature: Uint8Array): void {
  const digestOf = (algorithm: string) => createHash(algorithm).update(signature).digest();
  try {
    const { at, certificate } = readAnyTimestamp(token, digestOf);
    found.timestampedAt = at;
    found.timestampedBy = oneLine(certificate.subject);
  } catch (error) {
    if (error instanceof InvalidSignature) throw error;
  }
}

/** Whether a timestamp that holds has its one encoding, with no certificates but those that are vouched for. */
function isExactToken(token: Uint8Array, digest: Uint8Array, known: readonly Uint8Array[]): boolean {
  try {
    const { signedData } = readTimestamp(token, digest);
    return isExactChain(signedData.signer, signedData.certificates, known);
  } catch {
    return false;
  }
}

/** What can't be read is told from signing, too. */
function laterChanges(file: PdfFile, length: number): LaterChanges {
  try {
    return changesAfter(file, length);
  } catch (error) {
    if (error instanceof Damaged || error instanceof TooComplex) return "other";
    throw error;
  }
}

const sha256 = (data: Uint8Array): Buffer => createHash("sha256").update(data).digest();

const oneLine = (name: string): string => name.replaceAll("\n", ", ");

function noteSigner(
  found: VerifiedSignature,
  certificate: X509Certificate,
  certificates: readonly Uint8Array[],
  roots: readonly Uint8Array[],
): void {
  const { subject, issuer, raw } = certificate;
  found.certificate = { subject: oneLine(subject), issuer: oneLine(issuer), sha256: sha256(raw).toString("hex") };
  found.trusted = isTrusted(chainOf(raw, certificates), roots);
}

/** `D:YYYYMMDDHHmmSS` with an offset (ISO 32000-2, 7.9.4) in milliseconds since the UNIX epoch. */
function pdfTime(text: string | undefined): number | null {
  const match = /^D:(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:Z|([+-])(\d\d)'?(\d\d)?)?/.exec(text ?? "");
  if (match === null) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const offsetMinutes = Number(match[8] ?? 0) * 60 + Number(match[9] ?? 0);
  return Date.UTC(year, month - 1, day, hour, minute, second) - (match[7] === "-" ? -1 : 1) * offsetMinutes * 60_000;
}

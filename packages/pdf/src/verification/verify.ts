import { X509Certificate } from "node:crypto";
import { PDFHexString, PDFName } from "pdf-lib";
import { Certificates, isCanonical, isIssuedBy } from "../asn1/chain.ts";
import { isVouchedFor } from "../asn1/ocsp.ts";
import { crlHolds } from "../asn1/revocation-list.ts";
import { Damaged, TooComplex } from "../reading/faults.ts";
import { pagesOf } from "../reading/pages.ts";
import { PdfFile } from "../reading/pdf-file.ts";
import { recovered } from "../reading/recovery.ts";
import { storeOf, streamsOf } from "../reading/security-store.ts";
import { type SignatureField, signatureFieldsOf } from "../reading/signatures.ts";
import { prepareArchive, withSecurityStore } from "../sealing/archive.ts";
import type { ValidationData } from "../sealing/validation-data.ts";
import { coverageOf } from "./coverage.ts";
import { Digests } from "./digests.ts";
import type { Knowledge, Verification, VerifiedSignature } from "./findings.ts";
import { laterChanges } from "./later-changes.ts";
import { Revocations } from "./revocations.ts";
import { type Covered, verifySignature } from "./signature.ts";
import { judgeTimes } from "./times.ts";

/** What a file is verified by: what is known beside it, and the time, in milliseconds since the UNIX epoch. */
export interface Beside extends Knowledge {
  now: number;
}

/**
 * Verifies every signature of a file, without changing or mending anything.
 * @param roots certificates (DER) that seals of this service chain to, today's and former ones
 */
export function verify(bytes: Uint8Array, roots: readonly Uint8Array[], beside: Beside): Verification {
  try {
    const file = opened(bytes);
    const signed = signaturesOf(file, roots, beside);
    return { readable: true, untouched: isUntouched(file, signed), signatures: signed.map(({ found }) => found) };
  } catch (error) {
    if (error instanceof Damaged || error instanceof TooComplex || error instanceof RangeError) {
      return { readable: false, untouched: false, signatures: [] };
    }
    throw error;
  }
}

/** Where the cross-reference is wrong, objects are looked for as they are when a document is taken in. */
function opened(bytes: Uint8Array): PdfFile {
  try {
    return PdfFile.open(bytes);
  } catch (error) {
    if (!(error instanceof Damaged)) throw error;
    return recovered(bytes);
  }
}

/** Of those after a seal: one is added in some years. */
const MAX_TIMESTAMPS = 60;

/** What is found of each signature, in the order in which they were made. */
function signaturesOf(file: PdfFile, roots: readonly Uint8Array[], beside: Beside): Signed[] {
  const certificates = new Certificates();
  const store = storeOf(file);
  const known = [...roots, ...store.certificates].filter(isCertificate).map(certificates.one);
  const bench = { file, digests: new Digests(file.bytes), certificates, roots, known };
  const fields = signatureFieldsOf(file).filter(({ value }) => value !== undefined);
  // One signature may be that of many fields.
  const covered = new Map(fields.map((field) => [field.value, { field, ...coveredBy(file, field) }]));
  const inOrder = [...covered].sort(([, one], [, other]) => gapStartOf(one) - gapStartOf(other));
  const checked = inOrder.map(([value, one]) => [value, verifySignature(bench, one.field, one)] as const);
  const found = new Map(checked.map(([value, one]) => [value, one.found]));
  const intact = [...found.values()].filter((one) => one.intact === true);
  const changes = laterChanges(
    file,
    intact.map(({ coveredBytes }) => coveredBytes),
  );
  for (const one of intact) one.changesAfter = changes.get(one.coveredBytes) ?? "other";
  const { now, timestampRoots = [], crls = [], recordedAt = null } = beside;
  const anchors = { roots: roots.map(certificates.one), timestampRoots: timestampRoots.map(certificates.one) };
  const judge = {
    ...anchors,
    now,
    recordedAt,
    known: [...known, ...anchors.timestampRoots],
    revocations: new Revocations({ crls: [...crls, ...store.crls], ocsps: store.ocsps }, now),
  };
  judgeTimes(
    judge,
    checked.flatMap(([, one]) => (one.found.intact === true && one.signer ? [{ ...one, signer: one.signer }] : [])),
  );
  return fields
    .flatMap((field) => {
      const one = found.get(field.value);
      return one === undefined ? [] : [{ field, found: { ...one, fieldName: field.name } }];
    })
    .sort((one, other) => one.found.coveredBytes - other.found.coveredBytes);
}

const gapStartOf = ({ coverage }: Covered): number => coverage?.gapStart ?? 0;

function coveredBy(file: PdfFile, field: SignatureField): Covered {
  try {
    return { coverage: coverageOf(file, field) };
  } catch (error) {
    if (error instanceof TooComplex) throw error;
    return { error };
  }
}

interface Signed {
  field: SignatureField;
  found: VerifiedSignature;
}

function isUntouched(file: PdfFile, signed: readonly Signed[]): boolean {
  const isSeal = ({ found }: Signed) => found.kind === "signature" && found.trusted;
  const seal = signed.findLast(isSeal);
  const hold = signed.filter(isSeal).every(({ found }) => found.intact === true && found.changesAfter !== "other");
  if (seal === undefined || !hold || !seal.found.canonical) return false;
  // What this service writes needs no mending.
  if (file.crossReference.startOffset === null) return false;
  if (seal.found.coveredBytes === file.bytes.length) return true;
  // Whoever signs after the service can show what they like in a field of theirs: what follows has to be its own.
  const later = signed.slice(signed.indexOf(seal) + 1);
  if (later.length > MAX_TIMESTAMPS || !later.every(({ found }) => found.canonical)) return false;
  let covered = seal.found.coveredBytes;
  for (const timestamp of later) {
    const end = timestamp.found.coveredBytes;
    const revision = end === file.bytes.length ? file : PdfFile.open(file.bytes.subarray(0, end));
    if (!isOwnArchive(revision, covered, timestamp)) return false;
    covered = end;
  }
  return covered === file.bytes.length || isOwnArchive(file, covered, undefined);
}

/**
 * Whether all that follows what was there before is what this service appends: validation data, and a timestamp over all;
 * or one of both alone.
 */
function isOwnArchive(file: PdfFile, coveredBytes: number, timestamp: Signed | undefined): boolean {
  const before = PdfFile.open(file.bytes.subarray(0, coveredBytes));
  const store = file.dictEntry(file.catalog, "DSS");
  const former = before.dictEntry(before.catalog, "DSS");
  // As they are stored: what this service adds is plain, whatever was there before.
  const added = (name: string): Uint8Array[] => {
    const count = before.arrayEntry(former, name)?.size() ?? 0;
    return streamsOf(file, file.arrayEntry(store, name), count).map(({ data }) => new Uint8Array(data));
  };
  const data: ValidationData = { certificates: added("Certs"), crls: added("CRLs"), ocsps: added("OCSPs") };
  if (!vouchesForItself(data)) return false;
  const document = { file: before, pages: pagesOf(before), signatures: [] };
  if (timestamp === undefined) return Buffer.compare(withSecurityStore(document, data), file.bytes) === 0;
  const contents = timestamp.field.value?.get(PDFName.of("Contents"));
  const room = contents instanceof PDFHexString ? contents.asString().length / 2 : 0;
  const isBare = [data.certificates, data.crls, data.ocsps].every(({ length }) => length === 0);
  const { bytes, contentsOffset } = prepareArchive(document, isBare ? null : data, room);
  bytes.set(file.bytes.subarray(contentsOffset, contentsOffset + room * 2), contentsOffset);
  return Buffer.compare(bytes, file.bytes) === 0;
}

/** Whether all of it is signed by one of the certificates, which leaves none of its bits free. */
function vouchesForItself({ certificates, crls, ocsps }: ValidationData): boolean {
  if (!certificates.every(isCertificate)) return false;
  const canonical = [...certificates, ...crls].every((signed) => isSoundly(() => isCanonical(signed)));
  const issued = certificates.every((one) => certificates.some((issuer) => isIssuedBy(one, issuer)));
  const listed = crls.every((crl) => certificates.some((issuer) => crlHolds(crl, issuer)));
  return canonical && issued && listed && ocsps.every((one) => isSoundly(() => isVouchedFor(one, certificates)));
}

const isCertificate = (bytes: Uint8Array): boolean => isSoundly(() => new X509Certificate(bytes).raw.length > 0);

function isSoundly(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

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
import type { Verification, VerifiedSignature } from "./findings.ts";
import { laterChanges } from "./later-changes.ts";
import { type Covered, verifySignature } from "./signature.ts";

/**
 * Verifies every signature of a file, without changing or mending anything.
 * @param roots certificates (DER) that seals of this service chain to, today's and former ones
 */
export function verify(bytes: Uint8Array, roots: readonly Uint8Array[]): Verification {
  try {
    const file = opened(bytes);
    const signed = signaturesOf(file, roots);
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

/** What is found of each signature, in the order in which they were made. */
function signaturesOf(file: PdfFile, roots: readonly Uint8Array[]): Signed[] {
  const certificates = new Certificates();
  const known = [...roots, ...storeOf(file).certificates].filter(isCertificate);
  const bench = { file, digests: new Digests(file.bytes), certificates, roots, known: known.map(certificates.one) };
  const fields = signatureFieldsOf(file).filter(({ value }) => value !== undefined);
  // One signature may be that of many fields.
  const covered = new Map(fields.map((field) => [field.value, { field, ...coveredBy(file, field) }]));
  const inOrder = [...covered].sort(([, one], [, other]) => gapStartOf(one) - gapStartOf(other));
  const found = new Map(inOrder.map(([value, one]) => [value, verifySignature(bench, one.field, one)]));
  const intact = [...found.values()].filter((one) => one.intact === true);
  const changes = laterChanges(
    file,
    intact.map(({ coveredBytes }) => coveredBytes),
  );
  for (const one of intact) one.changesAfter = changes.get(one.coveredBytes) ?? "other";
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
  return later.length < 2 && later.every(({ found }) => found.canonical) && isOwnArchive(file, seal.found, later[0]);
}

/** Whether all that follows a seal is what this service appends: validation data, and a timestamp over all or none. */
function isOwnArchive(file: PdfFile, seal: VerifiedSignature, timestamp: Signed | undefined): boolean {
  const before = PdfFile.open(file.bytes.subarray(0, seal.coveredBytes));
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
  const { bytes, contentsOffset } = prepareArchive(document, data, room);
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

import { X509Certificate } from "node:crypto";
import { type PDFArray, type PDFDict, PDFHexString, PDFName, PDFRef } from "pdf-lib";
import { isCanonical, isIssuedBy } from "../asn1/chain.ts";
import { isVouchedFor } from "../asn1/ocsp.ts";
import { crlHolds } from "../asn1/revocation-list.ts";
import { Damaged, TooComplex } from "../reading/faults.ts";
import { pagesOf } from "../reading/pages.ts";
import { PdfFile } from "../reading/pdf-file.ts";
import { type SignatureField, signatureFieldsOf } from "../reading/signatures.ts";
import { prepareArchive, withSecurityStore } from "../sealing/archive.ts";
import type { ValidationData } from "../sealing/validation-data.ts";
import type { Verification, VerifiedSignature } from "./findings.ts";
import { verifySignature } from "./signature.ts";

/** All signatures of a file together. */
const MAX_COVERED_BYTES = 2_000_000_000;
const MAX_COMPARED = 2_000_000;
/** Of each kind, in a file's security store. */
const MAX_STORED = 500;

/**
 * Verifies every signature of a file, without changing or mending anything.
 * @param roots certificates (DER) that seals of this service chain to, today's and former ones
 */
export function verify(bytes: Uint8Array, roots: readonly Uint8Array[]): Verification {
  try {
    const file = PdfFile.open(bytes);
    const store = file.dictEntry(file.catalog, "DSS");
    const certificates = [...roots, ...contentsOf(file, file.arrayEntry(store, "Certs"))].filter(isCertificate);
    const fields = signatureFieldsOf(file).filter(({ value }) => value !== undefined);
    refuseTooMany(file, fields);
    const verified = new Map<PDFDict | undefined, VerifiedSignature>();
    const signed = fields
      .map((field) => {
        // One signature may be that of many fields.
        const known = verified.get(field.value) ?? verifySignature(file, field, roots, certificates);
        verified.set(field.value, known);
        return { field, found: { ...known, fieldName: field.name } };
      })
      .sort((one, other) => one.found.coveredBytes - other.found.coveredBytes);
    return { readable: true, untouched: isUntouched(file, signed), signatures: signed.map(({ found }) => found) };
  } catch (error) {
    if (error instanceof Damaged || error instanceof TooComplex || error instanceof RangeError) {
      return { readable: false, untouched: false, signatures: [] };
    }
    throw error;
  }
}

/**
 * Each signature covers most of the file, and what came after it is compared with what was there before.
 * Throws `TooComplex` before that is done too often.
 */
function refuseTooMany(file: PdfFile, fields: readonly SignatureField[]): void {
  const count = new Set(fields.map(({ value }) => value)).size;
  if (count * file.bytes.length > MAX_COVERED_BYTES || count * file.crossReference.locations.size > MAX_COMPARED) {
    throw new TooComplex("it has too many signatures for its size");
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
  const added = (name: string): Uint8Array[] => {
    const count = before.arrayEntry(former, name)?.size() ?? 0;
    return contentsOf(file, file.arrayEntry(store, name), count);
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

/** The data of the streams that a list has, from one of its items on. */
function contentsOf(file: PdfFile, list: PDFArray | undefined, from = 0): Uint8Array[] {
  // An item may stand in a list many times.
  return [...new Set(list?.asArray().slice(from) ?? [])].slice(0, MAX_STORED).flatMap((ref) => {
    const stream = ref instanceof PDFRef ? file.streamData(ref.objectNumber) : undefined;
    if (stream === undefined || stream.dict.has(PDFName.of("Filter"))) return [];
    return [new Uint8Array(stream.data)];
  });
}

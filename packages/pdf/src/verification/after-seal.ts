import { X509Certificate } from "node:crypto";
import { joined } from "@rubrica/pdf-reading/bytes";
import { pagesOf } from "@rubrica/pdf-reading/pages";
import { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { storedIn, storeOf } from "@rubrica/pdf-reading/security-store";
import type { SignatureField } from "@rubrica/pdf-reading/signatures";
import { PDFHexString, PDFName } from "pdf-lib";
import { Certificates, isCanonical, isIssuedBy, isRoot, isTrusted } from "../asn1/chain.ts";
import { authorizedResponder, isAbout, isVouchedFor, readOcspResponse } from "../asn1/ocsp.ts";
import { crlHolds } from "../asn1/revocation-list.ts";
import { type ArchiveForm, prepareArchive, withSecurityStore } from "../sealing/archive.ts";
import type { ValidationData } from "../sealing/validation-data.ts";
import type { AfterSeal, VerifiedSignature } from "./findings.ts";
import type { Certified, Signer } from "./times.ts";

/** The most timestamps after a seal: one is added every few years. */
const MAX_TIMESTAMPS = 60;

/** One signature of a file, what is found of it, and who made it. */
export interface Signed {
  field: SignatureField;
  found: VerifiedSignature;
  signer: Signer | null;
}

/** What came after the last seal of this service, to the file's last bit; null where no such seal holds in its one form. */
export const afterSeal = (
  file: PdfFile,
  signed: readonly Signed[],
  anchors: readonly Uint8Array[],
): AfterSeal | null => {
  const isSeal = ({ found }: Signed) => found.kind === "signature" && found.trusted;
  const seal = signed.findLast(isSeal);
  const hold = signed.filter(isSeal).every(({ found }) => found.intact === true && found.changesAfter !== "other");
  if (seal === undefined || !hold || !seal.found.canonical) return null;
  // What this service writes needs no mending.
  if (file.crossReference.startOffset === null) return null;
  const found: AfterSeal[] = hasOwnTimestamp(seal, storeOf(file).certificates, anchors)
    ? []
    : ["validation_data_by_others"];
  if (seal.found.coveredBytes === file.bytes.length) return found[0] ?? "nothing";
  // Whoever signs after the service can show what they like in a field of theirs: what follows has to be its own.
  const later = signed.slice(signed.indexOf(seal) + 1);
  if (later.length > MAX_TIMESTAMPS || !later.every(({ found }) => found.canonical)) return "other";
  let covered = seal.found.coveredBytes;
  for (const timestamp of later) {
    const end = timestamp.found.coveredBytes;
    const revision = end === file.bytes.length ? file : PdfFile.open(file.bytes.subarray(0, end));
    found.push(archived(revision, covered, timestamp, anchors));
    covered = end;
  }
  if (covered !== file.bytes.length) found.push(archived(file, covered, undefined, anchors));
  return (["other", "validation_data_by_others"] as const).find((worst) => found.includes(worst)) ?? "validation_data";
};

/**
 * Judges all bytes after the first `coveredBytes` as one: they are validation data, a timestamp over everything, or both,
 * if this service's own writer makes the same bytes of what they hold; else they are "other".
 */
const archived = (
  file: PdfFile,
  coveredBytes: number,
  timestamp: Signed | undefined,
  anchors: readonly Uint8Array[],
): AfterSeal => {
  const before = PdfFile.open(file.bytes.subarray(0, coveredBytes));
  const store = file.dictEntry(file.catalog, "DSS");
  const former = before.dictEntry(before.catalog, "DSS");
  const added = (name: string): Uint8Array[] =>
    storedIn(file, file.arrayEntry(store, name), before.arrayEntry(former, name)?.size() ?? 0);
  const { one } = new Certificates();
  const data: ValidationData = { certificates: added("Certs").map(one), crls: added("CRLs"), ocsps: added("OCSPs") };
  const isOwn = (form: ArchiveForm) => Buffer.compare(rewritten(before, data, timestamp, form, file), file.bytes) === 0;
  if (!vouchesForItself(data) || !(isOwn("hex") || isOwn("raw"))) return "other";
  const trusted = withTheirRoots(anchors.map(one), data.certificates);
  const isTrusted = restsOn(data, trusted) && (timestamp === undefined || isOfTrusted(timestamp, data, trusted));
  return isTrusted ? "validation_data" : "validation_data_by_others";
};

/** What this service would have written, with the timestamp's own bytes in their place. */
const rewritten = (
  before: PdfFile,
  data: ValidationData,
  timestamp: Signed | undefined,
  form: ArchiveForm,
  { bytes: given }: PdfFile,
): Uint8Array => {
  const document = { file: before, pages: pagesOf(before), signatures: [] };
  if (timestamp === undefined) return withSecurityStore(document, data, form);
  const contents = timestamp.field.value?.get(PDFName.of("Contents"));
  const contentsBytes = contents instanceof PDFHexString ? contents.asString().length / 2 : 0;
  const isBare = [data.certificates, data.crls, data.ocsps].every(({ length }) => length === 0);
  const prepared = prepareArchive(document, isBare ? null : data, contentsBytes, form);
  const [bytes, { contentsOffset }] = [joined(prepared.bytes), prepared];
  bytes.set(given.subarray(contentsOffset, contentsOffset + contentsBytes * 2), contentsOffset);
  return bytes;
};

/** Whether all of it is signed by one of the certificates, which leaves none of its bits free. */
const vouchesForItself = ({ certificates, crls, ocsps }: ValidationData): boolean => {
  if (!certificates.every(isCertificate)) return false;
  const canonical = [...certificates, ...crls].every((signed) => isSoundly(() => isCanonical(signed)));
  const issued = certificates.every((one) => certificates.some((issuer) => isIssuedBy(one, issuer)));
  const listed = crls.every((crl) => certificates.some((issuer) => crlHolds(crl, issuer)));
  return canonical && issued && listed && ocsps.every((one) => isSoundly(() => isVouchedFor(one, certificates)));
};

/**
 * Whether each certificate is beneath one that is trusted, and each list and response tells of certificates of such a
 * chain, by who may: anybody can make an authority, and write what they like into its certificates.
 */
const restsOn = ({ certificates, crls, ocsps }: ValidationData, anchors: readonly Uint8Array[]): boolean => {
  const isIssuer = (each: Uint8Array) => anchors.includes(each) || new X509Certificate(each).ca;
  const issuers = certificates.filter(isIssuer);
  const pairs = certificates.flatMap((each) =>
    issuers.filter((issuer) => isIssuedBy(each, issuer)).map((issuer) => [each, issuer] as const),
  );
  const answers = (bytes: Uint8Array) => {
    const response = readOcspResponse(bytes);
    return response.statuses.every((status) =>
      pairs.some(
        ([each, issuer]) =>
          isAbout(status, each, issuer) && authorizedResponder(response, issuer, status.thisUpdate) !== null,
      ),
    );
  };
  return (
    certificates.every((each) => isSoundly(() => isTrusted(each, certificates, anchors, "any"))) &&
    crls.every((crl) => issuers.some((issuer) => crlHolds(crl, issuer))) &&
    ocsps.every((bytes) => isSoundly(() => answers(bytes)))
  );
};

/** A root that signs itself with the key that signed a trusted certificate is nobody's invention: who made it has that key. */
const withTheirRoots = (anchors: readonly Uint8Array[], certificates: readonly Uint8Array[]): Uint8Array[] => [
  ...anchors,
  ...certificates.filter((each) => isRoot(each) && anchors.some((anchor) => isIssuedBy(anchor, each))),
];

/** No signature is over the timestamp within a seal: anybody can put another authority's there. */
const hasOwnTimestamp = (
  { signer }: Signed,
  certificates: readonly Uint8Array[],
  anchors: readonly Uint8Array[],
): boolean => !signer?.timestamp || isOfTrusted({ signer: signer.timestamp }, { certificates }, anchors);

const isOfTrusted = (
  { signer }: { signer: Certified | null },
  { certificates }: { certificates: readonly Uint8Array[] },
  anchors: readonly Uint8Array[],
): boolean => {
  if (signer === null) return false;
  const { one } = new Certificates();
  const [own, ...others] = [signer.signer, ...signer.certificates, ...certificates].map(one);
  return own !== undefined && isSoundly(() => isTrusted(own, others, anchors.map(one), "timestamp"));
};

/** Whether bytes are a certificate. */
export const isCertificate = (bytes: Uint8Array): boolean => isSoundly(() => new X509Certificate(bytes).raw.length > 0);

const isSoundly = (check: () => boolean): boolean => {
  try {
    return check();
  } catch {
    return false;
  }
};

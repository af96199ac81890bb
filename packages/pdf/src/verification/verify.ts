import { Damaged, TooComplex } from "@rubrica/pdf-reading/faults";
import { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { recovered } from "@rubrica/pdf-reading/recovery";
import { storeOf } from "@rubrica/pdf-reading/security-store";
import { type SignatureField, signatureFieldsOf } from "@rubrica/pdf-reading/signatures";
import { Certificates } from "../asn1/chain.ts";
import { afterSeal, isCertificate, type Signed } from "./after-seal.ts";
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
export const verify = (bytes: Uint8Array, roots: readonly Uint8Array[], beside: Beside): Verification => {
  try {
    const file = opened(bytes);
    const signed = signaturesOf(file, roots, beside);
    const { timestampRoots = [], issuers = [] } = beside;
    const after = afterSeal(file, signed, [...roots, ...timestampRoots, ...issuers]);
    const untouched = after === "nothing" || after === "validation_data";
    return { readable: true, untouched, afterSeal: after, signatures: signed.map(({ found }) => found) };
  } catch (error) {
    if (error instanceof Damaged || error instanceof TooComplex || error instanceof RangeError) {
      return { readable: false, untouched: false, afterSeal: null, signatures: [] };
    }
    throw error;
  }
};

/** Where the cross-reference is wrong, objects are looked for as they are when a document is taken in. */
const opened = (bytes: Uint8Array): PdfFile => {
  try {
    return PdfFile.open(bytes);
  } catch (error) {
    if (!(error instanceof Damaged)) throw error;
    return recovered(bytes);
  }
};

/** What is found of each signature, in the order in which they were made. */
const signaturesOf = (file: PdfFile, roots: readonly Uint8Array[], beside: Beside): Signed[] => {
  const certificates = new Certificates();
  const store = storeOf(file);
  const known = [...roots, ...store.certificates].filter(isCertificate).map(certificates.one);
  const bench = { file, digests: new Digests(file.bytes), certificates, roots, known };
  const fields = signatureFieldsOf(file).filter(({ value }) => value !== undefined);
  // One signature may be that of many fields.
  const covered = new Map(fields.map((field) => [field.value, { field, ...coveredBy(file, field) }]));
  const inOrder = [...covered].sort(([, one], [, other]) => gapStartOf(one) - gapStartOf(other));
  const checked = inOrder.map(([value, one]) => [value, verifySignature(bench, one.field, one)] as const);
  const found = new Map(checked);
  const intact = checked.map(([, one]) => one.found).filter((one) => one.intact === true);
  const changes = laterChanges(
    file,
    intact.map(({ coveredBytes }) => coveredBytes),
  );
  for (const one of intact) one.changesAfter = changes.get(one.coveredBytes) ?? "other";
  const { now, timestampRoots = [], crls = [], record = null } = beside;
  const anchors = { roots: roots.map(certificates.one), timestampRoots: timestampRoots.map(certificates.one) };
  const judge = {
    ...anchors,
    now,
    recordedAt: record !== null && isSealedBy(intact, record.certificateSha256) ? record.at : null,
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
      return one === undefined ? [] : [{ ...one, field, found: { ...one.found, fieldName: field.name } }];
    })
    .sort((one, other) => one.found.coveredBytes - other.found.coveredBytes);
};

const isSealedBy = (intact: readonly VerifiedSignature[], sha256: string): boolean =>
  intact.some(({ kind, trusted, certificate }) => kind === "signature" && trusted && certificate?.sha256 === sha256);

const gapStartOf = ({ coverage }: Covered): number => coverage?.gapStart ?? 0;

const coveredBy = (file: PdfFile, field: SignatureField): Covered => {
  try {
    return { coverage: coverageOf(file, field) };
  } catch (error) {
    if (error instanceof TooComplex) throw error;
    return { error };
  }
};

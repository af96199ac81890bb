import { createHash } from "node:crypto";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { type SignatureField, signatureFieldsOf } from "@rubrica/pdf-reading/signatures";
import { PDFHexString, PDFName } from "pdf-lib";
import { readFirst } from "../asn1/der.ts";
import { oid } from "../asn1/oids.ts";
import { attribute, readSignedData } from "../asn1/signed-data.ts";
import { unprovenIssuer } from "./former-store.ts";

/** A certificate that something was signed with (DER), and those that came along. */
export interface SignedBy {
  signer: Uint8Array;
  certificates: readonly Uint8Array[];
}

/** What a file's last seals are, and what was added to them. */
export interface SealsOfFile {
  /** Those that the service made together; each with the authority of its own timestamp, where it has one. */
  seals: readonly (SignedBy & { timestamp: SignedBy | null })[];
  /** Document timestamps after them, the earliest first. */
  timestamps: readonly SignedBy[];
  /** Who issued a revocation list of the file, where the file does not say whether the issuer was revoked; null where none is so. */
  unprovenIssuer: string | null;
}

/**
 * Reads whose the last seals of a file are, by the certificate that sealed, and the document timestamps after them. It
 * verifies nothing: the file is as the service kept it. Throws `NotDer` or `InvalidSignature` where it is not.
 */
export const sealsOf = (file: PdfFile, certificateSha256: string): SealsOfFile => {
  const signed = signatureFieldsOf(file)
    .filter(({ value }) => value !== undefined)
    .map((field) => ({ field, start: startOf(file, field) }))
    .sort((one, other) => one.start - other.start)
    .map(({ field }) => field);
  const isTimestamp = (field: SignatureField) => file.nameEntry(field.value, "SubFilter") === "ETSI.RFC3161";
  const lastSeal = signed.findLastIndex((field) => !isTimestamp(field));
  const later = signed.slice(lastSeal + 1);
  const seals: SealsOfFile["seals"][number][] = [];
  for (const field of signed.slice(0, lastSeal + 1).reverse()) {
    if (isTimestamp(field)) break;
    const seal = sealOf(contentsOf(field));
    if (createHash("sha256").update(seal.signer).digest("hex") !== certificateSha256) break;
    seals.unshift(seal);
  }
  return { seals, timestamps: later.map((field) => signedBy(contentsOf(field))), unprovenIssuer: unprovenIssuer(file) };
};

/** Where a signature's own gap begins, by its byte range: the later it was made, the further on. */
const startOf = (file: PdfFile, { value }: SignatureField): number =>
  Number(file.arrayEntry(value, "ByteRange")?.get(1).toString() ?? 0);

const contentsOf = ({ value }: SignatureField): Uint8Array => {
  const contents = value?.get(PDFName.of("Contents"));
  return readFirst(contents instanceof PDFHexString ? contents.asBytes() : new Uint8Array()).encoded;
};

/** Copies: they go to another process, which would be sent all of the file. */
const copied = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

const signedBy = (cms: Uint8Array): SignedBy => {
  const { signer, certificates } = readSignedData(cms, false);
  return { signer: copied(signer), certificates: certificates.map(copied) };
};

const sealOf = (cms: Uint8Array): SealsOfFile["seals"][number] => {
  const token = attribute(readSignedData(cms, false).unsigned, oid.signatureTimeStamp)?.encoded;
  return { ...signedBy(cms), timestamp: token === undefined ? null : signedBy(token) };
};

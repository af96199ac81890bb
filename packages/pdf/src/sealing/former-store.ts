import { X509Certificate } from "node:crypto";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { storeOf } from "@rubrica/pdf-reading/security-store";
import { Certificates, isIssuedBy, isRoot } from "../asn1/chain.ts";
import { isAbout, readOcspResponse } from "../asn1/ocsp.ts";
import { crlHolds } from "../asn1/revocation-list.ts";

/** How many certificates and revocation lists of a store are compared with each other, at most. */
const MAX_COMPARED = 100;

/**
 * Who issued a revocation list in a file's own security store, where nothing in it tells whether the issuer is revoked;
 * null when there is none. EU DSS takes all lists of a file for those of each of its signatures, and wants that status
 * of each issuer: it then calls no signature of the file, whatever is added for it, more than B-T.
 */
export const unprovenIssuer = (file: PdfFile): string | null => {
  const { crls, ocsps, ...store } = storeOf(file);
  const { one } = new Certificates();
  const certificates = store.certificates.slice(0, MAX_COMPARED).filter(isCertificate).map(one);
  const lists = crls.slice(0, MAX_COMPARED);
  const issuers = certificates.filter((each) => !isRoot(each) && lists.some((list) => crlHolds(list, each)));
  const unproven = issuers.find((issuer) => {
    const above = certificates.filter((each) => isIssuedBy(issuer, each));
    const isListed = above.some((each) => lists.some((list) => crlHolds(list, each)));
    return !isListed && !above.some((each) => ocsps.some((response) => answers(response, issuer, each)));
  });
  return unproven === undefined ? null : new X509Certificate(unproven).subject.replaceAll("\n", ", ");
};

const isCertificate = (bytes: Uint8Array): boolean => isSoundly(() => new X509Certificate(bytes).raw.length > 0);

const answers = (response: Uint8Array, certificate: Uint8Array, issuer: Uint8Array): boolean =>
  isSoundly(() => readOcspResponse(response).statuses.some((status) => isAbout(status, certificate, issuer)));

const isSoundly = (check: () => boolean): boolean => {
  try {
    return check();
  } catch {
    return false;
  }
};

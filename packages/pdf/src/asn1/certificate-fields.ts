import { childrenOf, der, dottedOf, type Element, NotDer, readDer, sequence, tag } from "./der.ts";
import { oid } from "./oids.ts";

/** Fields of a certificate (RFC 5280, 4.1) that Node's own reader does not give as they are encoded. */
export interface CertificateFields {
  serialNumber: Element;
  issuer: Element;
  subject: Element;
  /** SubjectPublicKeyInfo. */
  publicKey: Element;
  /** Object identifier → the extension's DER value. */
  extensions: ReadonlyMap<string, Uint8Array>;
  /** The types of those that must be understood. */
  critical: readonly string[];
}

/** Reads the fields of a certificate in DER. */
export const certificateFields = (certificate: Uint8Array): CertificateFields => {
  const [tbs] = childrenOf(readDer(certificate));
  const fields = tbs === undefined ? [] : childrenOf(tbs);
  // The version, tagged [0], is left out by certificates of version 1.
  const start = fields[0]?.tag === tag.constructed(0) ? 1 : 0;
  const [serialNumber, , issuer, , subject, publicKey] = fields.slice(start);
  if (serialNumber === undefined || issuer === undefined || subject === undefined || publicKey === undefined) {
    throw new Error("a certificate is broken");
  }
  const wrapped = fields.find((field) => field.tag === tag.constructed(3));
  const [list] = wrapped === undefined ? [] : childrenOf(wrapped);
  return {
    serialNumber,
    issuer,
    subject,
    publicKey,
    extensions: extensionsOf(list),
    critical: criticalExtensionsOf(list),
  };
};

/** The values of a list of extensions, of a certificate or a revocation list. Throws `NotDer` where one stands twice. */
export const extensionsOf = (list: Element | undefined): Map<string, Uint8Array> => {
  const extensions = new Map<string, Uint8Array>();
  for (const extension of list === undefined ? [] : childrenOf(list)) {
    const [type, ...rest] = childrenOf(extension);
    const value = rest.at(-1);
    if (type === undefined || value === undefined) continue;
    if (extensions.has(dottedOf(type))) throw new NotDer("an extension stands twice");
    extensions.set(dottedOf(type), value.content);
  }
  return extensions;
};

/** The types of a list's extensions that must be understood (RFC 5280, 4.2). */
export const criticalExtensionsOf = (list: Element | undefined): string[] =>
  (list === undefined ? [] : childrenOf(list)).flatMap((extension) => {
    const [type, flag] = childrenOf(extension);
    return type !== undefined && flag?.tag === tag.boolean && flag.content[0] !== 0 ? [dottedOf(type)] : [];
  });

/** Who names more has no more servers, but keeps whoever asks them busy. */
const MAX_ADDRESSES = 4;

/** The addresses (http or https) that an extension's value holds, in their order; the first four. */
export const addressesIn = (
  value: Uint8Array | undefined,
  within: (element: Element) => boolean = () => true,
): string[] => {
  const found: string[] = [];
  const walk = (element: Element): void => {
    if (element.tag === tag.primitive(6)) {
      const address = Buffer.from(element.content).toString("latin1");
      if (/^https?:/i.test(address)) found.push(address);
    } else if ((element.tag & 0x20) !== 0) {
      for (const child of childrenOf(element)) walk(child);
    }
  };
  const [...entries] = value === undefined ? [] : childrenOf(readDer(value));
  for (const entry of entries) if (within(entry)) walk(entry);
  return found.slice(0, MAX_ADDRESSES);
};

/** Where a certificate says that its revocation list is (RFC 5280, 4.2.1.13). */
export const crlAddresses = (certificate: Uint8Array): string[] =>
  addressesIn(certificateFields(certificate).extensions.get(oid.crlDistributionPoints));

const accessAddresses = (certificate: Uint8Array, accessMethod: string): string[] =>
  addressesIn(certificateFields(certificate).extensions.get(oid.authorityInformationAccess), (entry) => {
    const [method] = childrenOf(entry);
    return method !== undefined && dottedOf(method) === accessMethod;
  });

/** Where a certificate says that its issuer's certificate is (RFC 5280, 4.2.2.1). */
export const issuerAddresses = (certificate: Uint8Array): string[] => accessAddresses(certificate, oid.caIssuers);

/** Where a certificate says that its status is told by OCSP (RFC 5280, 4.2.2.1). */
export const ocspAddresses = (certificate: Uint8Array): string[] => accessAddresses(certificate, oid.ocsp);

/** Issuer and serial number as CMS names a certificate (RFC 5652, 10.2.4). */
export const issuerAndSerialOf = (certificate: Uint8Array): Buffer => {
  const { issuer, serialNumber } = certificateFields(certificate);
  return sequence(issuer.encoded, serialNumber.encoded);
};

/** Issuer and serial number as ESS names a certificate (RFC 5035, 5.4.1). */
export const issuerSerialOf = (certificate: Uint8Array): Buffer => {
  const { issuer, serialNumber } = certificateFields(certificate);
  return sequence(sequence(der(tag.constructed(4), issuer.encoded)), serialNumber.encoded);
};

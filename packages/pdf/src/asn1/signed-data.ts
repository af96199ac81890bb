import { createHash, X509Certificate } from "node:crypto";
import { digestOf, signatureHolds } from "./algorithms.ts";
import { certificateFields, issuerAndSerialOf } from "./certificate-fields.ts";
import { chainOf } from "./chain.ts";
import {
  assertDer,
  childrenOf,
  der,
  dottedOf,
  type Element,
  NotDer,
  objectIdentifier,
  readDer,
  sequence,
  setOf,
  smallInteger,
  tag,
} from "./der.ts";
import { oid } from "./oids.ts";

/** A CMS SignedData with one signer (RFC 5652, 5), as far as it matters here. */
export interface SignedData {
  /** What is signed, by its type's object identifier. */
  contentType: string;
  /** What is signed, when it is within. */
  content: Uint8Array | null;
  /** DER, in the order in which they stand. */
  certificates: readonly Uint8Array[];
  digest: string;
  signatureAlgorithm: Element;
  signature: Uint8Array;
  /** The signed attributes as they are signed: a SET. */
  signedAttributes: Uint8Array;
  /** Object identifier → the attribute's values. */
  signed: ReadonlyMap<string, readonly Element[]>;
  unsigned: ReadonlyMap<string, readonly Element[]>;
  /** DER of the certificate that the signer names. */
  signer: Uint8Array;
}

/** Nothing can be said of a signature: it is of a form that is not known here, or of one that proves nothing anymore. */
export class NotJudged extends Error {
  override name = "NotJudged";
}

/** A signature does not hold, or is not what its format demands. */
export class InvalidSignature extends Error {
  override name = "InvalidSignature";
}

const required = <Value>(value: Value | undefined, what: string): Value => {
  if (value === undefined) throw new NotDer(`${what} is missing`);
  return value;
};

/**
 * Reads a SignedData. When `strict`, it is DER throughout and has the one encoding of its content, its
 * certificates and its signer (so no revocation lists, which nothing would vouch for): what no signature
 * covers follows from these, and no bit of it is free. What others signed may be read without.
 */
export const readSignedData = (bytes: Uint8Array, strict = true): SignedData => {
  if (strict) assertDer(readDer(bytes));
  const { content, certificates, signer } = partsOf(bytes);
  if (strict && !encoded(content, certificates, signer).equals(bytes)) {
    throw new InvalidSignature("it is not encoded as its parts demand");
  }
  return { ...content, certificates, ...signer };
};

const partsOf = (bytes: Uint8Array): { content: Content; certificates: Uint8Array[]; signer: Signer } => {
  const contentInfo = readDer(bytes);
  const [type, wrapped, ...surplus] = childrenOf(contentInfo);
  if (contentInfo.tag !== tag.sequence || surplus.length > 0) throw new NotDer("no content info");
  if (dottedOf(required(type, "a content type")) !== oid.signedData)
    throw new InvalidSignature("it is not signed data");
  const signedData = onlyChild(required(wrapped, "signed data"), tag.constructed(0));
  const [, , encapsulated, ...rest] = childrenOf(signedData);
  const signerInfos = rest.at(-1);
  if (signerInfos?.tag !== tag.set) throw new NotJudged("it has no signers");
  const [signerInfo, ...others] = childrenOf(signerInfos);
  if (others.length > 0) throw new NotJudged("it has more than one signer");
  const list = rest[0]?.tag === tag.constructed(0) ? childrenOf(rest[0]) : [];
  const certificates = list.map((certificate) => certificate.encoded);
  const content = contentOf(required(encapsulated, "content"));
  return { content, certificates, signer: signerOf(required(signerInfo, "a signer"), certificates) };
};

/** The one encoding of a SignedData of these parts, with the versions that they demand (5.1 and 5.3). */
const encoded = ({ contentType, content }: Content, certificates: readonly Uint8Array[], signer: Signer): Buffer => {
  const version = contentType === oid.data && signer.named === 1 ? 1 : 3;
  const wrapped = content === null ? Buffer.alloc(0) : der(tag.constructed(0), der(tag.octetString, content));
  const signerInfo = sequence(
    smallInteger(signer.named),
    signer.name,
    signer.digestIdentifier,
    der(tag.constructed(0), readDer(signer.signedAttributes).content),
    signer.signatureAlgorithm.encoded,
    der(tag.octetString, signer.signature),
    signer.unsignedEncoded,
  );
  const signedData = sequence(
    smallInteger(version),
    setOf(signer.digestIdentifier),
    sequence(objectIdentifier(contentType), wrapped),
    der(tag.constructed(0), ...certificates),
    setOf(signerInfo),
  );
  return sequence(objectIdentifier(oid.signedData), der(tag.constructed(0), signedData));
};

const onlyChild = (element: Element, elementTag: number): Element => {
  const [child, ...others] = childrenOf(element);
  if (element.tag !== elementTag || child === undefined || others.length > 0) throw new NotDer("not one element");
  return child;
};

const contentOf = (encapsulated: Element): Content => {
  const [type, wrapped, ...surplus] = childrenOf(encapsulated);
  if (surplus.length > 0) throw new NotDer("content has surplus parts");
  const contentType = dottedOf(required(type, "a content type"));
  if (wrapped === undefined) return { contentType, content: null };
  const octets = onlyChild(wrapped, tag.constructed(0));
  if (octets.tag !== tag.octetString) throw new NotDer("content is no octet string");
  return { contentType, content: octets.content };
};

type Content = Pick<SignedData, "contentType" | "content">;

interface Signer extends Omit<SignedData, "contentType" | "content" | "certificates"> {
  /** The version that its name demands: 1 for issuer and serial number, 3 for a key. */
  named: 1 | 3;
  name: Uint8Array;
  digestIdentifier: Uint8Array;
  unsignedEncoded: Uint8Array;
}

const signerOf = (signerInfo: Element, certificates: readonly Uint8Array[]): Signer => {
  const [, name, digest, attributes, algorithm, signature, unsigned, ...surplus] = childrenOf(signerInfo);
  if (surplus.length > 0 || (unsigned !== undefined && unsigned.tag !== tag.constructed(1))) {
    throw new InvalidSignature("its signer has surplus parts");
  }
  if (attributes?.tag !== tag.constructed(0)) throw new NotJudged("it has no signed attributes");
  if (signature?.tag !== tag.octetString) throw new NotDer("a signature is missing");
  const signedAttributes = der(tag.set, attributes.content);
  const { signer, named } = namedBy(required(name, "a signer's name"), certificates);
  return {
    named,
    name: required(name, "a signer's name").encoded,
    digestIdentifier: required(digest, "a digest").encoded,
    unsignedEncoded: unsigned?.encoded ?? Buffer.alloc(0),
    digest: digestOf(required(digest, "a digest")),
    signatureAlgorithm: required(algorithm, "an algorithm"),
    signature: signature.content,
    signedAttributes,
    signed: attributesOf(attributes),
    unsigned: unsigned === undefined ? new Map() : attributesOf(unsigned),
    signer,
  };
};

/** The certificate that a signer names by issuer and serial number (version 1) or by key (version 3). */
const namedBy = (name: Element, certificates: readonly Uint8Array[]): { signer: Uint8Array; named: 1 | 3 } => {
  const byIssuer = certificates.find((certificate) => issuerAndSerialOf(certificate).equals(name.encoded));
  if (byIssuer !== undefined) return { signer: byIssuer, named: 1 };
  if (name.tag === tag.primitive(0)) {
    const identifier = der(tag.octetString, name.content);
    const byKey = certificates.find((certificate) => {
      const own = certificateFields(certificate).extensions.get(oid.subjectKeyIdentifier);
      return own !== undefined && identifier.equals(own);
    });
    if (byKey !== undefined) return { signer: byKey, named: 3 };
  }
  throw new NotJudged("the signer's certificate is not within");
};

const attributesOf = (attributes: Element): Map<string, readonly Element[]> => {
  const map = new Map<string, readonly Element[]>();
  for (const attribute of childrenOf(attributes)) {
    const [type, values, ...surplus] = childrenOf(attribute);
    const key = dottedOf(required(type, "an attribute's type"));
    if (values?.tag !== tag.set || surplus.length > 0 || map.has(key)) throw new NotDer("an attribute is broken");
    map.set(key, childrenOf(values));
  }
  return map;
};

/** The one value of an attribute that has to be there once. */
export const attribute = (attributes: ReadonlyMap<string, readonly Element[]>, type: string): Element | undefined => {
  const values = attributes.get(type);
  return values?.length === 1 ? values[0] : undefined;
};

/**
 * Checks that a SignedData is signed by the certificate that its signer names, over the given content.
 * Says nothing of whether that certificate is to be trusted. Throws {@link InvalidSignature}.
 *
 * @param hashOf the content's digest, by an algorithm
 */
export const verifySignedData = (
  signedData: SignedData,
  hashOf: (algorithm: string) => Uint8Array,
): X509Certificate => {
  const type = attribute(signedData.signed, oid.contentType);
  if (type === undefined || dottedOf(type) !== signedData.contentType) {
    throw new InvalidSignature("its content type is not signed");
  }
  const digest = attribute(signedData.signed, oid.messageDigest);
  if (digest?.tag !== tag.octetString || !Buffer.from(hashOf(signedData.digest)).equals(digest.content)) {
    throw new InvalidSignature("what it signs was changed");
  }
  const certificate = new X509Certificate(signedData.signer);
  const { signatureAlgorithm, signedAttributes, signature } = signedData;
  if (!signatureHolds(signatureAlgorithm, signedData.digest, certificate.publicKey, signedAttributes, signature)) {
    throw new InvalidSignature("the signature does not hold");
  }
  return certificate;
};

/** Whether the signing certificate is named among the signed attributes (RFC 2634, 5.4, and RFC 5035, 3). */
export const namesItsCertificate = (signedData: SignedData): boolean => {
  const second = attribute(signedData.signed, oid.signingCertificateV2);
  const first = attribute(signedData.signed, oid.signingCertificate);
  const identifiers = second ?? first;
  const [list] = identifiers === undefined ? [] : childrenOf(identifiers);
  const [identifier] = list === undefined ? [] : childrenOf(list);
  const fields = identifier === undefined ? [] : childrenOf(identifier);
  const stated = second !== undefined && fields[0]?.tag === tag.sequence ? digestOf(fields[0]) : undefined;
  const hash = fields[stated === undefined ? 0 : 1];
  if (hash?.tag !== tag.octetString) return false;
  const algorithm = stated ?? (second === undefined ? "sha1" : "sha256");
  return createHash(algorithm).update(signedData.signer).digest().equals(hash.content);
};

/**
 * A SignedData in its one encoding, with no certificates but its signer's chain, no revocation lists and no unsigned
 * attributes. Nothing of what is left out or written anew is signed; it would be bytes that nothing vouches for.
 */
export const inOneEncoding = (bytes: Uint8Array): Buffer => {
  const { content, certificates, signer } = partsOf(bytes);
  const chain = chainOf(signer.signer, certificates);
  return encoded(content, chain, { ...signer, unsignedEncoded: Buffer.alloc(0) });
};

/** The certificates of a SignedData, which may have no signers: a mere bag of certificates. */
export const certificatesOf = (bytes: Uint8Array): Uint8Array[] => {
  const [, wrapped] = childrenOf(readDer(bytes));
  const [signedData] = wrapped === undefined ? [] : childrenOf(wrapped);
  const fields = signedData === undefined ? [] : childrenOf(signedData);
  const certificates = fields.find((field) => field.tag === tag.constructed(0));
  return certificates === undefined ? [] : childrenOf(certificates).map(({ encoded }) => encoded);
};

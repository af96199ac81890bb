import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { chainOf } from "../asn1/chain.ts";
import { identityFrom, type SigningIdentity } from "./identity.ts";

/**
 * A signing identity out of a PKCS #12 file (RFC 7292), with an RSA or an EC key. The certificates that it
 * holds beside the signer's are taken for the chain, as far as they belong to it.
 * Throws with a sentence for the operator: wrong passphrase, no key, a key without its certificate.
 */
export const signingIdentityFromP12 = async (bytes: Uint8Array, passphrase: string): Promise<SigningIdentity> => {
  const { key, certificates } = await contentsOf(bytes, passphrase);
  const certificate = certificates.find((candidate) => new X509Certificate(candidate).checkPrivateKey(key));
  if (certificate === undefined) throw new Error("the P12 file holds no certificate of its private key");
  const [, ...issuers] = chainOf(certificate, certificates);
  return identityFrom(key, certificate, issuers, null);
};

interface Contents {
  key: KeyObject;
  certificates: Uint8Array[];
}

const contentsOf = async (bytes: Uint8Array, passphrase: string): Promise<Contents> => {
  // Node's own cryptography reads no P12 files; this is the only use of the library, and a rare one.
  const { default: forge } = await import("node-forge");
  const { asn1, pki, pkcs12, util } = forge;
  const der = (element: import("node-forge").asn1.Asn1) => Buffer.from(asn1.toDer(element).getBytes(), "latin1");
  const parsed = () => asn1.fromDer(util.createBuffer(Buffer.from(bytes).toString("latin1")));
  const file = read(
    () => pkcs12.pkcs12FromAsn1(parsed(), false, passphrase),
    () => {
      // Modern files are encrypted by the passphrase in UTF-8 (RFC 8018) but authenticated by it in UTF-16,
      // which the library can't tell apart: where it isn't ASCII, that the key fits a certificate must do.
      const unauthenticated = parsed();
      if (Array.isArray(unauthenticated.value)) unauthenticated.value.splice(2);
      return pkcs12.pkcs12FromAsn1(unauthenticated, false, util.encodeUtf8(passphrase));
    },
  );
  const bags = (type: string | undefined) => (type === undefined ? [] : (file.getBags({ bagType: type })[type] ?? []));
  const [keyBag] = [...bags(pki.oids.pkcs8ShroudedKeyBag), ...bags(pki.oids.keyBag)];
  if (keyBag === undefined) throw new Error("the P12 file holds no private key");
  // The library reads RSA keys; an EC key stays as it was encoded.
  const encoded = keyBag.key ? pki.wrapRsaPrivateKey(pki.privateKeyToAsn1(keyBag.key)) : keyBag.asn1;
  const certificates = bags(pki.oids.certBag).map((bag) => der(bag.cert ? pki.certificateToAsn1(bag.cert) : bag.asn1));
  return {
    key: createPrivateKey({ key: der(encoded), format: "der", type: "pkcs8" }),
    certificates: certificates.map((certificate) => new Uint8Array(certificate)),
  };
};

const read = <Result>(...attempts: readonly (() => Result)[]): Result => {
  let cause: unknown;
  for (const attempt of attempts) {
    try {
      return attempt();
    } catch (error) {
      cause = error;
    }
  }
  throw new Error("the P12 file can't be read: it is broken, or the passphrase is wrong", { cause });
};

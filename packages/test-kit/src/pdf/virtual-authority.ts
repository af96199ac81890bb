import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { certificateFrom, extension, keyUsage, nameOf, publicKeyOf } from "@rubrica/pdf/asn1/certificate";
import { certificateFields, issuerAndSerialOf, issuerSerialOf } from "@rubrica/pdf/asn1/certificate-fields";
import {
  bitString,
  boolean,
  childrenOf,
  der,
  objectIdentifier,
  readDer,
  sequence,
  setOf,
  smallInteger,
  tag,
  time,
} from "@rubrica/pdf/asn1/der";
import { oid } from "@rubrica/pdf/asn1/oids";
import type { WebServer } from "./web-server.ts";

const DAY_MS = 86_400_000;
/** As authorities do, those for timestamps live longer than what they issue. */
const INTERMEDIATE_YEARS = 20;
const sha256 = (data: Uint8Array): Buffer => createHash("sha256").update(data).digest();
const ecdsa = sequence(objectIdentifier(oid.ecdsaWithSha256));

/** When certificates hold, in milliseconds since the UNIX epoch. */
export interface Validity {
  from: number;
  to: number;
}

/** A certificate with its key, and what it was issued for. */
interface Held {
  key: KeyObject;
  certificate: Uint8Array;
  /** Path of the list of what it revoked; null where it issues nothing. */
  listed: string | null;
}

/**
 * A certificate authority at a time that a test says, which `openssl` can't be told: root, one intermediate after the other,
 * each with a certificate for timestamps, and their revocation lists. Whether what it makes is right is for pyHanko to say.
 */
export class VirtualAuthority {
  readonly #name: string;
  readonly #web: WebServer;
  readonly #now: () => number;
  readonly #root: Held;
  readonly #revoked: { serial: Uint8Array; at: number }[] = [];
  #serial = 1;
  readonly #intermediates: Held[] = [];
  #signer: Held | undefined;

  constructor(name: string, web: WebServer, now: () => number, years: number) {
    this.#name = name;
    this.#web = web;
    this.#now = now;
    const validity = { from: now() - DAY_MS, to: now() + years * 365 * DAY_MS };
    this.#root = this.#issued("Root", undefined, validity, [anyPath, authorityUsage], `/${name}/root.crl`);
    web.pages.set(`/${name}`, (query) => this.#timestamp(query));
  }

  /** DER of the root's certificate. */
  get root(): Uint8Array {
    return this.#root.certificate;
  }

  get url(): string {
    return `${this.#web.url}/${this.#name}`;
  }

  /** From now on its timestamps are by a new certificate of a new intermediate authority. */
  roll(generation: number, validity: Validity): void {
    // pyHanko can't look past one that has ended, as it can past those that it issued.
    const lasting = { from: validity.from, to: validity.from + INTERMEDIATE_YEARS * 365 * DAY_MS };
    const path = `/${this.#name}/${generation}.crl`;
    const intermediate = this.#issued(`CA ${generation}`, this.#root, lasting, [anyPath, authorityUsage], path);
    const responder = `/${this.#name}/${generation}.ocsp`;
    this.#web.pages.set(responder, (query) => this.#status(query, intermediate));
    const lines = [
      extension.basicConstraints(null),
      extension.keyUsage(keyUsage.digitalSignature),
      forTimestamps,
      respondedAt(`${this.#web.url}${responder}`),
    ];
    this.#signer = this.#issued(`TSA ${generation}`, intermediate, validity, lines, null);
    this.#intermediates.push(intermediate);
  }

  /** Revokes the intermediate authority that issued the present certificate for timestamps, or another one. */
  revokeIntermediate(certificate = this.#intermediates.at(-1)?.certificate): void {
    if (certificate === undefined) throw new Error("it has no intermediate");
    this.#revoked.push({ serial: certificateFields(certificate).serialNumber.encoded, at: this.#now() });
  }

  /** DER of the intermediate authority's certificate. */
  get intermediate(): Uint8Array | undefined {
    return this.#intermediates.at(-1)?.certificate;
  }

  /** The revocation lists that it publishes now, in DER. */
  lists(): Buffer[] {
    return [this.#root, ...this.#intermediates].map((held) => this.#list(held));
  }

  #issued(
    name: string,
    issuer: Held | undefined,
    { from, to }: Validity,
    extensions: readonly Uint8Array[],
    listed: string | null,
  ): Held {
    const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    const subject = nameOf(`${this.#name} ${name}`, "Virtual");
    const content = {
      serialNumber: Buffer.from([0x10, this.#serial++]),
      issuer: issuer === undefined ? subject : certificateFields(issuer.certificate).subject.encoded,
      subject,
      notBefore: from,
      notAfter: to,
      publicKey: publicKeyOf(key),
      extensions: [
        ...extensions,
        extension.subjectKeyIdentifier(publicKeyOf(key)),
        ...(issuer === undefined ? [] : [extension.authorityKeyIdentifier(publicKeyOf(issuer.key))]),
        ...(issuer?.listed == null ? [] : [extension.crlDistributionPoint(`${this.#web.url}${issuer.listed}`)]),
      ],
    };
    const held = { key, certificate: new Uint8Array(certificateFrom(content, issuer?.key ?? key)), listed };
    if (listed !== null) this.#web.pages.set(listed, () => this.#list(held));
    return held;
  }

  /**
   * A revocation list. It says where it is published, as those of many authorities do: pyHanko takes one that does not for
   * one that may tell of the other authorities of its issuer's issuer as well, and has what is revoked of one end the other.
   */
  #list({ key, certificate, listed }: Held): Buffer {
    const now = this.#now();
    const number = Buffer.alloc(6);
    number.writeUIntBE(Math.floor(now / 1_000), 0, 6);
    const entries = this.#revoked.map(({ serial, at }) => sequence(serial, time(at)));
    const content = sequence(
      smallInteger(1),
      ecdsa,
      certificateFields(certificate).subject.encoded,
      time(now),
      time(now + 7 * DAY_MS),
      entries.length === 0 ? Buffer.alloc(0) : sequence(...entries),
      der(
        tag.constructed(0),
        sequence(
          extension.authorityKeyIdentifier(publicKeyOf(key)),
          extension.crlNumber(number),
          named(oid.issuingDistributionPoint, placeOf(`${this.#web.url}${listed}`)),
        ),
      ),
    );
    return sequence(content, ecdsa, bitString(sign("sha256", content, key)));
  }

  /**
   * That a certificate for timestamps is not revoked (RFC 6960, 4.2.1), by its issuer itself. pyHanko, which judges what has
   * ended by what was kept of then, finds no list by an issuer that is not a root.
   */
  #status(query: Buffer, { key, certificate }: Held): Buffer {
    const [content] = childrenOf(readDer(query));
    const requests = content === undefined ? [] : childrenOf(content).filter((field) => field.tag === tag.sequence);
    const [id] = requests.flatMap(childrenOf).flatMap(childrenOf);
    if (id === undefined) throw new Error("the request asks for nothing");
    const now = this.#now();
    const until = der(tag.constructed(0), generalizedTime(now + 7 * DAY_MS));
    const single = sequence(id.encoded, der(tag.primitive(0), Buffer.alloc(0)), generalizedTime(now), until);
    const responder = der(tag.constructed(1), certificateFields(certificate).subject.encoded);
    const told = sequence(responder, generalizedTime(now), sequence(single));
    const response = sequence(told, ecdsa, bitString(sign("sha256", told, key)));
    const successful = der(0x0a, Buffer.from([0]));
    const basic = sequence(objectIdentifier(oid.basicOcspResponse), der(tag.octetString, response));
    return sequence(successful, der(tag.constructed(0), basic));
  }

  /** RFC 3161, 2.4.2. */
  #timestamp(query: Buffer): Buffer {
    const [, imprint, ...rest] = childrenOf(readDer(query));
    const nonce = rest.find((field) => field.tag === tag.integer);
    const intermediate = this.#intermediates.at(-1);
    if (this.#signer === undefined || intermediate === undefined || !imprint || !nonce) {
      return sequence(sequence(smallInteger(2)));
    }
    const info = sequence(
      smallInteger(1),
      objectIdentifier("1.2.3.4.1"),
      imprint.encoded,
      smallInteger(this.#serial++),
      generalizedTime(this.#now()),
      nonce.encoded,
    );
    const certificates = [this.#signer.certificate, intermediate.certificate, this.#root.certificate];
    return sequence(sequence(smallInteger(0)), signedInfo(info, this.#signer, certificates));
  }
}

const named = (type: string, value: Uint8Array): Buffer =>
  sequence(objectIdentifier(type), boolean(true), der(tag.octetString, value));

/** An authority below which others may stand. */
const anyPath = named(oid.basicConstraints, sequence(boolean(true)));
const authorityUsage = extension.keyUsage(keyUsage.keyCertSign | keyUsage.cRLSign);
const forTimestamps = named(oid.extendedKeyUsage, sequence(objectIdentifier(oid.timeStamping)));

/** RFC 5280, 5.2.5: one address of the full name. */
const placeOf = (url: string): Buffer => {
  const address = der(tag.primitive(6), Buffer.from(url, "latin1"));
  return sequence(der(tag.constructed(0), der(tag.constructed(0), address)));
};

/** Where a responder tells of a certificate (RFC 5280, 4.2.2.1). */
const respondedAt = (url: string): Buffer => {
  const place = sequence(objectIdentifier(oid.ocsp), der(tag.primitive(6), Buffer.from(url, "latin1")));
  return sequence(objectIdentifier(oid.authorityInformationAccess), der(tag.octetString, sequence(place)));
};

const generalizedTime = (at: number): Buffer => {
  const digits = new Date(at).toISOString().replace(/\D/g, "").slice(0, 14);
  return der(tag.generalizedTime, Buffer.from(`${digits}Z`));
};

/** A CMS SignedData over a timestamp's content (RFC 5652, 5). */
const signedInfo = (info: Uint8Array, { key, certificate }: Held, certificates: readonly Uint8Array[]): Buffer => {
  const attribute = (type: string, value: Uint8Array) => sequence(objectIdentifier(type), der(tag.set, value));
  const digest = sequence(objectIdentifier(oid.sha256));
  const named = sequence(der(tag.octetString, sha256(certificate)), issuerSerialOf(certificate));
  const attributes = setOf(
    attribute(oid.contentType, objectIdentifier(oid.tstInfo)),
    attribute(oid.messageDigest, der(tag.octetString, sha256(info))),
    attribute(oid.signingCertificateV2, sequence(sequence(named))),
  );
  const signer = sequence(
    smallInteger(1),
    issuerAndSerialOf(certificate),
    digest,
    der(tag.constructed(0), readDer(attributes).content),
    ecdsa,
    der(tag.octetString, sign("sha256", attributes, key)),
  );
  const signedData = sequence(
    smallInteger(3),
    setOf(digest),
    sequence(objectIdentifier(oid.tstInfo), der(tag.constructed(0), der(tag.octetString, info))),
    der(tag.constructed(0), ...certificates),
    setOf(signer),
  );
  return sequence(objectIdentifier(oid.signedData), der(tag.constructed(0), signedData));
};

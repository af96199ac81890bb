import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { expect, test } from "vitest";
import { certificateFrom, extension, keyUsage, nameOf, publicKeyOf } from "../../src/asn1/certificate.ts";
import {
  bitString,
  childrenOf,
  der,
  generalizedTime,
  objectIdentifier,
  readDer,
  sequence,
  smallInteger,
  tag,
  time,
} from "../../src/asn1/der.ts";
import { encodeOcspResponse, ocspRequest } from "../../src/asn1/ocsp.ts";
import { oid } from "../../src/asn1/oids.ts";
import { certificateStatusOf, type Moment } from "../../src/verification/certificate-status.ts";
import { Revocations } from "../../src/verification/revocations.ts";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 30);
const ecKey = (): KeyObject => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const keys = { root: ecKey(), otherRoot: ecKey(), middle: ecKey(), own: ecKey(), responder: ecKey() };
type Name = keyof typeof keys;
const AUTHORITIES: readonly Name[] = ["root", "otherRoot", "middle"];
const subjectOf = (name: Name): Buffer => nameOf(name, "Test");

let serial = 0;
const certified = (name: Name, issuer: Name, further: Uint8Array[] = []) => {
  serial += 1;
  const isAuthority = AUTHORITIES.includes(name);
  const content = {
    serialNumber: Buffer.from([serial]),
    issuer: subjectOf(issuer),
    subject: subjectOf(name),
    notBefore: NOW - 400 * DAY_MS,
    notAfter: NOW + 400 * DAY_MS,
    publicKey: publicKeyOf(keys[name]),
    extensions: [
      extension.basicConstraints(isAuthority ? 5 : null),
      extension.keyUsage(isAuthority ? keyUsage.keyCertSign | keyUsage.cRLSign : keyUsage.digitalSignature),
      ...further,
    ],
  };
  return { der: new Uint8Array(certificateFrom(content, keys[issuer])), serial };
};
const [root, otherRoot] = [certified("root", "root"), certified("otherRoot", "otherRoot")];
const [middle, otherMiddle] = [certified("middle", "root"), certified("middle", "otherRoot")];
const own = certified("own", "middle");

const forOcsp = sequence(
  objectIdentifier(oid.extendedKeyUsage),
  der(tag.octetString, sequence(objectIdentifier(oid.ocspSigning))),
);
const noCheck = sequence(objectIdentifier(oid.ocspNoCheck), der(tag.octetString, der(tag.null)));
const responder = certified("responder", "middle", [forOcsp]);
const vouchedFor = certified("responder", "middle", [forOcsp, noCheck]);

const OVER_SHA1 = "1.2.840.10045.4.1";
const signedBy = (name: Name, content: Uint8Array, algorithm: string): Buffer =>
  sign(algorithm === OVER_SHA1 ? "sha1" : "sha256", content, keys[name]);

/** A list of an issuer that says of some certificates that they were revoked ten days ago. */
const listBy = (type: string, issuer: Name, ...revoked: { serial: number }[]): Uint8Array => {
  const algorithm = sequence(objectIdentifier(type));
  const entries = revoked.map((each) => sequence(smallInteger(each.serial), time(NOW - 10 * DAY_MS)));
  const times = [time(NOW - DAY_MS), time(NOW + DAY_MS)];
  const some = entries.length === 0 ? [] : [sequence(...entries)];
  const content = sequence(smallInteger(1), algorithm, subjectOf(issuer), ...times, ...some);
  return new Uint8Array(sequence(content, algorithm, bitString(signedBy(issuer, content, type))));
};
const listOf = (issuer: Name, ...revoked: { serial: number }[]) => listBy(oid.ecdsaWithSha256, issuer, ...revoked);

/** What the responder says of the first certificate: that it was revoked ten days ago, or is good. */
const answer = (isRevoked: boolean, type: string = oid.ecdsaWithSha256, by = responder): Uint8Array => {
  const [tbs] = childrenOf(readDer(ocspRequest(own.der, middle.der, null)));
  const [id] = [tbs].flatMap((each) => (each ? childrenOf(each).flatMap(childrenOf).flatMap(childrenOf) : []));
  const revokedAt = generalizedTime(NOW - 10 * DAY_MS);
  const status = isRevoked ? der(tag.constructed(1), revokedAt) : der(tag.primitive(0));
  const nextUpdate = der(tag.constructed(0), generalizedTime(NOW + DAY_MS));
  const made = generalizedTime(NOW - DAY_MS);
  const one = sequence(id?.encoded ?? Buffer.alloc(0), status, made, nextUpdate);
  const signed = sequence(der(tag.constructed(1), subjectOf("responder")), made, sequence(one));
  const algorithm = readDer(sequence(objectIdentifier(type)));
  return new Uint8Array(
    encodeOcspResponse({ signed, algorithm, signature: signedBy("responder", signed, type) }, by.der),
  );
};

const unproven = { at: NOW, isProven: false };
const statusOf = (
  known: Uint8Array[],
  anchors: Uint8Array[],
  crls: Uint8Array[],
  { ocsps = [], moment = unproven }: { ocsps?: Uint8Array[]; moment?: Moment } = {},
) => certificateStatusOf(own.der, known, anchors, new Revocations({ crls, ocsps }, NOW), moment, "signature").status;

test.each<[string, Uint8Array[], Uint8Array[], string]>([
  ["revoked by its issuer", [middle.der], [listOf("middle", own)], "revoked"],
  ["good by its issuer's word", [middle.der], [listOf("middle")], "good"],
  ["unknown where its issuer says nothing", [middle.der], [], "unknown"],
  ["unknown where its issuer is not at hand", [], [listOf("middle", own)], "unknown"],
  ["unknown by another's word", [middle.der, root.der], [listOf("root", own)], "unknown"],
])("a certificate that is itself trusted is %s", (_what, known, crls, status) => {
  expect(statusOf(known, [own.der], crls)).toBe(status);
});

test.each<[string, Uint8Array[], string]>([
  ["good where one is sound, and another revoked", [listOf("root"), listOf("otherRoot", otherMiddle)], "good"],
  ["good where one is sound, and nothing is known of another", [listOf("root")], "good"],
  ["unknown where one is revoked, and nothing is known of another", [listOf("otherRoot", otherMiddle)], "unknown"],
  ["revoked where all are", [listOf("root", middle), listOf("otherRoot", otherMiddle)], "revoked"],
])("of several ways the best counts, in any order: %s", (_what, crls, status) => {
  const lists = [listOf("middle"), ...crls];
  const anchors = [root.der, otherRoot.der];
  const known = [middle.der, otherMiddle.der];
  expect(statusOf(known, anchors, lists)).toBe(status);
  expect(statusOf(known.toReversed(), anchors.toReversed(), lists)).toBe(status);
});

const weakList = (...revoked: { serial: number }[]) => listBy(OVER_SHA1, "middle", ...revoked);
const before = { at: NOW - 20 * DAY_MS, isProven: true };

test.each<[string, Uint8Array[], Uint8Array[], Moment, string]>([
  ["revoked by a list over a weak digest", [weakList(own)], [], unproven, "revoked"],
  ["not good by such a list", [weakList()], [], unproven, "unknown"],
  ["good before it was revoked by a sound list", [listOf("middle", own)], [], before, "good"],
  ["not good before it was revoked by a weak one", [weakList(own)], [], before, "unknown"],
  ["revoked by a responder of which nothing is known", [], [answer(true)], unproven, "revoked"],
  ["not good by such a responder", [], [answer(false)], unproven, "unknown"],
  ["good by a responder that is", [listOf("middle")], [answer(false)], unproven, "good"],
  ["good by one that its issuer vouches for", [], [answer(false, oid.ecdsaWithSha256, vouchedFor)], unproven, "good"],
  ["not good by that over a weak digest", [], [answer(false, OVER_SHA1, vouchedFor)], unproven, "unknown"],
  ["revoked by that over a weak digest", [], [answer(true, OVER_SHA1, vouchedFor)], unproven, "revoked"],
  ["not revoked by a responder that is itself", [listOf("middle", responder)], [answer(true)], unproven, "good"],
])("a certificate is %s", (_what, crls, ocsps, moment, status) => {
  expect(statusOf([middle.der], [middle.der], crls, { ocsps, moment })).toBe(status);
});

import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { expect, test } from "vitest";
import { certificateFrom, extension, keyUsage, nameOf, publicKeyOf } from "../../src/asn1/certificate.ts";
import { bitString, objectIdentifier, sequence, smallInteger, time } from "../../src/asn1/der.ts";
import { oid } from "../../src/asn1/oids.ts";
import { certificateStatusOf } from "../../src/verification/certificate-status.ts";
import { Revocations } from "../../src/verification/revocations.ts";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 30);
const ecKey = (): KeyObject => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const keys = { root: ecKey(), otherRoot: ecKey(), middle: ecKey(), own: ecKey() };
type Name = keyof typeof keys;
const subjectOf = (name: Name): Buffer => nameOf(name, "Test");

let serial = 0;
const certified = (name: Name, issuer: Name) => {
  serial += 1;
  const isAuthority = name !== "own";
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
    ],
  };
  return { der: new Uint8Array(certificateFrom(content, keys[issuer])), serial };
};
const [root, otherRoot] = [certified("root", "root"), certified("otherRoot", "otherRoot")];
const [middle, otherMiddle] = [certified("middle", "root"), certified("middle", "otherRoot")];
const own = certified("own", "middle");

/** A list of an issuer that says of some certificates that they were revoked ten days ago. */
const listOf = (issuer: Name, ...revoked: { serial: number }[]): Uint8Array => {
  const algorithm = sequence(objectIdentifier(oid.ecdsaWithSha256));
  const entries = revoked.map((each) => sequence(smallInteger(each.serial), time(NOW - 10 * DAY_MS)));
  const times = [time(NOW - DAY_MS), time(NOW + DAY_MS)];
  const some = entries.length === 0 ? [] : [sequence(...entries)];
  const content = sequence(smallInteger(1), algorithm, subjectOf(issuer), ...times, ...some);
  return new Uint8Array(sequence(content, algorithm, bitString(sign("sha256", content, keys[issuer]))));
};

const statusOf = (known: Uint8Array[], anchors: Uint8Array[], crls: Uint8Array[]) => {
  const revocations = new Revocations({ crls, ocsps: [] }, NOW);
  return certificateStatusOf(own.der, known, anchors, revocations, { at: NOW, isProven: false }, "signature").status;
};

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

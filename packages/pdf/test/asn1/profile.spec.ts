import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { expect, test } from "vitest";
import { certificateFrom, extension, keyUsage, nameOf, publicKeyOf } from "../../src/asn1/certificate.ts";
import { boolean, der, objectIdentifier, sequence, tag } from "../../src/asn1/der.ts";
import { oid } from "../../src/asn1/oids.ts";
import { mayBeUsed, maySignLists, type Use } from "../../src/asn1/profile.ts";

const YEAR_MS = 365 * 86_400_000;
const ecKey = (): KeyObject => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const keys = { root: ecKey(), middle: ecKey(), own: ecKey() };
const weakKey = generateKeyPairSync("rsa", { modulusLength: 1_024 }).privateKey;
const explicitKey = generateKeyPairSync("ec", { namedCurve: "P-256", paramEncoding: "explicit" }).privateKey;
const curveKey = generateKeyPairSync("ec", { namedCurve: "secp192k1" }).privateKey;
const names = { root: nameOf("Root", "Trust"), middle: nameOf("Middle", "Trust"), own: nameOf("Ana", "Acme") };

const critical = (type: string, value: Uint8Array): Buffer =>
  sequence(objectIdentifier(type), boolean(true), der(tag.octetString, value));
const uses = (...types: string[]): Buffer =>
  critical(oid.extendedKeyUsage, sequence(...types.map((type) => objectIdentifier(type))));
const plainUses = (type: string): Buffer =>
  sequence(objectIdentifier(oid.extendedKeyUsage), der(tag.octetString, sequence(objectIdentifier(type))));
const directory = (name: Uint8Array): Buffer => sequence(der(tag.constructed(4), name));
const within = (kind: 0 | 1, ...bases: Uint8Array[]): Buffer =>
  critical(oid.nameConstraints, sequence(der(tag.constructed(kind), Buffer.concat(bases))));
const organization = (name: string): Buffer =>
  sequence(der(tag.set, sequence(objectIdentifier(oid.organizationName), der(tag.utf8String, Buffer.from(name)))));
const address = der(tag.primitive(7), Buffer.from([10, 0, 0, 1]));
const mailbox = (text: string): Buffer => {
  const value = der(tag.constructed(0), der(tag.utf8String, Buffer.from(text)));
  return der(tag.constructed(0), Buffer.concat([objectIdentifier(oid.smtpUtf8Mailbox), value]));
};
const alternative = (text: string) =>
  critical(oid.subjectAlternativeName, sequence(der(tag.primitive(1), Buffer.from(text))));
const mail = der(tag.primitive(1), Buffer.from("ana@acme.example"));

type Name = keyof typeof names;
const certified = (name: Name, issuer: Name, extensions: readonly Uint8Array[], key = keys[name]): Uint8Array => {
  const content = {
    serialNumber: Buffer.from([7]),
    issuer: names[issuer],
    subject: names[name],
    notBefore: 0,
    notAfter: YEAR_MS,
    publicKey: publicKeyOf(key),
    extensions,
  };
  return new Uint8Array(certificateFrom(content, keys[issuer]));
};

const authority = [extension.keyUsage(keyUsage.keyCertSign | keyUsage.cRLSign)];
const root = [extension.basicConstraints(1), ...authority];
const middle = [extension.basicConstraints(0), ...authority];
const own = [extension.basicConstraints(null), extension.keyUsage(keyUsage.digitalSignature)];
const chain = (changes: { root?: Uint8Array[]; middle?: Uint8Array[]; own?: Uint8Array[]; key?: KeyObject } = {}) => [
  certified("own", "middle", changes.own ?? own, changes.key),
  certified("middle", "root", changes.middle ?? middle),
  certified("root", "root", changes.root ?? root),
];

test.each<[string, Use, Parameters<typeof chain>[0]]>([
  ["it says that it may sign, and those above that they may issue", "signature", {}],
  ["nothing is said of its use", "signature", { own: [], middle: [extension.basicConstraints(0)] }],
  ["it may vouch for what it signs", "signature", { own: [extension.keyUsage(keyUsage.nonRepudiation)] }],
  ["it is for signatures among others", "signature", { own: [...own, uses("1.2.3", oid.emailProtection)] }],
  [
    "it is for servers to know who it is, and vouches",
    "signature",
    { own: [extension.keyUsage(keyUsage.nonRepudiation), uses(oid.clientAuthentication)] },
  ],
  ["it is for any use", "signature", { own: [...own, uses(oid.anyExtendedKeyUsage)] }],
  ["it is for timestamps, and was used for one", "timestamp", { own: [...own, uses(oid.timeStamping)] }],
  [
    "it answers for an authority that gives certificates for other uses",
    "ocsp",
    { own: [...own, uses(oid.ocspSigning)], middle: [...middle, uses(oid.timeStamping)] },
  ],
  ["its use is judged elsewhere", "any", { own: [extension.keyUsage(keyUsage.keyCertSign), uses(oid.ocspSigning)] }],
  [
    "its name is within what is allowed",
    "signature",
    { middle: [...middle, within(0, directory(organization(" ACME ")))] },
  ],
  [
    "its name is not within what is not",
    "signature",
    { middle: [...middle, within(1, directory(organization("Trust")))] },
  ],
  ["limits are of names that it does not have", "signature", { middle: [...middle, within(0, sequence(mail))] }],
  [
    "its e-mail address is of an allowed host",
    "signature",
    {
      middle: [...middle, within(0, sequence(der(tag.primitive(1), Buffer.from("acme.example"))))],
      own: [...own, alternative("ana@ACME.example")],
    },
  ],
  [
    "its e-mail address beyond ASCII is of an allowed host",
    "signature",
    {
      middle: [...middle, within(0, sequence(der(tag.primitive(1), Buffer.from("xn--acm-dma.example"))))],
      own: [...own, critical(oid.subjectAlternativeName, sequence(mailbox("señor@Acmé.example")))],
    },
  ],
  ["it says more that is understood", "signature", { own: [...own, critical(oid.certificatePolicies, sequence())] }],
])("a certificate may be used where %s", (_where, use, changes) => {
  expect(mayBeUsed(chain(changes), use)).toBe(true);
});

test.each<[string, Use, Parameters<typeof chain>[0]]>([
  ["it may not sign", "signature", { own: [extension.keyUsage(keyUsage.keyCertSign)] }],
  ["it may not sign timestamps either", "timestamp", { own: [extension.keyUsage(keyUsage.keyCertSign)] }],
  ["it is for servers", "signature", { own: [...own, uses(oid.serverAuthentication, oid.clientAuthentication)] }],
  ["it is for what nobody here knows", "signature", { own: [...own, uses("1.2.3")] }],
  [
    "it and its authority are each for another use",
    "signature",
    { own: [...own, uses(oid.documentSigning)], middle: [...middle, uses(oid.emailProtection)] },
  ],
  ["that it is for timestamps need not be understood", "timestamp", { own: [...own, plainUses(oid.timeStamping)] }],
  ["it is an authority's", "timestamp", { own: [extension.basicConstraints(0), uses(oid.timeStamping)] }],
  ["its key's curve is told by numbers", "signature", { key: explicitKey }],
  ["its key is on a weak curve", "signature", { key: curveKey }],
  ["it is for servers alone", "signature", { own: [...own, uses(oid.serverAuthentication)] }],
  [
    "its authority alone is for answers",
    "ocsp",
    { own: [...own, uses("1.2.3")], middle: [...middle, uses(oid.ocspSigning)] },
  ],
  ["it is for timestamps alone", "signature", { own: [...own, uses(oid.timeStamping)] }],
  ["its authority is for servers alone", "timestamp", { middle: [...middle, uses(oid.serverAuthentication)] }],
  ["it says what nobody here understands", "signature", { own: [...own, critical("1.2.3.4", sequence())] }],
  ["its authority does", "any", { middle: [...middle, critical("1.2.3.4", sequence())] }],
  ["its key is too short", "signature", { key: weakKey }],
  ["its authority may not issue", "any", { middle: [extension.basicConstraints(0), ...own.slice(1)] }],
  ["more authorities follow than the root allows", "any", { root: [extension.basicConstraints(0), ...authority] }],
  ["its name is not among those allowed", "any", { middle: [...middle, within(0, directory(organization("Other")))] }],
  ["its name is among those that are not", "any", { middle: [...middle, within(1, directory(organization("acme")))] }],
  [
    "an e-mail address in its name is not among those allowed",
    "any",
    { middle: [...middle, within(0, sequence(mail))], own: [...own, alternative("bob@acme.example")] },
  ],
  [
    "an e-mail address beyond ASCII is not among those allowed",
    "any",
    {
      middle: [...middle, within(0, sequence(der(tag.primitive(1), Buffer.from("acme.example"))))],
      own: [...own, critical(oid.subjectAlternativeName, sequence(mailbox("señor@evil.example")))],
    },
  ],
  [
    "a name of it is of a kind that is limited",
    "any",
    {
      middle: [...middle, within(0, sequence(address))],
      own: [...own, critical(oid.subjectAlternativeName, sequence(address))],
    },
  ],
  ["what it says can't be read", "any", { own: [critical(oid.keyUsage, Buffer.from([3])), ...own.slice(0, 1)] }],
])("a certificate may not be used where %s", (_where, use, changes) => {
  expect(mayBeUsed(chain(changes), use)).toBe(false);
});

test("what is trusted as it is may be used for anything", () => {
  const [trusted] = chain({ own: [extension.keyUsage(keyUsage.keyCertSign)] });
  expect(mayBeUsed([trusted as Uint8Array], "signature")).toBe(true);
});

test("who issues certificates signs lists of revoked ones where it says so, or nothing", () => {
  const signs = (extensions: Uint8Array[]) => maySignLists(certified("middle", "root", extensions));
  expect(signs(middle)).toBe(true);
  expect(signs([extension.basicConstraints(0)])).toBe(true);
  expect(signs([extension.basicConstraints(0), extension.keyUsage(keyUsage.keyCertSign)])).toBe(false);
});

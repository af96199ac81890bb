import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { certificateFrom, nameOf, publicKeyOf } from "../../src/asn1/certificate.ts";
import { der, objectIdentifier, sequence, tag } from "../../src/asn1/der.ts";
import { isNamedWithin } from "../../src/asn1/name-constraints.ts";
import { oid } from "../../src/asn1/oids.ts";

const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const organization = (name: string): Buffer =>
  sequence(der(tag.set, sequence(objectIdentifier(oid.organizationName), der(tag.utf8String, Buffer.from(name)))));
const named = (subject: Uint8Array): Uint8Array => {
  const validity = { notBefore: 0, notAfter: 86_400_000 };
  const given = { serialNumber: Buffer.from([7]), issuer: nameOf("Root", "Trust"), subject, ...validity };
  return new Uint8Array(certificateFrom({ ...given, publicKey: publicKeyOf(key), extensions: [] }, key));
};
/** Limits of names in a directory: those alone (0), or all but those (1). */
const limits = (kind: 0 | 1, base: Uint8Array): Buffer =>
  sequence(der(tag.constructed(kind), sequence(der(tag.constructed(4), base))));

test.each([
  ["in other letters of the same kind", "acmé strasse", "ACMÉ  Straße "],
  ["decomposed", "Acm\u00e9", "Acme\u0301"],
  ["in full width", "Acme", "\uff21cme"],
  ["with a soft hyphen", "Acme", "Ac\u00adme"],
  ["with a zero-width blank and a mark of order", "Acme", "A\u200bcme\ufeff"],
  ["with another blank", "Acme Trust", "Acme\u00a0Trust"],
  ["in Greek capitals", "\u03bf\u03b4\u03bf\u03c2", "\u039f\u0394\u039f\u03a3"],
])("names are the same where one is %s", (_how, one, other) => {
  for (const [limit, name] of [
    [one, other],
    [other, one],
  ] as [string, string][])
    expect(isNamedWithin(limits(1, organization(limit)), named(organization(name)))).toBe(false);
});

test.each([
  ["an accent", "Acme", "Acm\u00e9"],
  ["a dotless i", "acmi", "acm\u0131"],
  ["a word", "Acme", "Acme Trust"],
])("names differ by %s", (_what, one, other) => {
  expect(isNamedWithin(limits(1, organization(one)), named(organization(other)))).toBe(true);
  expect(isNamedWithin(limits(0, organization(one)), named(organization(other)))).toBe(false);
});

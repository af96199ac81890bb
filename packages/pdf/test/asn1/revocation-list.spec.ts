import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { certificateFrom, crlFrom, extension, nameOf, publicKeyOf } from "../../src/asn1/certificate.ts";
import { coversCertificate, readRevocationList } from "../../src/asn1/revocation-list.ts";

const DAY_MS = 86_400_000;
const END = 100 * DAY_MS;
const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const name = nameOf("Authority", "Test");
const certificate = new Uint8Array(
  certificateFrom(
    {
      serialNumber: Buffer.from([7]),
      issuer: name,
      subject: nameOf("Ana", "Acme"),
      notBefore: 0,
      notAfter: END,
      publicKey: publicKeyOf(key),
      extensions: [],
    },
    key,
  ),
);

test.each<[string, number, number | null, boolean]>([
  ["while the certificate is valid", END, null, true],
  ["after its end", END + DAY_MS, null, false],
  ["after its end, where it lists ended ones since before", END + DAY_MS, END, true],
  ["after its end, where it lists those that ended later", END + DAY_MS, END + DAY_MS, false],
])("a silent list that was made %s", (_when, thisUpdate, endedSince, covers) => {
  const extensions = endedSince === null ? [] : [extension.expiredCertificatesOnList(endedSince)];
  const list = crlFrom({ issuer: name, thisUpdate, nextUpdate: thisUpdate + DAY_MS, extensions }, key);
  expect(coversCertificate(readRevocationList(list), certificate)).toBe(covers);
});

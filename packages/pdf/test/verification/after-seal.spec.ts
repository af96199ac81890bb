import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pagesOf } from "@rubrica/pdf-reading/pages";
import { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { storeOf } from "@rubrica/pdf-reading/security-store";
import { type Clock, systemRandom } from "@rubrica/runtime";
import { impatient } from "@rubrica/test-kit/pdf/clocks";
import { pdf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { verifyNow as verify } from "@rubrica/test-kit/pdf/tools";
import { VirtualAuthority } from "@rubrica/test-kit/pdf/virtual-authority";
import { startWebServer, type WebServer } from "@rubrica/test-kit/pdf/web-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { certificateFrom, crlFrom, extension, nameOf, publicKeyOf } from "../../src/asn1/certificate.ts";
import { childrenOf, der, objectIdentifier, readDer, sequence, tag } from "../../src/asn1/der.ts";
import { encodeOcspResponse, ocspRequest } from "../../src/asn1/ocsp.ts";
import { oid } from "../../src/asn1/oids.ts";
import { createPdfEngine, loadOrCreateSigningIdentity, type PdfEngine, type SigningIdentity } from "../../src/index.ts";
import { type ArchiveForm, withSecurityStore } from "../../src/sealing/archive.ts";
import { identityFrom } from "../../src/sealing/identity.ts";
import type { ValidationData } from "../../src/sealing/validation-data.ts";

const YEAR_MS = 365 * 86_400_000;
const now = Date.UTC(2026, 0, 5, 9);
const text = textAt(50, 700, "Debo 100 pesos");
const other = textAt(50, 700, "Debo 100000000 pesos");
const none: ValidationData = { certificates: [], crls: [], ocsps: [] };

const fixture = (name: string) => new Uint8Array(readFileSync(join(import.meta.dirname, "fixtures", name)));

/** A certificate that signs itself, with something in an extension that nobody knows. */
const selfMade = (hidden: string): Uint8Array => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = nameOf("Somebody", "Elsewhere");
  const content = {
    serialNumber: Buffer.from([1]),
    issuer: name,
    subject: name,
    notBefore: now - YEAR_MS,
    notAfter: now + YEAR_MS,
    publicKey: publicKeyOf(privateKey),
    extensions: [sequence(objectIdentifier("1.2.3.4.5"), der(tag.octetString, Buffer.from(hidden, "latin1")))],
  };
  return new Uint8Array(certificateFrom(content, privateKey));
};

const withData = (file: Uint8Array, data: Partial<ValidationData>, form: ArchiveForm): Uint8Array => {
  const opened = PdfFile.open(file);
  return withSecurityStore({ file: opened, pages: pagesOf(opened), signatures: [] }, { ...none, ...data }, form);
};

describe("what earlier releases sealed keeps its verdict", () => {
  const [roots, timestampRoots] = [[fixture("root.der")], [fixture("timestamp-root.der")]];
  test.each(["former-b-lt.pdf", "former-renewed.pdf"])("%s", (name) => {
    const bytes = fixture(name);
    expect(Buffer.from(bytes).includes("/ASCIIHexDecode")).toBe(false);
    expect(verify(bytes, roots, timestampRoots)).toMatchObject({ untouched: true, afterSeal: "validation_data" });
    expect(verify(bytes, roots)).toMatchObject({ untouched: false, afterSeal: "validation_data_by_others" });
    // Whatever the release: a bit of the data that it appended is not free.
    const at = Buffer.from(bytes).lastIndexOf("endstream") - 20;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    expect(verify(bytes, roots, timestampRoots)).toMatchObject({ untouched: false });
  });
});

describe("what came after a seal", () => {
  const clock: Clock = { ...impatient(), now: () => now };
  const folder = mkdtempSync(join(tmpdir(), "rubrica-after-seal-"));
  let engine: PdfEngine;
  let web: WebServer;
  let identity: SigningIdentity;
  let authority: VirtualAuthority;
  let strange: VirtualAuthority;

  beforeAll(async () => {
    engine = createPdfEngine({ clock, processes: 1 });
    web = await startWebServer();
    identity = await loadOrCreateSigningIdentity(folder, "http://localhost:3000", clock, systemRandom);
    [authority, strange] = ["ours", "strange"].map((name) => new VirtualAuthority(name, web, () => now, 60)) as [
      VirtualAuthority,
      VirtualAuthority,
    ];
    for (const each of [authority, strange]) each.roll(0, { from: now - YEAR_MS, to: now + YEAR_MS });
  });
  afterAll(async () => {
    await engine.close();
    await web.close();
    rmSync(folder, { recursive: true });
  });

  const sealed = async (by?: VirtualAuthority, bytes: Uint8Array = pdf({ pages: [{ content: text }] })) => {
    const timestamps = by === undefined ? {} : { timestamps: { urls: [by.url], level: "B-LTA" as const } };
    return (await engine.seal(bytes, { identity, sealedAt: now, ...timestamps })).bytes;
  };
  const root = () => identity.issuers.at(-1) ?? new Uint8Array();
  const foundOf = (bytes: Uint8Array, roots = [root()]) => verify(bytes, roots, [authority.root]).afterSeal;

  test("is validation data of trusted authorities, in which no reader finds an object", async () => {
    const bytes = await sealed(authority);
    expect(foundOf(bytes)).toBe("validation_data");
    const stored = storeOf(PdfFile.open(bytes));
    expect(stored.certificates).toContainEqual(authority.root);
    for (const data of [...stored.certificates, ...stored.crls, ...stored.ocsps]) {
      expect(Buffer.from(bytes).indexOf(data)).toBe(-1);
    }
  });

  test("may be of the root above a certificate that is trusted by itself", async () => {
    expect(foundOf(await sealed(authority), [identity.certificate])).toBe("validation_data");
  });

  test("is data of others where their authority is not trusted", async () => {
    const bytes = await sealed(strange);
    expect(verify(bytes, [root()], [authority.root])).toMatchObject({
      untouched: false,
      afterSeal: "validation_data_by_others",
    });
    expect(foundOf(withData(await sealed(), { certificates: [selfMade("")] }, "hex"))).toBe(
      "validation_data_by_others",
    );
  });

  test("is data of others where the timestamp within the seal is: no signature is over it", async () => {
    for (const [by, afterSeal] of [
      [authority, "nothing"],
      [strange, "validation_data_by_others"],
    ] as const) {
      const timestamps = { urls: [by.url], level: "B-T" as const };
      const { bytes } = await engine.seal(pdf(), { identity, sealedAt: now, timestamps });
      expect(foundOf(bytes)).toBe(afterSeal);
    }
  });

  test("is data of others where lists and answers are not of a trusted chain", async () => {
    const before = await sealed();
    const chain = [authority.root, authority.intermediate ?? new Uint8Array()];
    const data = storeOf(PdfFile.open(await sealed(strange)));
    expect(foundOf(withData(before, { certificates: chain, crls: authority.lists() }, "hex"))).toBe("validation_data");
    // Only their signers come along, and not those whom they tell of.
    for (const { crls, ocsps } of [
      { crls: strange.lists().slice(0, 1), ocsps: [] },
      { crls: [], ocsps: data.ocsps },
    ]) {
      const certificates = [...chain, strange.root, strange.intermediate ?? new Uint8Array()];
      expect(foundOf(withData(before, { certificates, crls, ocsps }, "hex"))).toBe("validation_data_by_others");
    }
  });

  test("is nothing of ours where the seal's certificate was issued by one that is no authority's", async () => {
    const [rootKey, middleKey, leafKey] = Array.from(
      { length: 3 },
      () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
    ) as [KeyObject, KeyObject, KeyObject];
    const names = ["Root", "Somebody", "Rubrica"].map((name) => nameOf(name, "Test")) as [Buffer, Buffer, Buffer];
    const validity = { notBefore: now - YEAR_MS, notAfter: now + YEAR_MS };
    const issued = (index: 0 | 1 | 2, key: KeyObject, issuer: 0 | 1, issuerKey: KeyObject, isAuthority: boolean) => {
      // Of the root, that one more may follow.
      const pathLength = isAuthority ? 1 - index : null;
      const content = { serialNumber: Buffer.from([index + 1]), issuer: names[issuer], subject: names[index] };
      const extensions = [extension.basicConstraints(pathLength)];
      return new Uint8Array(
        certificateFrom({ ...content, ...validity, publicKey: publicKeyOf(key), extensions }, issuerKey),
      );
    };
    const top = issued(0, rootKey, 0, rootKey, true);
    const leaf = issued(2, leafKey, 1, middleKey, false);
    for (const isAuthority of [true, false]) {
      const middle = issued(1, middleKey, 0, rootKey, isAuthority);
      for (const issuers of [[middle], [middle, top]]) {
        const by = { identity: identityFrom(leafKey, leaf, issuers, null), sealedAt: now };
        const { bytes } = await engine.seal(pdf(), by);
        const [seal] = verify(bytes, [top], []).signatures;
        expect([seal?.intact, seal?.trusted]).toEqual([true, isAuthority]);
      }
    }
  });

  test("is data of others where a certificate of a trusted chain says more than it may", async () => {
    const [rootKey, leafKey] = Array.from(
      { length: 2 },
      () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
    ) as [KeyObject, KeyObject];
    const [rootName, leafName] = [nameOf("Root", "Test"), nameOf("Leaf", "Test")];
    const validity = { notBefore: now - YEAR_MS, notAfter: now + YEAR_MS };
    const certified = (subject: Buffer, key: KeyObject, isAuthority: boolean) => {
      const content = { serialNumber: Buffer.from([isAuthority ? 1 : 2]), issuer: rootName, subject, ...validity };
      const extensions = [extension.basicConstraints(isAuthority ? 0 : null)];
      return new Uint8Array(certificateFrom({ ...content, publicKey: publicKeyOf(key), extensions }, rootKey));
    };
    const certificates = [certified(leafName, leafKey, false), certified(rootName, rootKey, true)] as const;
    const [leaf, trusted] = certificates;
    const statusBy = (name: Buffer, key: KeyObject) => {
      const [asked] = childrenOf(readDer(ocspRequest(leaf, trusted, null)));
      const [id] = childrenOf(asked ?? readDer(leaf))
        .flatMap(childrenOf)
        .flatMap(childrenOf);
      const at = der(tag.generalizedTime, Buffer.from("20260105090000Z"));
      const single = sequence(id?.encoded ?? Buffer.alloc(0), der(tag.primitive(0), Buffer.alloc(0)), at);
      const told = sequence(der(tag.constructed(1), name), at, sequence(single));
      const algorithm = readDer(sequence(objectIdentifier(oid.ecdsaWithSha256)));
      return encodeOcspResponse({ signed: told, algorithm, signature: sign("sha256", told, key) }, null);
    };
    const listBy = (issuer: Buffer, key: KeyObject) =>
      crlFrom({ issuer, thisUpdate: now, nextUpdate: now + YEAR_MS, extensions: [] }, key);
    const before = await sealed();
    const found = (data: Partial<ValidationData>) =>
      verify(withData(before, { certificates, ...data }, "hex"), [root()], [trusted]).afterSeal;
    expect(found({ crls: [listBy(rootName, rootKey)], ocsps: [statusBy(rootName, rootKey)] })).toBe("validation_data");
    expect(found({ crls: [listBy(leafName, leafKey)] })).toBe("validation_data_by_others");
    expect(found({ ocsps: [statusBy(leafName, leafKey)] })).toBe("validation_data_by_others");
  });

  test("is a change where a self-made certificate holds an object, of a file whose generations differ", async () => {
    const plain = Buffer.from(pdf({ pages: [{ content: text }] })).toString("latin1");
    const differing = plain.replace("\n5 0 obj", "\n5 1 obj").replace("/Contents 5 0 R", "/Contents 5 1 R");
    const before = await sealed(undefined, Buffer.from(differing, "latin1"));
    const hidden = `\n5 000000 obj\n<</Length ${other.length}>>\nstream\n${other}\nendstream\nendobj\n`;
    const forged = verify(withData(before, { certificates: [selfMade(hidden)] }, "raw"), [root()]);
    expect(forged).toMatchObject({ untouched: false, signatures: [{ intact: true, changesAfter: "other" }] });
    const harmless = verify(withData(before, { certificates: [selfMade(hidden)] }, "hex"), [root()]);
    expect(harmless).toMatchObject({ untouched: false, signatures: [{ intact: true, changesAfter: "signing" }] });
  });
});

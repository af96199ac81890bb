import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { pdf, stampOf } from "@rubrica/test-kit/pdf/fixtures";
import { has, output, temporaryFile, temporaryFolder } from "@rubrica/test-kit/pdf/tools";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPdfEngine, loadOrCreateSigningIdentity, type PdfEngine, type SigningIdentity } from "../../src/index.ts";

let engine: PdfEngine;
beforeAll(() => {
  engine = createPdfEngine({ clock: systemClock, processes: 1 });
});
afterAll(() => engine.close());

const publicUrl = "http://localhost:3000";
const newIdentity = (folder = temporaryFolder()): Promise<SigningIdentity> =>
  loadOrCreateSigningIdentity(folder, publicUrl, systemClock, systemRandom);

describe("the own certificate", () => {
  test("is made once, and the same again at the next start", async () => {
    const folder = temporaryFolder();
    const [first, second] = [await newIdentity(folder), await newIdentity(folder)];
    expect(second.certificateSha256).toBe(first.certificateSha256);
    expect((await newIdentity()).certificateSha256).not.toBe(first.certificateSha256);
  });

  test("two starts at once end with one and the same", async () => {
    const folder = temporaryFolder();
    const made = await Promise.all([newIdentity(folder), newIdentity(folder), newIdentity(folder)]);
    expect(new Set(made.map(({ issuers }) => Buffer.from(issuers[0] ?? []).toString("hex"))).size).toBe(1);
    expect(new Set(made.map(({ certificateSha256 }) => certificateSha256)).size).toBe(1);
  });

  test("has keys that only their owner can read", async () => {
    const folder = temporaryFolder();
    await newIdentity(folder);
    for (const part of ["authority", "seal"]) {
      expect(statSync(join(folder, "pki", part, "key.pem")).mode & 0o777).toBe(0o600);
      createPrivateKey(readFileSync(join(folder, "pki", part, "key.pem")));
    }
  });

  test("is issued anew when the public address changes, by the same authority", async () => {
    const folder = temporaryFolder();
    const first = await newIdentity(folder);
    const second = await loadOrCreateSigningIdentity(folder, "https://sign.example", systemClock, systemRandom);
    expect(second.certificateSha256).not.toBe(first.certificateSha256);
    expect(second.issuers).toEqual(first.issuers);
    expect(new X509Certificate(second.certificate).infoAccess).toContain("https://sign.example/pki/ca.crt");
  });

  test.skipIf(!has("openssl"))("holds before a strict validator, with its revocation list", async () => {
    const identity = await newIdentity();
    const folder = temporaryFolder();
    const pem = (name: string, der: Uint8Array) => {
      const path = join(folder, name);
      writeFileSync(path, new X509Certificate(der).toString());
      return path;
    };
    writeFileSync(join(folder, "ca.crl"), identity.authority?.crl() ?? "");
    output("openssl", "crl", "-inform", "DER", "-in", join(folder, "ca.crl"), "-out", join(folder, "crl.pem"));
    const verified = output(
      "openssl",
      "verify",
      "-x509_strict",
      "-crl_check",
      "-CRLfile",
      join(folder, "crl.pem"),
      "-CAfile",
      pem("ca.pem", identity.issuers[0] ?? new Uint8Array()),
      pem("seal.pem", identity.certificate),
    );
    expect(verified).toContain("OK");
  });
});

test.skipIf(!has("openssl"))(
  "the list to be published is backdated for slow clocks, the one to be embedded is not",
  async () => {
    const { authority } = await newIdentity();
    const now = systemClock.now();
    const lastUpdate = (crl: Uint8Array | undefined) => {
      const file = temporaryFile(crl ?? new Uint8Array(), "ca.crl");
      return Date.parse(
        output("openssl", "crl", "-inform", "DER", "-in", file, "-noout", "-lastupdate").split("=")[1] ?? "",
      );
    };
    expect(lastUpdate(authority?.crl())).toBeLessThan(now - 60_000);
    expect(lastUpdate(authority?.freshCrl())).toBeGreaterThanOrEqual(Math.floor(now / 1_000) * 1_000);
  },
);

describe.skipIf(!has("pdfsig"))("a sealed document", () => {
  test.each(["table", "stream"] as const)(
    "with a cross-reference %s is valid and covered in whole",
    async (crossReference) => {
      const identity = await newIdentity();
      const bytes = pdf({ crossReference });
      const sealed = await engine.stampAndSeal(bytes, [stampOf()], { identity, sealedAt: systemClock.now() });
      expect(sealed).toMatchObject({ level: "B-B", certificateSha256: identity.certificateSha256 });
      const report = output("pdfsig", temporaryFile(sealed.bytes));
      expect(report).toContain("Signature Validation: Signature is Valid.");
      expect(report).toContain("Total document signed");
      expect(report).toContain("ETSI.CAdES.detached");
      expect(Buffer.from(sealed.bytes.subarray(0, bytes.length)).equals(bytes)).toBe(true);
      if (has("qpdf")) expect(output("qpdf", "--check", temporaryFile(sealed.bytes))).toContain("No syntax");
    },
  );

  test("that is changed afterwards is invalid", async () => {
    const { bytes } = await engine.seal(pdf(), { identity: await newIdentity(), sealedAt: systemClock.now() });
    const at = Buffer.from(bytes).indexOf("/MediaBox[0 0 595");
    bytes[at + 15] = 0x36;
    expect(output("pdfsig", temporaryFile(bytes))).toContain("Digest Mismatch");
  });

  test("has a signature that openssl verifies as CAdES", async () => {
    const identity = await newIdentity();
    const { bytes } = await engine.seal(pdf(), { identity, sealedAt: systemClock.now(), reason: "Łódź" });
    const buffer = Buffer.from(bytes);
    const open = buffer.indexOf("/Contents<") + 9;
    const close = buffer.indexOf(">", open) + 1;
    const content = temporaryFile(Buffer.concat([buffer.subarray(0, open), buffer.subarray(close)]), "content");
    const cms = temporaryFile(Buffer.from(buffer.toString("latin1", open + 1, close - 1), "hex"), "cms");
    const ca = temporaryFile(Buffer.from(new X509Certificate(identity.issuers[0] ?? "").toString()), "ca.pem");
    const out = join(temporaryFolder(), "out");
    output(
      "openssl",
      "cms",
      "-verify",
      "-cades",
      "-binary",
      "-inform",
      "DER",
      "-in",
      cms,
      "-content",
      content,
      "-CAfile",
      ca,
      "-purpose",
      "any",
      "-out",
      out,
    );
    expect(output("openssl", "cms", "-cmsout", "-print", "-inform", "DER", "-in", cms)).not.toContain("signingTime");
  });
});

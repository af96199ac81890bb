import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@rubrica/runtime";
import { pdf, stampOf } from "@rubrica/test-kit/pdf/fixtures";
import { has, hasPyHanko, output, pyHankoVerdicts, temporaryFile, temporaryFolder } from "@rubrica/test-kit/pdf/tools";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPdfEngine, type PdfEngine, signingIdentityFromP12 } from "../../src/index.ts";

const usage = "basicConstraints=critical,CA:false\nkeyUsage=critical,digitalSignature,nonRepudiation\n";

/** A P12 file made with openssl: a root, and a signer's certificate with a key of the given kind. */
const p12 = (keyOptions: readonly string[], exportOptions: readonly string[] = []): { bytes: Buffer; root: string } => {
  const folder = temporaryFolder();
  const path = (name: string) => join(folder, name);
  const options = ["-nodes", "-days", "365"];
  output(
    "openssl",
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    ...options,
    "-subj",
    "/CN=Company Root",
    "-keyout",
    path("root.key"),
    "-out",
    path("root.pem"),
  );
  output(
    "openssl",
    "req",
    "-new",
    ...keyOptions,
    "-nodes",
    "-subj",
    "/CN=Company Seal",
    "-keyout",
    path("seal.key"),
    "-out",
    path("seal.csr"),
  );
  writeFileSync(path("extensions"), usage);
  output(
    "openssl",
    "x509",
    "-req",
    "-in",
    path("seal.csr"),
    "-CA",
    path("root.pem"),
    "-CAkey",
    path("root.key"),
    "-days",
    "365",
    "-extfile",
    path("extensions"),
    "-out",
    path("seal.pem"),
  );
  output(
    "openssl",
    "pkcs12",
    "-export",
    ...exportOptions,
    "-inkey",
    path("seal.key"),
    "-in",
    path("seal.pem"),
    "-certfile",
    path("root.pem"),
    "-passout",
    "pass:sécret",
    "-out",
    path("seal.p12"),
  );
  return { bytes: readFileSync(path("seal.p12")), root: path("root.pem") };
};

const rsa = ["-newkey", "rsa:3072"];
const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];

describe.skipIf(!has("openssl") || !has("pdfsig"))("a certificate from a P12 file", () => {
  let engine: PdfEngine;
  beforeAll(() => {
    engine = createPdfEngine({ clock: systemClock, processes: 1 });
  });
  afterAll(() => engine.close());

  test.each([
    ["RSA", rsa, []],
    ["ECDSA", ec, []],
    ["RSA", rsa, ["-legacy"]],
    ["ECDSA", ec, ["-legacy"]],
  ] as const)("with a key for %s seals (%s, %s)", async (algorithm, keyOptions, exportOptions) => {
    const { bytes, root } = p12(keyOptions, exportOptions);
    const identity = await signingIdentityFromP12(bytes, "sécret");
    expect(identity).toMatchObject({ algorithm, authority: null });
    expect(identity.issuers).toHaveLength(1);
    const sealed = await engine.stampAndSeal(pdf(), [stampOf()], { identity, sealedAt: systemClock.now() });
    expect(output("pdfsig", temporaryFile(sealed.bytes))).toContain("Signature is Valid");
    if (hasPyHanko()) expect(pyHankoVerdicts(sealed.bytes, "trust-only", [root])).toMatchObject([{ bottomLine: true }]);
  });

  test("with a wrong passphrase, or of another format, is refused in a sentence", async () => {
    const { bytes } = p12(ec);
    await expect(signingIdentityFromP12(bytes, "other")).rejects.toThrow("the passphrase is wrong");
    await expect(signingIdentityFromP12(Buffer.from("not a p12"), "")).rejects.toThrow("can't be read");
  });
});

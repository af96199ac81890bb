import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@rubrica/runtime";
import { temporaryFolder } from "@rubrica/test-kit";
import { pdf, stampOf } from "@rubrica/test-kit/pdf/fixtures";
import { has, hasPyHanko, output, pyHankoVerdicts, temporaryFile } from "@rubrica/test-kit/pdf/tools";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPdfEngine, type PdfEngine, signingIdentityFromP12 } from "../../src/index.ts";

const usage = "basicConstraints=critical,CA:false\nkeyUsage=critical,digitalSignature,nonRepudiation\n";

/** Makes a company's root with openssl, in a folder for what it signs. */
const rootOf = (folder: string): { folder: string; key: string; certificate: string } => {
  const [key, certificate] = [join(folder, "root.key"), join(folder, "root.pem")];
  const made = ["-newkey", "rsa:2048", "-nodes", "-days", "365", "-subj", "/CN=Company Root"];
  output("openssl", "req", "-x509", ...made, "-keyout", key, "-out", certificate);
  return { folder, key, certificate };
};

/** A signer's certificate, which the root signed, and its key. */
const sealOf = ({ folder, ...root }: ReturnType<typeof rootOf>, name: string, keyOptions: readonly string[]) => {
  const path = (end: string) => join(folder, `${name}.${end}`);
  const [key, request, certificate] = [path("key"), path("csr"), path("pem")];
  output(
    "openssl",
    "req",
    "-new",
    ...keyOptions,
    "-nodes",
    "-subj",
    "/CN=Company Seal",
    "-keyout",
    key,
    "-out",
    request,
  );
  writeFileSync(path("extensions"), usage);
  const signed = ["-CA", root.certificate, "-CAkey", root.key, "-days", "365", "-extfile", path("extensions")];
  output("openssl", "x509", "-req", "-in", request, ...signed, "-out", certificate);
  return { key, certificate, root: root.certificate };
};

/** A P12 file with both. */
const p12 = ({ key, certificate, root }: ReturnType<typeof sealOf>, exportOptions: readonly string[] = []): Buffer => {
  const path = `${certificate}.p12`;
  const held = ["-inkey", key, "-in", certificate, "-certfile", root, "-passout", "pass:sécret"];
  output("openssl", "pkcs12", "-export", ...exportOptions, ...held, "-out", path);
  return readFileSync(path);
};

const rsa = ["-newkey", "rsa:3072"];
const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];

describe.skipIf(!has("openssl") || !has("pdfsig"))("a certificate from a P12 file", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let engine: PdfEngine;
  let seals: Readonly<Record<"RSA" | "ECDSA", ReturnType<typeof sealOf>>>;
  beforeAll(() => {
    engine = createPdfEngine({ clock: systemClock, processes: 1 });
    folder = temporaryFolder();
    const root = rootOf(folder.path);
    seals = { RSA: sealOf(root, "rsa", rsa), ECDSA: sealOf(root, "ec", ec) };
  });
  afterAll(async () => {
    await engine.close();
    folder[Symbol.dispose]();
  });

  test.each([
    ["RSA", []],
    ["ECDSA", []],
    ["RSA", ["-legacy"]],
    ["ECDSA", ["-legacy"]],
  ] as const)("with a key for %s seals (%s)", async (algorithm, exportOptions) => {
    const { [algorithm]: seal } = seals;
    const identity = await signingIdentityFromP12(p12(seal, exportOptions), "sécret");
    expect(identity).toMatchObject({ algorithm, authority: null });
    expect(identity.issuers).toHaveLength(1);
    const sealed = await engine.stampAndSeal(pdf(), [stampOf()], { identity, sealedAt: systemClock.now() });
    expect(output("pdfsig", temporaryFile(sealed.bytes))).toContain("Signature is Valid");
    if (hasPyHanko())
      expect(pyHankoVerdicts(sealed.bytes, "trust-only", [seal.root])).toMatchObject([{ bottomLine: true }]);
  });

  test("with a wrong passphrase, or of another format, is refused in a sentence", async () => {
    await expect(signingIdentityFromP12(p12(seals.ECDSA), "other")).rejects.toThrow("the passphrase is wrong");
    await expect(signingIdentityFromP12(Buffer.from("not a p12"), "")).rejects.toThrow("can't be read");
  });
});

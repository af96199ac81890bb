import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createPdfEngine } from "@rubrica/pdf";
import { systemClock } from "@rubrica/runtime";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { firstFurtherObject, pdf, stampOf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { difference, has, output, rendered, temporaryFile, temporaryFolder } from "@rubrica/test-kit/pdf/tools";
import { describe, expect, test } from "vitest";

const { engine, identity } = await openedEngine();
const title = "Rent (2026) \\ Łódź)";
const titleInHex = Buffer.from(`\ufeff${title}`, "utf16le").swap16().toString("hex");
const plain = pdf({
  pages: [{ content: textAt(50, 700, "Contract") }, {}],
  objects: [`<</Title<${titleInHex}>/Author(A \\(B\\) \\\\)>>`],
  trailer: `/Info ${firstFurtherObject(2)} 0 R/ID[<00112233445566778899aabbccddeeff><00112233445566778899aabbccddeeff>]`,
});

type Bits = "40" | "128" | "256";

const encrypted = (user: string, owner: string, bits: Bits, ...flags: string[]): Uint8Array =>
  encryptedFrom(plain, user, owner, bits, ...flags);

const encryptedFrom = (bytes: Uint8Array, user: string, owner: string, bits: Bits, ...flags: string[]): Uint8Array => {
  const target = join(temporaryFolder(), "encrypted.pdf");
  const [options, general] = [
    flags.filter((flag) => !flag.startsWith("--object")),
    flags.filter((flag) => flag.startsWith("--object")),
  ];
  output(
    "qpdf",
    "--allow-weak-crypto",
    ...general,
    "--encrypt",
    user,
    owner,
    bits,
    ...options,
    "--",
    temporaryFile(bytes),
    target,
  );
  return readFileSync(target);
};

describe.skipIf(!(has("qpdf") && has("pdfinfo") && has("pdftoppm")))("a document that is encrypted", () => {
  test.each([
    ["RC4 with 40 bits", "40", []],
    ["RC4 with 128 bits", "128", ["--use-aes=n"]],
    ["AES with 128 bits", "128", ["--use-aes=y"]],
    ["AES with 128 bits, but for its metadata", "128", ["--use-aes=y", "--cleartext-metadata"]],
    ["AES with 256 bits", "256", []],
    ["AES with 256 bits of Acrobat 9", "256", ["--force-R5"]],
    ["AES with 256 bits, its objects within others", "256", ["--object-streams=generate"]],
  ] as const)("by %s, for everybody to open, is taken and decrypted", async (_, bits, flags) => {
    const bytes = encrypted("", "owner", bits, ...flags);
    expect((await engine.inspect(bytes)).pageCount).toBe(2);
    const file = temporaryFile(await engine.stamp(bytes, [stampOf()]));
    expect(output("qpdf", "--check", file)).toContain("No syntax or stream encoding errors");
    const told = output("pdfinfo", file);
    expect(told).toMatch(/Encrypted: +no/);
    expect(told).toContain(title);
    expect(told).toContain("A (B) \\");
    expect(output("pdftotext", file, "-")).toMatch(/Contract\s+Ana Pérez/);
    expect(difference(await rendered(bytes, 2), await rendered(readFileSync(file), 2))).toBeNull();
  });

  test.skipIf(!has("pdfsig")).each([
    ["RC4 with 40 bits", "40", []],
    ["RC4 with 128 bits", "128", ["--use-aes=n"]],
    ["AES with 128 bits", "128", ["--use-aes=y"]],
    ["AES with 256 bits", "256", []],
    ["AES with 256 bits, its objects within others", "256", ["--object-streams=generate"]],
  ] as const)("by %s, and signed, is only appended to: what is appended is encrypted, too", async (_, bits, flags) => {
    const sealing = { identity, sealedAt: systemClock.now(), reason: "Łódź" };
    const signed = (await engine.seal(plain, sealing)).bytes;
    const bytes = encryptedFrom(signed, "", "owner", bits, ...flags);
    const { bytes: given, inspection } = await engine.admit(bytes);
    expect([given, inspection.signatures.length]).toEqual([null, 1]);
    const beside = stampOf({ name: "Łukasz", placement: { pages: 2, x: 50, y: 50 } });
    const sealed = (await engine.stampAndSeal(bytes, [stampOf(), beside], sealing)).bytes;
    expect(Buffer.from(sealed.subarray(0, bytes.length)).equals(bytes)).toBe(true);
    const file = temporaryFile(sealed);
    expect(output("qpdf", "--check", file)).toContain("No syntax or stream encoding errors");
    expect(output("pdfinfo", file)).toMatch(/Encrypted: +yes/);
    expect(output("pdftotext", file, "-")).toMatch(/Contract\s+Ana Pérez[\s\S]+Łukasz/);
    // Encrypted after it was signed, the first one is void.
    const verdicts = output("pdfsig", "-nocert", file).split("Signature #").slice(2);
    expect(verdicts.map((verdict) => verdict.includes("Signature is Valid."))).toEqual([true, true]);
    const verification = await engine.verify(sealed, [...identity.issuers]);
    expect(verification.untouched).toBe(true);
    expect(verification.signatures.slice(1)).toMatchObject([
      { intact: true, trusted: true, claimedAt: Math.floor(sealing.sealedAt / 1_000) * 1_000, changesAfter: "signing" },
      { intact: true, trusted: true, changesAfter: "none" },
    ]);
  });

  test("by permissions without a sign, as some write them, is taken and decrypted", async () => {
    const text = Buffer.from(encrypted("", "owner", "128", "--use-aes=y")).toString("latin1");
    // The dictionary with the permissions is the last object: only the way to the cross-reference grows.
    const signed = /\/P (-\d+)/.exec(text)?.[1] ?? "";
    const unsigned = String(Number(signed) + 2 ** 32);
    const moved = text
      .replace(`/P ${signed}`, `/P ${unsigned}`)
      .replace(/startxref\n(\d+)/, (_, at) => `startxref\n${Number(at) + unsigned.length - signed.length}`);
    expect(text.indexOf("endobj", text.indexOf("/P -"))).toBe(text.lastIndexOf("endobj"));
    const stamped = await engine.stamp(Buffer.from(moved, "latin1"), [stampOf()]);
    expect(output("pdftotext", temporaryFile(stamped), "-")).toMatch(/Contract\s+Ana Pérez/);
  });

  test("is taken when its owner's password is empty, as readers do", async () => {
    expect((await engine.inspect(encrypted("user", "", "256", "--allow-insecure"))).pageCount).toBe(2);
  });

  test.each(["40", "128", "256"] as const)("with %s bits and a password is refused", async (bits) => {
    await expect(engine.inspect(encrypted("user", "owner", bits))).rejects.toMatchObject({ reason: "encrypted" });
  });

  test("is mended where its cross-reference is wrong, too", async () => {
    const text = Buffer.from(encrypted("", "owner", "256", "--object-streams=generate")).toString("latin1");
    const broken = Buffer.from(text.replace(/startxref\n\d+/, "startxref\n17"), "latin1");
    const stamped = await engine.stamp(broken, [stampOf()]);
    expect(output("pdftotext", temporaryFile(stamped), "-")).toMatch(/Contract\s+Ana Pérez/);
  });
});

test("an unknown way of encryption is refused as encrypted", async () => {
  const engine = createPdfEngine({ clock: systemClock, processes: 1 });
  const bytes = pdf({ trailer: "/Encrypt<</Filter/Adobe.PubSec/V 4>>" });
  await expect(engine.inspect(bytes)).rejects.toMatchObject({ reason: "encrypted" });
  await engine.close();
});

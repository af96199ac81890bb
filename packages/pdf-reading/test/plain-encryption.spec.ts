import { readFileSync } from "node:fs";
import { join } from "node:path";
import { admit } from "@rubrica/pdf-admission/admit";
import { systemClock } from "@rubrica/runtime";
import { openedEngine } from "@rubrica/test-kit/pdf/engine";
import { pdf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { has, output, temporaryFile, temporaryFolder } from "@rubrica/test-kit/pdf/tools";
import { updated } from "@rubrica/test-kit/pdf/update";
import { describe, expect, test } from "vitest";
import { PdfFile } from "../src/pdf-file.ts";
import { isPlainlyEncrypted } from "../src/plain-encryption.ts";

const { engine, identity } = await openedEngine();
const plain = pdf({
  pages: [{ content: textAt(50, 700, "Contract") }],
  trailer: "/ID[<00112233445566778899aabbccddeeff><00112233445566778899aabbccddeeff>]",
});

const encrypted = (bytes: Uint8Array, bits: "40" | "128" | "256", ...flags: string[]): string => {
  const target = join(temporaryFolder(), "encrypted.pdf");
  output("qpdf", "--allow-weak-crypto", "--encrypt", "", "owner", bits, ...flags, "--", temporaryFile(bytes), target);
  return readFileSync(target, "latin1");
};

/** A file with something else of the same length in one place. */
const changed = (text: string, from: string | RegExp, to: string): Uint8Array => {
  const found = typeof from === "string" ? from : (from.exec(text)?.[0] ?? "");
  expect(found).not.toBe("");
  expect(text).toContain(found);
  return Buffer.from(
    text.replace(found, () => to.padEnd(found.length)),
    "latin1",
  );
};

const isPlain = (bytes: Uint8Array): boolean => {
  const file = PdfFile.open(bytes);
  for (const { objectNumber } of file.references()) file.uncached(objectNumber);
  expect(file.encryption).toBe("open");
  return isPlainlyEncrypted(file);
};

describe.skipIf(!has("qpdf"))("all readers decrypt", () => {
  test.each([
    ["RC4 with 40 bits", "40", []],
    ["RC4 with 128 bits", "128", ["--use-aes=n"]],
    ["AES with 128 bits", "128", ["--use-aes=y"]],
    ["AES with 256 bits", "256", []],
    ["AES with 256 bits of Acrobat 9", "256", ["--force-R5"]],
  ] as const)("%s", (_, bits, flags) => {
    expect(isPlain(Buffer.from(encrypted(plain, bits, ...flags), "latin1"))).toBe(true);
  });

  test("AES in a file with streams of its cross-reference, which are not encrypted", () => {
    const compact = join(temporaryFolder(), "compact.pdf");
    output("qpdf", "--object-streams=generate", temporaryFile(plain), compact);
    expect(isPlain(Buffer.from(encrypted(readFileSync(compact), "128", "--use-aes=y"), "latin1"))).toBe(true);
  });
});

/** A file that has a text beside its content, encrypted; and where that text is. */
const withText = (): { text: string; found: string } => {
  const bytes = pdf({ pages: [{}], catalog: "/Odd(abcdefghijklmnopqrstuvwxyz)" });
  const text = encrypted(bytes, "128", "--use-aes=n");
  return { text, found: /\/Odd <[0-9a-f]+>/.exec(text)?.[0] ?? "" };
};

describe.skipIf(!has("qpdf"))("readers differ on what is encrypted", () => {
  const byAes = () => encrypted(plain, "128", "--use-aes=y");
  /** The same in eight bytes less, without what may be left out. */
  const byAesInFewer = () => byAes().replace("/AuthEvent /DocOpen", " ".repeat(11));
  const by256Bits = () => encrypted(plain, "256");
  const byRc4 = () => encrypted(plain, "128", "--use-aes=n");

  test.each([
    ["with no filter for its streams", byAes, "/StmF /StdCF", ""],
    ["with another filter for its strings than for its streams", byAes, "/StrF /StdCF", "/StrF /Identity".slice(0, 12)],
    ["with a filter for attached files", byAes, "/StrF /StdCF", "/EFF /StdCF"],
    ["with a key of another length than it says", byAes, "/Length 128", "/Length 256"],
    ["with a filter of another length", byAes, "/Length 16", "/Length 5"],
    ["with a filter that asks later", byAes, "/AuthEvent /DocOpen", "/AuthEvent /EFOpen"],
    ["with a filter of no method", byAes, "/CFM /AESV2", "/CFM /None"],
    ["in a way that there is not", byRc4, "/R 3", "/R 4"],
    ["without a length, where the key is longer than without one", byRc4, "/Length 128", ""],
    ["with permissions that are no integer", byAes, "/P -4 /R", "/P -4./R"],
    ["with permissions without a sign", byAesInFewer, "/P -4 /R", "/P 4294967292 /R"],
    ["with permissions that are not those that are encrypted", by256Bits, "/P -4 /Perms", "/P -8 /Perms"],
    ["with one identifier alone", byRc4, /\/ID \[(<\w+>)<\w+>\]/, `/ID [<${"00112233445566778899aabbccddeeff"}>]`],
    ["with a filter for who has a key", byAes, "/AuthEvent /DocOpen", "/Recipients []"],
    ["but for a stream that names a filter itself", byRc4, /\/Filter \/FlateDecode/, "/Filter /Crypt"],
  ])("%s", (_, text, from, to) => {
    expect(isPlain(changed(text(), from, to))).toBe(false);
  });

  test.each([
    ["with what is no digit", (digits: string) => `<${digits.slice(2)}zz>`],
    ["with the two ends of a line", (digits: string) => `(\r\n${"a".repeat(digits.length / 2 - 2)})`],
  ])("written %s in a text", (_, write) => {
    const { text, found } = withText();
    expect(isPlain(Buffer.from(text, "latin1"))).toBe(true);
    expect(isPlain(changed(text, found, `/Odd ${write(found.slice(6, -1))}`))).toBe(false);
  });

  test("which an empty password opens as the owner's alone", () => {
    const target = join(temporaryFolder(), "encrypted.pdf");
    output("qpdf", "--encrypt", "user", "", "256", "--allow-insecure", "--", temporaryFile(plain), target);
    expect(isPlain(readFileSync(target))).toBe(false);
  });

  test("but for its metadata", () => {
    expect(isPlain(Buffer.from(encrypted(plain, "128", "--use-aes=y", "--cleartext-metadata"), "latin1"))).toBe(false);
  });

  test("and padded wrong", () => {
    const bytes = Buffer.from(byAes(), "latin1");
    const file = PdfFile.open(bytes);
    const [stream] = file.references().flatMap(({ objectNumber }) => file.uncached(objectNumber)?.data ?? []);
    // A bit of the last byte of the block before the last one is that of the last byte (CBC), which says how many are padding.
    const at = (stream?.end ?? 0) - 17;
    bytes.writeUInt8(bytes.readUInt8(at) ^ 0x40, at);
    expect(isPlain(bytes)).toBe(false);
  });

  test("by another dictionary than its former revisions", () => {
    const text = byAes();
    const trailer = [/\/Encrypt \d+ 0 R/, /\/ID \[<.*?>\]/].map((entry) => entry.exec(text)?.[0]).join("");
    const file = updated(Buffer.from(text, "latin1"), {}, { trailer }).toString("latin1");
    expect(isPlain(Buffer.from(file, "latin1"))).toBe(true);
    expect(isPlain(changed(file, "/Encrypt ", "/Encrypted "))).toBe(false);
  });
});

test.skipIf(!has("qpdf"))("what is encrypted unusually is refused where it is signed, else decrypted", async () => {
  const unusual = (bytes: Uint8Array) =>
    changed(encrypted(bytes, "128", "--use-aes=y"), "/AuthEvent /DocOpen", "/AuthEvent /EFOpen");
  const signed = (await engine.seal(plain, { identity, sealedAt: systemClock.now() })).bytes;
  await expect(admit(unusual(signed))).rejects.toMatchObject({ reason: "ambiguous" });
  expect(Buffer.from((await admit(unusual(plain))).bytes ?? []).includes("/Encrypt")).toBe(false);
});

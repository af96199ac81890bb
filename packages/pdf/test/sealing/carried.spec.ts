import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { firstFurtherObject, pdf, stampOf } from "@rubrica/test-kit/pdf/fixtures";
import {
  corpusFolder,
  difference,
  has,
  hasPyHanko,
  output,
  pyHankoVerdicts,
  rendered,
  temporaryFile,
} from "@rubrica/test-kit/pdf/tools";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPdfEngine, loadOrCreateSigningIdentity, type PdfEngine, type SigningIdentity } from "../../src/index.ts";

const tools = has("pdfsig") && has("pdftoppm");
const pyHanko = hasPyHanko();

describe.skipIf(!tools)("a document that somebody else signed", () => {
  let engine: PdfEngine;
  let theirs: SigningIdentity;
  let ours: SigningIdentity;
  let theirDocument: Uint8Array;
  let trust: { roots: string[]; crls: string[] };
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "rubrica-carried-"));
    engine = createPdfEngine({ clock: systemClock, processes: 1 });
    const identities = await Promise.all(
      ["theirs", "ours"].map((name) =>
        loadOrCreateSigningIdentity(join(folder, name), "http://localhost:3000", systemClock, systemRandom),
      ),
    );
    [theirs, ours] = identities as [SigningIdentity, SigningIdentity];
    trust = { roots: [], crls: [] };
    for (const [index, { authority }] of identities.entries()) {
      if (authority === null) continue;
      writeFileSync(join(folder, `${index}.crt`), authority.certificate);
      writeFileSync(join(folder, `${index}.crl`), authority.crl());
      trust.roots.push(join(folder, `${index}.crt`));
      trust.crls.push(join(folder, `${index}.crl`));
    }
    const sealing = { identity: theirs, sealedAt: systemClock.now() };
    theirDocument = (await engine.seal(pdf({ pages: [{}, {}] }), sealing)).bytes;
  });
  afterAll(async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  });

  const sealed = async (bytes: Uint8Array, count: number, pages: "last" | "all" = "last") => {
    const stamps = Array.from({ length: count }, (_, index) =>
      stampOf({ name: `Signer ${index + 1}`, placement: { pages, x: 20 + index * 180, y: 700 } }),
    );
    return (await engine.stampAndSeal(bytes, stamps, { identity: ours, sealedAt: systemClock.now() })).bytes;
  };

  test.each([1, 3])("keeps its signature through the stamps of %d signers", async (count) => {
    const bytes = await sealed(theirDocument, count);
    expect(Buffer.from(bytes.subarray(0, theirDocument.length)).equals(theirDocument)).toBe(true);
    const report = output("pdfsig", temporaryFile(bytes));
    expect(report.match(/Signature is Valid/g)).toHaveLength(count + 1);
    expect(report.match(/Not total document signed/g)).toHaveLength(count);
  });

  test.skipIf(!pyHanko).each([
    [1, "last"],
    [3, "last"],
    [2, "all"],
  ] as const)("a strict validator calls the stamps of %d signers, on %s pages, allowed", async (count, pages) => {
    const verdicts = pyHankoVerdicts(await sealed(theirDocument, count, pages), "plain", trust.roots, trust.crls);
    expect(verdicts).toHaveLength(count + 1);
    for (const [index, verdict] of verdicts.entries()) {
      expect(verdict).toMatchObject({ intact: true, valid: true, bottomLine: true });
      expect(verdict.modifications).toBe(index === count ? "NONE" : "FORM_FILLING");
    }
  });

  test("shows each stamp at its place, also on a turned page", async () => {
    for (const entries of [
      "/MediaBox[0 0 595 842]",
      "/MediaBox[0 0 842 595]/Rotate 90",
      "/MediaBox[0 0 842 595]/Rotate 270",
    ]) {
      const original = (await engine.seal(pdf({ pages: [{ entries }] }), { identity: theirs, sealedAt: 0 })).bytes;
      const changed = difference(await rendered(original, 1), await rendered(await sealed(original, 1), 1));
      expect(changed).toMatchObject({ left: 20, top: 700, bottom: 771 });
    }
  });

  test.each([2, 3])("that was certified with %d gets seals that are not seen", async (permission) => {
    const field = firstFurtherObject(1);
    const certified = pdf({
      objects: [
        `<</FT/Sig/T(Certified)/V ${field + 1} 0 R>>`,
        `<</Type/Sig/Filter/Adobe.PPKLite/Reference[<</TransformMethod/DocMDP/TransformParams<</P ${permission}>>>>]>>`,
      ],
      catalog: `/AcroForm<</Fields[${field} 0 R]/SigFlags 3>>`,
    });
    const bytes = await sealed(certified, 1);
    expect(difference(await rendered(certified, 1), await rendered(bytes, 1))).toBeNull();
    expect(output("pdfsig", temporaryFile(bytes))).toContain("Signature is Valid");
  });

  test("that lost its last line break on the way gets it back: its signature holds again", async () => {
    const cut = theirDocument.subarray(0, -1);
    expect(output("pdfsig", temporaryFile(cut))).not.toContain("Signature is Valid");
    expect(output("pdfsig", temporaryFile(await sealed(cut, 1))).match(/Signature is Valid/g)).toHaveLength(2);
  });

  test("whose signature claims more past the end is refused: it would be over whatever is appended", async () => {
    await expect(engine.inspect(theirDocument.subarray(0, -2))).rejects.toMatchObject({ reason: "broken" });
  });

  const corpus = corpusFolder();
  const foreign = ["dss/DSS-1983.pdf", "dss/DSS1376-rev_n.pdf", "pyhanko/minimal-signed-twice-both-created.pdf"];
  test.skipIf(!pyHanko || corpus === null).each(foreign)(
    "%s keeps what a strict validator says of it",
    async (file) => {
      const original = readFileSync(join(corpus ?? "", file));
      const before = pyHankoVerdicts(original, "trust-only", trust.roots);
      const after = pyHankoVerdicts(await sealed(original, 2), "trust-only", trust.roots);
      expect(after).toHaveLength(before.length + 2);
      for (const [index, { intact, valid, modifications }] of before.entries()) {
        const expected = modifications === "OTHER" ? "OTHER" : "FORM_FILLING";
        expect(after[index]).toMatchObject({ intact, valid, modifications: expected });
      }
    },
  );
});

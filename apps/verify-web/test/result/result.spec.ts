import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPdfEngine, type VerifiedSignature } from "@rubrica/pdf";
import { systemRuntime } from "@rubrica/runtime";
import { outputOf, temporaryFolder, toolsMissing } from "@rubrica/test-kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verdictTexts } from "../../src/result/spanish.ts";
import type { Report } from "../../src/verifier.ts";
import { verifyPage } from "../../src/verify-web.ts";
import { another, document, proof, realResults, seal, timestamp, valid } from "../given.ts";

const missing = toolsMissing("pdftotext", "pdffonts");
let results: Awaited<ReturnType<typeof realResults>>;
beforeAll(async () => {
  results = await realResults();
});
afterAll(() => results[Symbol.asyncDispose]());

const printed = (pdf: Uint8Array, program: string, ...after: string[]): string => {
  using folder = temporaryFolder();
  const path = join(folder.path, "result.pdf");
  writeFileSync(path, pdf);
  return outputOf(program, path, ...after).text;
};
/** The lines of the result as they are seen, white space as single spaces. */
const linesOf = async (report: Report): Promise<string[]> =>
  printed(await results.pdf(report, "somebody"), "pdftotext", "-layout", "-")
    .replace(/^pdftotext .*$/m, "")
    .split("\n")
    .map((line) => line.trim().replace(/\s{2,}/g, " | "));
const named = (subject: string): VerifiedSignature => ({
  ...another,
  certificate: { subject, issuer: "CN=Issuer", sha256: "ef".repeat(32) },
});
const foreign = (...signatures: VerifiedSignature[]): Report => ({
  ...valid,
  verdict: "foreign",
  document: null,
  signatures,
});

test.each(Object.entries(verdictTexts))("says what is %s as the page says it", (_verdict, { title, sentence }) => {
  expect(verifyPage.html).toContain(title);
  expect(verifyPage.html).toContain(sentence);
});

test("is sealed by the service, at the time of the judgement, without a timestamp", async () => {
  const clock = { ...systemRuntime().clock, now: () => Date.UTC(2027, 0, 1) };
  const engine = createPdfEngine({ clock, processes: 1 });
  try {
    const found = await engine.verify(await results.pdf(valid, "somebody"), results.identity.issuers);
    expect(found).toMatchObject({ untouched: true, signatures: [{ claimedAt: valid.checkedAt, timestampedAt: null }] });
  } finally {
    await engine.close();
  }
});

describe.skipIf(missing)("the result as a PDF", () => {
  test("tells which file, when, by what knowledge, and each signature", async () => {
    const before = { ...seal, proof: { ...proof, trusted: false }, coveredBytes: 60, changesAfter: "signing" as const };
    const lines = await linesOf({ ...valid, signatures: [before, timestamp, { ...another, intact: false }] });
    const text = lines.join(" ").replaceAll(" | ", " ").replace(/\s+/g, " ");
    for (const part of [
      "El documento es auténtico",
      "Comprobado el 22/11/2026 09:00:00 UTC por https://sign.example",
      valid.sha256,
      "Tamaño 100 bytes",
      `Documento ${document.documentId}`,
      "Sellado el 21/11/2026 15:09:41 UTC",
      "PAdES B-LTA",
      "1. Sello de este servicio",
      "Titular del certificado CN=Rubrica seal, O=Rubrica",
      "21/11/2026 15:09:42 UTC, de una autoridad no reconocida por este servicio: no prueba la fecha: CN=Time, O=Clocks",
      "Vigente y sin revocar, al 22/11/2026 00:00:00 UTC",
      "Los primeros 60 de 100 bytes: lo que sigue se agregó después",
      "Solo otras firmas, datos de validación y metadatos",
      "2. Sello de tiempo",
      "3. Firma de terceros",
      "No coincide con el archivo",
      "Nombre que lleva el certificado",
      "con la lista de revocación de hoy de la autoridad propia del servicio: no se preguntó a otras autoridades",
    ])
      expect(text).toContain(part);
    expect(lines.filter((line) => line.includes("Quién da fe de la fecha"))).toHaveLength(2);
  });

  test("says on each page that what was simulated is no evidence, and a record that was altered proves no date", async () => {
    const demo = { ...document, demo: true, chainIntact: false, simulated: { messages: true, identity: null } };
    const lines = await linesOf({ ...valid, document: demo, verdict: "evidence_broken" });
    const text = lines.join(" ").replaceAll(" | ", " ").replace(/\s+/g, " ");
    expect(lines).toContain("CONTIENE PARTES SIMULADAS: NO SON PRUEBA");
    expect(text).toContain("es de la cuenta de demostración; los mensajes fueron simulados");
    expect(text).toContain("Alterado: las fechas del registro no prueban nada");
  });

  test("a name breaks no line, turns nothing round, and pretends nothing", async () => {
    const hostile = [
      "CN=Ana\n\nEstado  Intacta\u0000\u0007\u001b[31m",
      "CN=\u202eabc\u202d \u2066def\u2069",
      "CN=בנק, O=\u200f2026",
      `CN=${"W".repeat(100_000)}`,
      `CN=a${"\u0301".repeat(500)}`,
      "\u200b\u2060\ufeff",
      "",
      "CN=\ud800 \u{10ffff}\u{e0041}",
    ];
    const lines = await linesOf(foreign(...hostile.map(named)));
    // The label's second line, and nothing of a name, stands beside a name's line.
    expect(lines.filter((line) => /^Estado \| /.test(line))).toEqual(hostile.map(() => "Estado | Intacta"));
    expect(lines.some((line) => line.includes("CN=Ana Estado Intacta[31m"))).toBe(true);
    expect(lines.some((line) => line.includes("CN=abc def"))).toBe(true);
    expect(lines.filter((line) => line.includes("(ningún carácter que se pueda mostrar)"))).toHaveLength(2);
    expect(
      lines
        .filter((line) => /W{5}/.test(line))
        .join("")
        .replace(/[^W]/g, ""),
    ).toHaveLength(297);
    // Beside right-to-left text pdftotext prints embeddings of its own (U+202A to U+202C).
    expect(lines.join("\n")).not.toMatch(/(?![\n\f])[\p{Cc}\u202d\u202e\u2066-\u2069\ufeff]/u);
    expect(lines.filter((line) => line.startsWith("8. Firma de terceros"))).toHaveLength(1);
  });

  test("of very many signatures with names in many scripts it shows the last fifty, and says so", async () => {
    const scripts =
      "李 Łukasz Жанна Ελένη אבג عمر नमस्ते ไทย 한국 ខ្មែរ မြန်မာ ਪੰਜਾਬੀ ગુજરાતી తెలుగు ಕನ್ನಡ മലയാളം සිංහල ລາວ བོད་ 𠮷 😀 ".repeat(
        4,
      );
    const lines = await linesOf(foreign(...Array.from({ length: 200 }, () => named(scripts))));
    expect(lines.some((line) => line.startsWith("150. Firma"))).toBe(false);
    expect(lines.some((line) => line.startsWith("200. Firma de terceros"))).toBe(true);
    expect(lines.join(" ")).toContain("Se muestran las últimas 50 de 200 firmas");
  });
});

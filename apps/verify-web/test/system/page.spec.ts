import { readFile } from "node:fs/promises";
import type { CertificateStatus } from "@rubrica/pdf";
import { asSigned } from "@rubrica/pdf-drawing/placing/as-signed";
import {
  accessibilityFaults,
  browserMissing,
  desktop,
  launchBrowser,
  phone,
  screenshot,
  type Visit,
  visit,
} from "@rubrica/test-kit/browser";
import { pdf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { streamOf, updated } from "@rubrica/test-kit/pdf/update";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Report } from "../../src/verifier.ts";
import { another, app, document, proof, realResults, seal, timestamp, valid } from "../given.ts";

if (browserMissing !== null) console.warn(`skipped: ${browserMissing}`);

const file = { name: "contrato.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-") };
const unknown = { ...valid, document: null };

describe.skipIf(browserMissing !== null)("the page", () => {
  let browser: Browser;
  let server: Awaited<ReturnType<typeof app>>;
  let url: string;
  let report: Report;
  let visits: Visit[];
  let results: Awaited<ReturnType<typeof realResults>>;

  beforeAll(async () => {
    browser = await launchBrowser();
    results = await realResults();
  });
  afterAll(async () => {
    await browser?.close();
    await results?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    report = valid;
    visits = [];
    server = await app({ verifier: { verify: async () => report }, results, gate: { perMinute: 3 } });
    url = await server.listen({ host: "127.0.0.1", port: 0 });
  });
  afterEach(async () => {
    const faults = visits.flatMap((each) => [...each.faults, ...each.foreign]);
    await Promise.all(visits.map((each) => each.leave()));
    await server.close();
    expect(faults).toEqual([]);
  });

  const open = async (device: BrowserContextOptions = phone, query = ""): Promise<Page> => {
    const opened = await visit(browser, `${url}/verify${query}`, device);
    visits.push(opened);
    return opened.page;
  };
  const choose = (page: Page) => page.getByLabel("Elegir archivo PDF").setInputFiles(file);
  const verdict = (page: Page, name: string | RegExp) => page.getByRole("heading", { name, level: 2 });
  const keep = (page: Page, name: string): Promise<void> => screenshot(page, `verify-${name}`, { fullPage: true });

  test("asks for a file, on a phone and on a desk", async () => {
    for (const [name, device] of Object.entries({ phone, desktop })) {
      const page = await open(device);
      await page.getByRole("heading", { name: "Verificar un documento", level: 1 }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await keep(page, `start-${name}`);
    }
  });

  const found: [string, string, Report][] = [
    ["valid", "El documento es auténtico", valid],
    ["unrecorded", "Sellado por este servicio y sin cambios", { ...unknown, verdict: "unrecorded" }],
    [
      "evidence-broken",
      "El registro de este documento fue alterado",
      { ...valid, verdict: "evidence_broken", document: { ...document, chainIntact: false } },
    ],
    [
      "record-missing",
      "Sellado por este servicio, pero el registro no tiene este archivo",
      { ...unknown, verdict: "record_missing" },
    ],
    [
      "changed",
      "El archivo fue modificado",
      {
        ...unknown,
        verdict: "changed",
        signatures: [
          { ...seal, changesAfter: "other" },
          { ...another, intact: false },
        ],
      },
    ],
    [
      "foreign",
      "No es un documento de este servicio",
      { ...unknown, verdict: "foreign", signatures: [another, { ...timestamp, intact: null }] },
    ],
    [
      "certificate-invalid",
      "El certificado del sello no valía",
      {
        ...unknown,
        verdict: "certificate_invalid",
        signatures: [
          {
            ...seal,
            proof: { ...proof, trusted: false },
            certificateStatus: {
              ...(seal.certificateStatus as CertificateStatus),
              status: "revoked",
              revokedAt: Date.UTC(2026, 5, 1),
            },
          },
        ],
      },
    ],
    ["unsigned", "El archivo no tiene firmas electrónicas", { ...unknown, verdict: "unsigned", signatures: [] }],
    [
      "unreadable",
      "No se pudo leer el archivo",
      { ...unknown, verdict: "unreadable", readable: false, reason: "no", signatures: [] },
    ],
  ];
  test.each(found)("tells what is %s", async (name, title, given) => {
    report = given;
    const page = await open();
    await choose(page);
    await verdict(page, title).waitFor();
    await expect.poll(() => page.locator("h2:focus").count()).toBe(1);
    await page.getByText("Ver los detalles").click();
    for (const { certificate } of given.signatures)
      await page
        .getByText(certificate?.sha256 ?? "")
        .first()
        .waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await keep(page, name);
  });

  test("names who sealed, when, the document and its level, and takes no name for markup", async () => {
    const page = await open(desktop);
    await choose(page);
    await verdict(page, "El documento es auténtico").waitFor();
    const text = await page.getByRole("article").textContent();
    for (const part of ["contrato.pdf", "Rubrica seal", "21 de noviembre de 2026", document.documentId, "PAdES B-LTA"])
      expect(text).toContain(part);
    report = { ...unknown, verdict: "foreign", signatures: [another] };
    await choose(page);
    await verdict(page, "No es un documento de este servicio").waitFor();
    const foreign = await page.getByRole("article").textContent();
    expect(foreign).toContain("<b>Ana</b> Paz");
    expect([text, foreign].map((each) => each?.includes("Sellado por"))).toEqual([true, false]);
  });

  test("says by whose word the date is, what the certificate was worth then, and what is covered", async () => {
    const before = { ...seal, proof: { ...proof, trusted: false }, coveredBytes: 60, changesAfter: "signing" as const };
    report = { ...unknown, verdict: "unrecorded", signatures: [before, { ...seal, proof }, { ...seal, proof: null }] };
    const page = await open();
    await choose(page);
    await page.getByText("Ver los detalles").click();
    const items = await page.locator(".signatures li").allTextContents();
    expect(items[0]).toContain("de una autoridad no reconocida por este servicio: no prueba la fecha: Time");
    expect(items[0]).toContain("Los primeros 60 de 100 bytes");
    expect(items[1]).toMatch(/Sello de tiempo sobre la firma, .*, de una autoridad reconocida por este servicio: Time/);
    expect(items[1]).toContain("Vigente y sin revocar, al 2");
    expect(items[1]).toContain("Todo el archivo (100 bytes)");
    expect(items[2]).toContain("Nadie: solo el firmante declara la fecha");
    await keep(page, "times");
  });

  test("lets no authority's name say of itself that it is trusted, or turn round what is said of it", async () => {
    const authority = "CN=Time (reconocida por este servicio)\u202e";
    report = {
      ...unknown,
      verdict: "foreign",
      signatures: [{ ...another, proof: { ...proof, trusted: false, authority } }],
    };
    const page = await open();
    await choose(page);
    await page.getByText("Ver los detalles").click();
    const said = page.locator(".signatures dd", { hasText: "Sello de tiempo" });
    expect(await said.textContent()).toMatch(
      /de una autoridad no reconocida por este servicio: no prueba la fecha: Time/,
    );
    expect(await said.locator("bdi").textContent()).toBe(authority.replace("CN=", ""));
  });

  const year = (value: number) => Date.UTC(value, 5, 15);
  const claimed = { ...seal, claimedAt: year(2021) };
  const stamped = (trusted: boolean) => ({ ...claimed, proof: { ...proof, at: year(2022), trusted } });
  const asClaimed = "Fecha que declara la firma (sin comprobar): 2021";
  const dated: [string, string, Report][] = [
    [
      "the record",
      "Fecha: 2026",
      {
        ...valid,
        signatures: [
          { ...claimed, proof: { ...proof, by: "record", at: Date.parse(document.sealedAt), authority: null } },
        ],
      },
    ],
    [
      "the signature alone, where the file contradicts the record",
      asClaimed,
      { ...valid, verdict: "record_contradicted", signatures: [claimed] },
    ],
    ["a trusted timestamp", "Fecha: 2022", { ...unknown, verdict: "unrecorded", signatures: [stamped(true)] }],
    [
      "the signature alone, where nobody trusts the timestamp",
      asClaimed,
      { ...unknown, verdict: "unrecorded", signatures: [stamped(false)] },
    ],
    [
      "the signature alone, where the record was altered",
      asClaimed,
      { ...valid, verdict: "evidence_broken", document: { ...document, chainIntact: false }, signatures: [claimed] },
    ],
  ];
  test.each(dated)("names the date that is by the word of %s", async (_by, expected, given) => {
    report = given;
    const page = await open();
    await choose(page);
    const row = page.locator("article > .facts > div", { hasText: /^Fecha/ });
    const [name, value] = [await row.locator("dt").textContent(), await row.locator("dd").textContent()];
    expect(`${name}: ${/\d{4}/.exec(value ?? "")?.[0]}`).toBe(expected);
  });

  test("shows the page as it was signed, where content came after", async () => {
    const bytes = pdf({ pages: [{ content: textAt(50, 700, "I owe you nothing") }] });
    const changed = updated(bytes, { 5: streamOf(textAt(50, 700, "I owe you a million")) });
    const drawn = await asSigned(changed, [bytes.length]);
    if (!drawn) throw new Error("it was not drawn");
    const signatures = [{ ...another, changesAfter: "other" as const }];
    report = { ...unknown, verdict: "changed", signatures, asSigned: { ...drawn, signature: 0 } };
    for (const device of [phone, desktop]) {
      const page = await open(device);
      await choose(page);
      await page.getByText("Ver los detalles").click();
      const picture = page.getByRole("img", { name: "La página 1 como estaba cuando se firmó" });
      await picture.waitFor();
      expect(
        await page.evaluate(
          "document.querySelector('.as-signed').decode().then(() => document.images[0].naturalWidth)",
        ),
      ).toBe(595);
      expect(await accessibilityFaults(page)).toEqual([]);
      await keep(page, device === phone ? "as-signed-phone" : "as-signed-desktop");
    }
  });

  test("gives what was found as a file to keep, with when and by whom it was judged", async () => {
    const page = await open();
    await choose(page);
    const saving = page.waitForEvent("download");
    await page.getByRole("link", { name: "Guardar el resultado (JSON)" }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe("verificacion-5f5f5f5f5f5f.json");
    const kept = JSON.parse(await readFile(await saved.path(), "utf8"));
    expect(kept).toMatchObject({ verified_at: url, verdict: "valid", checked_at: "2026-11-22T09:00:00.000Z" });
  });

  test("gives the same as a PDF to keep, and says why where it can't", async () => {
    const page = await open(desktop);
    await choose(page);
    const button = page.getByRole("button", { name: "Guardar el resultado (PDF)" });
    const saving = page.waitForEvent("download");
    await button.click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe("verificacion-5f5f5f5f5f5f.pdf");
    expect((await readFile(await saved.path())).subarray(0, 5).toString()).toBe("%PDF-");
    await choose(page);
    await button.click();
    await page.getByText("Espere un minuto").waitFor();
    expect(await button.isEnabled()).toBe(true);
    await keep(page, "not-kept");
  });

  test("takes a file that is dropped anywhere on it", async () => {
    const page = await open(desktop);
    const transfer = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["%PDF-"], "soltado.pdf", { type: "application/pdf" }));
      return transfer;
    })()`);
    await page.dispatchEvent("h1", "drop", { dataTransfer: transfer });
    await verdict(page, "El documento es auténtico").waitFor();
    expect(await page.getByRole("article").textContent()).toContain("soltado.pdf");
  });

  test("says whether it is the file of the address, and only of the record that it was looked up", async () => {
    const query = (sha256: string) => `?document=${document.documentId}&sha256=${sha256}`;
    const right = await open(phone, query(valid.sha256));
    await right.getByText(`nombra el documento ${document.documentId}: todavía no se comprobó nada`).waitFor();
    await choose(right);
    await right.getByText("Sí: es el que el registro de este servicio tiene en ese documento").waitFor();
    const unknown = await open(phone, `?document=${"0".repeat(36)}&sha256=${valid.sha256}`);
    await choose(unknown);
    await unknown.getByText("quién escribió esa dirección no se comprobó").waitFor();
    expect(await unknown.getByText("Sí: es el que").count()).toBe(0);
    const wrong = await open(phone, query("00".repeat(32)));
    await choose(wrong);
    await wrong.getByText("No, no es el archivo que nombra la dirección que abrió").waitFor();
  });

  test("says what to do when the file could not be checked", async () => {
    const page = await open();
    await page.getByLabel("Elegir archivo PDF").setInputFiles({ ...file, buffer: Buffer.alloc(1_001) });
    await verdict(page, "No se pudo comprobar").waitFor();
    await page.getByText("El archivo es demasiado grande").waitFor();
    await choose(page);
    await verdict(page, "El documento es auténtico").waitFor();
    await choose(page);
    await verdict(page, "El documento es auténtico").waitFor();
    await choose(page);
    await page.getByText("Espere un minuto").waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });
});

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
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Report } from "../src/verifier.ts";
import { another, app, document, seal, timestamp, valid } from "./given.ts";

if (browserMissing !== null) console.warn(`skipped: ${browserMissing}`);

const file = { name: "contrato.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-") };
const unknown = { ...valid, document: null };

describe.skipIf(browserMissing !== null)("the page", () => {
  let browser: Browser;
  let server: Awaited<ReturnType<typeof app>>;
  let url: string;
  let report: Report;
  let visits: Visit[];

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    report = valid;
    visits = [];
    server = await app({ verifier: { verify: async () => report }, gate: { perMinute: 3 } });
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
    expect(await page.locator("h2:focus").count()).toBe(1);
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

  test("says whether it is the file that the report names", async () => {
    const query = (sha256: string) => `?document=${document.documentId}&sha256=${sha256}`;
    const right = await open(phone, query(valid.sha256));
    await right.getByText(`Llegó desde el informe del documento ${document.documentId}`).waitFor();
    await choose(right);
    await right.getByText("Sí, es el archivo que nombra el informe").waitFor();
    const wrong = await open(phone, query("00".repeat(32)));
    await choose(wrong);
    await wrong.getByText("No, es otro archivo").waitFor();
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

import { desktop, phone } from "@rubrica/test-kit/browser";
import { pdfWithFont, sfnt } from "@rubrica/test-kit/pdf/font-programs";
import { drawSignature } from "@rubrica/test-kit/signature-pad";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { pendingState, sha256 } from "../../fake-api.ts";
import { agree, describeInBrowser, heading, screenshot, submit, toSignature } from "../../harness.ts";
import { samplePdf } from "../../sample-pdf.ts";

describeInBrowser("reading the document", (signer) => {
  const give = (pdf: Buffer): void => {
    signer.service.scenario.pdf = pdf;
    signer.service.scenario.state = pendingState(pdf);
  };
  /** Device pixels of a page's picture to a CSS pixel of the page. */
  const density = (page: Page): Promise<number> =>
    page.evaluate(
      "(canvas => canvas.width / canvas.getBoundingClientRect().width)(document.querySelector('.page-canvas'))",
    );

  test("pages are as sharp as the screen", async () => {
    const page = await signer.openRead();
    expect(await density(page)).toBeGreaterThan(2.95);
  });

  test("zoomed by the buttons, pages are larger and as sharp, and can be moved sideways", async () => {
    const page = await signer.openRead();
    const width = async () => (await page.locator(".page").first().boundingBox())?.width ?? 0;
    const before = await width();
    await page.getByRole("button", { name: "Agrandar" }).click();
    await page.getByRole("button", { name: "Agrandar" }).click();
    expect(await width()).toBeGreaterThan(before * 1.9);
    await expect.poll(() => density(page)).toBeGreaterThan(2.9);
    await screenshot(page, "phone-zoomed");
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    await page.getByRole("button", { name: "Achicar" }).click();
    await page.getByRole("button", { name: "Achicar" }).click();
    expect(await width()).toBeCloseTo(before, 0);
  });

  test("pinched, the page in sight is drawn again, sharp", async () => {
    const page = await signer.openRead();
    const session = await page.context().newCDPSession(page);
    await session.send("Input.synthesizePinchGesture", { x: 200, y: 500, scaleFactor: 2 });
    expect(Number(await page.evaluate("visualViewport.scale"))).toBeGreaterThan(1.5);
    await expect.poll(() => density(page)).toBeGreaterThan(4.4);
  });

  test("of many pages only those near the window are drawn, and the number follows", async () => {
    give(await samplePdf(60));
    const page = await signer.openRead();
    expect(await page.locator(".page").count()).toBe(60);
    const drawn = () => page.locator(".page canvas").count();
    await expect.poll(drawn).toBeGreaterThanOrEqual(3);
    expect(await drawn()).toBeLessThan(8);
    await page.getByRole("region", { name: "Página 40 de 60" }).scrollIntoViewIfNeeded();
    await page.locator(".toolbar-page", { hasText: /Página (39|40) de 60/ }).waitFor();
    await page.locator(".page.drawn:nth-child(40)").waitFor();
    await expect.poll(() => page.locator(".page:nth-child(1) canvas").count()).toBe(0);
    await expect.poll(() => page.locator(".page canvas").count()).toBeLessThan(10);
  });

  test("letters of a file's own font are drawn, and the browser runs no program of it", async () => {
    give(Buffer.from(pdfWithFont(sfnt(), { subtype: "TrueType", entry: "FontFile2" })));
    const page = await signer.openRead();
    const dark = () =>
      page.evaluate(`(({ width, height }, context) =>
        context.getImageData(0, 0, width, height).data.filter((value, index) => index % 4 === 0 && value < 64).length
      )(document.querySelector(".page-canvas"), document.querySelector(".page-canvas").getContext("2d"))`);
    await expect.poll(dark).toBeGreaterThan(1_000);
    expect(await page.evaluate("[...document.fonts].map(({ family }) => family)")).toEqual([]);
  });

  test("on a slow network it says how much has come, and nothing can be signed before", async () => {
    const gate = Promise.withResolvers<void>();
    signer.service.scenario.gates.document = gate.promise;
    const page = await signer.open();
    await page.getByText("Cargando el documento…").waitFor();
    await page.getByRole("button", { name: "Firmar", exact: true }).click({ force: true });
    await page.getByText("Espere a que el documento termine de cargar.").waitFor();
    await screenshot(page, "phone-slow");
    expect(await page.getByRole("dialog").count()).toBe(0);
    gate.resolve();
    await page.locator(".page.drawn").first().waitFor();
    await toSignature(page);
  });

  test("a document that did not come can be asked for again", async () => {
    signer.service.scenario.failures.document = 500;
    const page = await signer.open();
    await page.getByRole("heading", { name: "No pudimos mostrar el documento" }).waitFor();
    await screenshot(page, "phone-document-failed");
    delete signer.service.scenario.failures.document;
    await page.getByRole("button", { name: "Reintentar" }).click();
    await page.locator(".page.drawn").first().waitFor();
  });

  test.each(["pdf.min.mjs", "pdf.worker.min.mjs"])("when %s did not come, a retry loads it again", async (file) => {
    signer.tolerate("Setting up fake worker failed");
    const page = await signer.open();
    await page.route(`**/${file}*`, (route) => route.abort());
    await page.reload();
    const retry = page.getByRole("button", { name: "Reintentar" });
    await retry.waitFor();
    await page.unroute(`**/${file}*`);
    await retry.click();
    await page.locator(".page.drawn").first().waitFor();
  });

  test("a PDF that can't be drawn here is opened elsewhere, and can then be signed", async () => {
    give(Buffer.from("no PDF at all"));
    const page = await signer.open();
    const failure = page.getByRole("alert").filter({ hasText: "No pudimos mostrar el documento" });
    await failure.waitFor();
    await page.getByRole("button", { name: "Firmar", exact: true }).click({ force: true });
    expect(await page.getByRole("dialog").count()).toBe(0);
    await failure.getByRole("link", { name: "Abrir el PDF" }).click();
    await page.bringToFront();
    await toSignature(page);
    await drawSignature(page);
    await agree(page);
    await submit(page).click();
    await heading(page, /Listo/).waitFor();
    expect(signer.signBody().document_sha256).toBe(sha256(signer.service.scenario.pdf));
  });

  test("over plain HTTP from another machine, where browsers offer no hashing, it works as well", async () => {
    const page = await signer.open();
    await page.addInitScript("delete Crypto.prototype.subtle");
    await page.reload();
    await page.locator(".page.drawn").first().waitFor();
    await toSignature(page);
    await drawSignature(page);
    await agree(page);
    await submit(page).click();
    await heading(page, /Listo/).waitFor();
  });

  test.each([
    ["phone", phone],
    ["desktop", desktop],
  ])("the last page is not hidden behind the buttons (%s)", async (_, device) => {
    const page = await signer.openRead(device);
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    const last = await page.locator(".page").last().boundingBox();
    const toolbar = await page.locator(".toolbar").boundingBox();
    expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual(toolbar?.y ?? 0);
  });
});

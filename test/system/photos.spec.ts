import { samplePdf, samplePhoto, sampleSigner } from "@rubrica/test-kit";
import { browserMissing, launchBrowser, phone as phoneScreen, screenshot, visit } from "@rubrica/test-kit/browser";
import { blank } from "@rubrica/test-kit/identity/pictures";
import { drawSignature } from "@rubrica/test-kit/signature-pad";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { serviceInProcess } from "../support/service.ts";

const shoot = (page: Page, name: string): Promise<void> => screenshot(page, `photos-${name}`);

/** Takes the photo that the page asks for. */
const take = async (page: Page, title: string, photo: Buffer): Promise<void> => {
  await page.getByRole("heading", { name: title }).waitFor();
  await page.locator("input[type=file]").setInputFiles({ name: "photo.jpg", mimeType: "image/jpeg", buffer: photo });
  await page.getByRole("img", { name: "La foto que tomó" }).waitFor();
};

const send = (page: Page): Promise<void> => page.getByRole("button", { name: "Usar esta foto" }).click();

test.skipIf(browserMissing !== null)(
  "a signer takes photos in a browser, one of them anew, and signs once they are validated",
  async () => {
    await using service = await serviceInProcess();
    await using browser = await launchBrowser();
    const signer = sampleSigner(1, { name: "Łukasz Peña" });
    const fields = { request_photos: true, document_name: "Lease agreement" };
    const document = await service.client.requestDocument(await samplePdf(), [signer], fields);
    const link = document.urls[0]?.link ?? "";
    const { page, faults, foreign, leave } = await visit(browser, link.replace("localhost", "127.0.0.1"), phoneScreen);
    await page.locator(".page.drawn").first().waitFor();
    await page.getByRole("button", { name: "Firmar", exact: true }).click();

    await take(page, "Foto de su rostro", await samplePhoto("selfie"));
    await shoot(page, "1-selfie");
    await send(page);
    await take(page, "Frente del documento", await samplePhoto("idFront"));
    await send(page);
    await take(page, "Dorso del documento", await blank("#808080"));
    await send(page);
    await page.getByRole("alert").getByText("En la foto no se distingue nada").waitFor();
    await shoot(page, "2-again");
    await take(page, "Dorso del documento", await samplePhoto("idBack"));
    await send(page);

    await page.getByRole("heading", { name: "Su firma" }).waitFor();
    await drawSignature(page);
    await page.getByLabel("Leí el documento").check();
    await page.getByRole("button", { name: "Firmar documento" }).click();
    await page.getByRole("heading", { name: /Listo/, level: 1 }).waitFor();
    expect([...faults, ...foreign]).toEqual([]);
    await leave();
    expect(await service.client.status(document.id_seguimiento)).toMatchObject({ is_finished: true });
  },
);

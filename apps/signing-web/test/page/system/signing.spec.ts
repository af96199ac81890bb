import { desktop, phone } from "@rubrica/test-kit/browser";
import { drawSignature } from "@rubrica/test-kit/signature-pad";
import { expect, test } from "vitest";
import { pendingState } from "../../fake-api.ts";
import { agree, describeInBrowser, heading, screenshot, submit, toSignature } from "../../harness.ts";
import { inkOf } from "../../png.ts";
import { samplePdf } from "../../sample-pdf.ts";

describeInBrowser("signing in a browser", (signer) => {
  test.each([
    ["phone", phone],
    ["desktop", desktop],
  ])("a signer reads, draws, agrees, signs and downloads (%s)", async (name, device) => {
    const page = await signer.openRead(device);
    await expect.poll(() => heading(page, /./).textContent()).toBe("Contrato de locación de vivienda");
    expect(await page.getByText("Inmobiliaria Del Parque S.A.").count()).toBe(1);
    await screenshot(page, `${name}-1-review`);

    await toSignature(page);
    await screenshot(page, `${name}-2-empty`);
    await drawSignature(page);
    await agree(page);
    await screenshot(page, `${name}-3-drawn`);
    await submit(page).click();

    await heading(page, "¡Listo! Su firma quedó registrada").waitFor();
    const link = page.getByRole("link", { name: "Descargar documento firmado" });
    await link.waitFor();
    await screenshot(page, `${name}-4-done`);
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    expect(download.suggestedFilename()).toBe("Contrato de locación de vivienda - firmado.pdf");

    const { garabato, ...body } = signer.signBody();
    expect(garabato.slice(0, 22)).toBe("data:image/png;base64,");
    expect(body).toEqual({
      consent_version: "2026-01",
      document_sha256: signer.service.scenario.state.document_sha256,
      time_zone: "America/Montevideo",
      signature_method: "drawn",
    });
    expect(signer.service.count("opened")).toBe(1);
  });

  test("a service that is busy for a moment is asked again by the page, and the signer notices nothing", async () => {
    const page = await signer.openRead();
    await toSignature(page);
    await drawSignature(page);
    await agree(page);
    signer.tolerate("503");
    signer.service.scenario.busy.sign = 2;
    await submit(page).click();
    await heading(page, /Listo/).waitFor();
    expect(signer.service.count("sign")).toBe(3);
  });

  test("the drawing is a transparent PNG, trimmed to its ink, of bounded size", async () => {
    const page = await signer.openRead();
    await toSignature(page);
    await drawSignature(page, 0.3);
    await agree(page);
    await submit(page).click();
    await heading(page, /Listo/).waitFor();

    const { garabato } = signer.signBody();
    expect(garabato.length).toBeLessThanOrEqual(200_000);
    const ink = await inkOf(garabato);
    expect(ink.width).toBeLessThanOrEqual(1_000);
    expect(ink.height).toBeLessThanOrEqual(400);
    expect(ink.corners).toEqual([0, 0, 0, 0]);
    expect(ink.inkedPixels).toBeGreaterThan(500);
    // The padding is 8; anti-aliased edges may leave one or two pixels more.
    for (const margin of ink.margins) expect(margin).toBeLessThanOrEqual(11);
  });

  test("a finger draws as well, and the page below does not scroll away under it", async () => {
    const page = await signer.openRead();
    await toSignature(page);
    const box = await page.getByRole("img", { name: /firma/ }).boundingBox();
    if (box === null) throw new Error("the pad is not there");
    const session = await page.context().newCDPSession(page);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", x: number, y: number) =>
      session.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y }] });
    await touch("touchStart", box.x + 40, box.y + 30);
    for (let step = 1; step <= 20; step += 1) await touch("touchMove", box.x + 40 + step * 10, box.y + 30 + step * 5);
    await touch("touchEnd", 0, 0);
    await agree(page);
    await submit(page).click();
    await heading(page, /Listo/).waitFor();
    const ink = await inkOf(signer.signBody().garabato);
    expect(ink.width / ink.height).toBeCloseTo(2, 0);
    expect(signer.signBody()).toMatchObject({ signature_method: "drawn" });
  });

  test("undo takes the last stroke back, clear all; nothing drawn signs nothing", async () => {
    const page = await signer.openRead();
    await toSignature(page);
    await drawSignature(page);
    await page.getByRole("button", { name: "Deshacer" }).click();
    const drawn = page.getByText("Firma dibujada.");
    expect(await drawn.count()).toBe(1);
    await page.getByRole("button", { name: "Borrar" }).click();
    expect(await drawn.count()).toBe(0);
    await agree(page);
    await submit(page).click();
    await expect.poll(() => page.getByRole("alert").textContent()).toBe("Dibuje su firma en el recuadro.");
    expect(signer.service.count("sign")).toBe(0);
  });

  test("without consent nothing is signed, and the checkbox is pointed at", async () => {
    const page = await signer.openRead();
    await toSignature(page);
    await drawSignature(page);
    await submit(page).click();
    await page.getByText("Para firmar, marque que leyó").waitFor();
    await screenshot(page, "phone-consent-missing");
    await expect.poll(() => page.locator("input[type=checkbox]:focus").count()).toBe(1);
    expect(signer.service.count("sign")).toBe(0);
  });

  test("pressing twice signs once", async () => {
    const page = await signer.openRead();
    const gate = Promise.withResolvers<void>();
    signer.service.scenario.gates.sign = gate.promise;
    await toSignature(page);
    await drawSignature(page);
    await agree(page);
    await submit(page).dblclick();
    await page.getByRole("button", { name: "Firmando…" }).click({ force: true });
    await screenshot(page, "phone-signing");
    await page.keyboard.press("Escape");
    expect(await page.getByRole("dialog").count()).toBe(1);
    gate.resolve();
    await heading(page, /Listo/).waitFor();
    expect(signer.service.count("sign")).toBe(1);
  });

  test("when the network fails the drawing stays, and the next press signs", async () => {
    const page = await signer.openRead();
    await toSignature(page);
    await drawSignature(page);
    await agree(page);
    await page.context().setOffline(true);
    await submit(page).click();
    await page.getByText("No hay conexión. Su firma sigue aquí").waitFor();
    await screenshot(page, "phone-sign-offline");
    await page.context().setOffline(false);
    await submit(page).click();
    await heading(page, /Listo/).waitFor();
    expect(signer.service.count("sign")).toBe(1);
  });

  test("a document that changed meanwhile is shown anew before it can be signed", async () => {
    const page = await signer.openRead();
    await toSignature(page);
    await drawSignature(page);
    await agree(page);
    signer.service.scenario.pdf = await samplePdf(2);
    signer.service.scenario.state = pendingState(signer.service.scenario.pdf);
    await submit(page).click();
    await heading(page, "El documento cambió").waitFor();
    await screenshot(page, "phone-changed");
    await page.getByRole("button", { name: "Ver el documento actualizado" }).click();
    await page.getByText("Página 1 de 2").first().waitFor();
    await page.locator(".page.drawn").first().waitFor();
    await toSignature(page);
    await drawSignature(page);
    await agree(page);
    await submit(page).click();
    await heading(page, /Listo/).waitFor();
  });

  test("bytes that are not those of the stated hash are never offered for signing", async () => {
    signer.service.scenario.state.document_sha256 = "0".repeat(64);
    const page = await signer.open();
    await heading(page, "El documento cambió").waitFor();
  });

  test("a signature refused because it was made elsewhere ends on that state's screen", async () => {
    const page = await signer.openRead();
    await toSignature(page);
    await drawSignature(page);
    await agree(page);
    signer.service.scenario.failures.sign = 409;
    signer.service.scenario.state.status = "ended";
    await submit(page).click();
    await heading(page, "Este documento ya no se puede firmar").waitFor();
  });

  test("a refusal that nothing explains keeps the drawing", async () => {
    const page = await signer.openRead();
    await toSignature(page);
    await drawSignature(page);
    await agree(page);
    signer.service.scenario.failures.sign = 409;
    await submit(page).click();
    await page.getByText("No pudimos registrar su firma").waitFor();
    expect(await page.getByText("Firma dibujada.").count()).toBe(1);
  });

  test("with the keyboard alone: write the name, agree, sign", async () => {
    const page = await signer.openRead(desktop);
    const focusOn = async (name: RegExp) => {
      for (let press = 0; press < 30; press += 1) {
        await page.keyboard.press("Tab");
        const focused = await page.evaluate(
          "(node => (node.labels?.[0]?.innerText ?? node.getAttribute('aria-label') ?? node.innerText ?? ''))(document.activeElement)",
        );
        if (name.test(String(focused))) return;
      }
      throw new Error(`the Tab key never came to ${name}`);
    };
    await focusOn(/^Firmar$/);
    await page.keyboard.press("Enter");
    await focusOn(/^Dibujar$/);
    await page.keyboard.press("ArrowRight");
    await focusOn(/Escriba su nombre/);
    await page.keyboard.type("María José Núñez");
    await focusOn(/Leí el documento/);
    await page.keyboard.press("Space");
    await screenshot(page, "desktop-typed");
    await focusOn(/Firmar documento/);
    await page.keyboard.press("Enter");
    await heading(page, /Listo/).waitFor();
    const ink = await inkOf(signer.signBody().garabato);
    expect(signer.signBody()).toMatchObject({ signature_method: "typed" });
    expect(ink.inkedPixels).toBeGreaterThan(500);
    expect(ink.corners).toEqual([0, 0, 0, 0]);
    for (const margin of ink.margins) expect(margin).toBeLessThanOrEqual(11);
  });

  test("a signer rejects: a reason is required, and it is sent once", async () => {
    const page = await signer.openRead();
    await page.getByRole("button", { name: "Rechazar" }).click();
    const send = page.getByRole("button", { name: "Rechazar documento" });
    await send.click();
    await page.getByText("Escriba el motivo.").waitFor();
    await page.getByLabel("Motivo del rechazo").fill("  El monto no es el acordado.  ");
    await screenshot(page, "phone-reject");
    const gate = Promise.withResolvers<void>();
    signer.service.scenario.gates.reject = gate.promise;
    await send.dblclick();
    gate.resolve();
    await heading(page, "Usted rechazó este documento").waitFor();
    await screenshot(page, "phone-rejected");
    expect(signer.service.requests.filter(({ operation }) => operation === "reject").map(({ body }) => body)).toEqual([
      { reason: "El monto no es el acordado." },
    ]);
  });

  test("a rejection can be thought over", async () => {
    const page = await signer.openRead();
    await page.getByRole("button", { name: "Rechazar" }).click();
    await page.getByRole("button", { name: "Volver", exact: true }).click();
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    expect(signer.service.count("reject")).toBe(0);
  });

  test("the drawing survives the turning of the phone", async () => {
    const page = await signer.openRead();
    await toSignature(page);
    await drawSignature(page);
    await page.setViewportSize({ width: 760, height: 390 });
    await screenshot(page, "phone-landscape");
    await agree(page);
    await submit(page).click();
    await heading(page, /Listo/).waitFor();
    expect((await inkOf(signer.signBody().garabato)).inkedPixels).toBeGreaterThan(500);
  });

  test("photos are asked for before the signature, one after the other", async () => {
    Object.assign(signer.service.scenario.state, { request_photos: true, can_sign: false });
    const page = await signer.openRead();
    await page.getByRole("button", { name: "Firmar", exact: true }).click();
    await page.getByText("Foto 1 de 3").waitFor();
    await screenshot(page, "phone-photo-1");
    const picture = await page.screenshot({ type: "jpeg" });
    for (const step of [1, 2, 3]) {
      await page.getByText(`Foto ${step} de 3`).waitFor();
      await page
        .locator("input[type=file]")
        .setInputFiles({ name: "foto.jpg", mimeType: "image/jpeg", buffer: picture });
      await page.getByRole("button", { name: "Usar esta foto" }).waitFor();
      if (step === 2) await screenshot(page, "phone-photo-2-taken");
      await page.getByRole("button", { name: "Usar esta foto" }).click();
    }
    await page.getByRole("heading", { name: "Su firma" }).waitFor();
    const sent = signer.service.requests.filter(({ operation }) => operation === "photos").map(({ body }) => body);
    expect(sent).toEqual(["selfie", "dni_frontal", "dni_trasera"].map((kind) => ({ kind, photo: expect.any(Buffer) })));
    // JPEG's first bytes, and no more pixels than asked for.
    for (const { photo } of sent as { photo: Buffer }[]) expect(photo.subarray(0, 3).toString("hex")).toBe("ffd8ff");
  });

  test.each([
    ["blurred", "La foto salió borrosa. Tome otra sin moverse."],
    ["some_new_word", "Esta foto no sirvió. Tome otra."],
  ])("a photo that was refused is asked for again, with the reason: %s", async (reason, said) => {
    const approved = { state: "approved", attempt: 1, reason: null };
    Object.assign(signer.service.scenario.state, {
      request_photos: true,
      can_sign: false,
      photos: {
        selfie: approved,
        dni_frontal: { state: "rejected", attempt: 1, reason },
        dni_trasera: approved,
      },
    });
    const page = await signer.openRead();
    await page.getByRole("button", { name: "Firmar", exact: true }).click();
    await page.getByText("Foto 2 de 3").waitFor();
    expect(await page.getByRole("alert").textContent()).toBe(said);
  });

  test("after the photos, the document that was shown is signed, not one that came since", async () => {
    const approved = { state: "approved", attempt: 1, reason: null };
    const shown = signer.service.scenario.state;
    Object.assign(shown, {
      request_photos: true,
      can_sign: false,
      photos: { selfie: approved, dni_frontal: approved },
    });
    const page = await signer.openRead();
    await page.getByRole("button", { name: "Firmar", exact: true }).click();
    await page.getByText("Foto 3 de 3").waitFor();
    const hash = shown.document_sha256;
    Object.assign(shown, { document_sha256: "0".repeat(64) });
    const photo = await page.screenshot({ type: "jpeg" });
    await page.locator("input[type=file]").setInputFiles({ name: "a.jpg", mimeType: "image/jpeg", buffer: photo });
    await page.getByRole("button", { name: "Usar esta foto" }).click();
    await page.getByRole("heading", { name: "Su firma" }).waitFor();
    await drawSignature(page);
    await agree(page);
    await submit(page).click();
    await heading(page, "El documento cambió").waitFor();
    expect(signer.signBody().document_sha256).toBe(hash);
  });
});

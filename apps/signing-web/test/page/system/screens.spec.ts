import { accessibilityFaults, desktop, phone } from "@rubrica/test-kit/browser";
import { drawSignature } from "@rubrica/test-kit/signature-pad";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { FakeService } from "../../fake-api.ts";
import { agree, describeInBrowser, heading, screenshot, submit, toSignature } from "../../harness.ts";

type Screen = [string, string, (service: FakeService) => void];

const ends = {
  canceled: { kind: "canceled", at: "2026-11-21T15:04:05.000Z", reason: "Cambió el alquiler" },
  expired: { kind: "expired", at: "2026-11-21T15:04:05.000Z", reason: null },
  rejected: { kind: "rejected", at: "2026-11-21T15:04:05.000Z", reason: null },
} as const;

describeInBrowser("each state of a link has its screen", (signer) => {
  const screens: Screen[] = [
    ["signed", "Usted ya firmó este documento", ({ scenario }) => Object.assign(scenario.state, { status: "signed" })],
    [
      "rejected-before",
      "Usted rechazó este documento",
      ({ scenario }) => Object.assign(scenario.state, { status: "rejected" }),
    ],
    [
      "ended",
      "Este documento ya no se puede firmar",
      ({ scenario }) => Object.assign(scenario.state, { status: "ended" }),
    ],
    ...(["canceled", "expired", "rejected"] as const).map(
      (kind): Screen => [
        kind,
        "Este documento ya no se puede firmar",
        ({ scenario }) =>
          Object.assign(scenario.state, { status: kind === "rejected" ? "signed" : "ended", end: ends[kind] }),
      ],
    ),
    [
      "erased",
      "Este documento ya no se puede firmar",
      ({ scenario }) => Object.assign(scenario.failures, { state: 410 }),
    ],
    [
      "replaced",
      "Este enlace fue reemplazado por otro",
      ({ scenario }) => Object.assign(scenario, { failures: { state: 410 }, code: "link_replaced" }),
    ],
    [
      "preparing",
      "El documento se está preparando",
      ({ scenario }) => Object.assign(scenario.failures, { state: 409 }),
    ],
    [
      "not-yet-signable",
      "El documento se está preparando",
      ({ scenario }) => Object.assign(scenario.state, { can_sign: false }),
    ],
    [
      "not-yet-there",
      "El documento se está preparando",
      ({ scenario }) =>
        Object.assign(scenario.state, {
          document_sha256: null,
          page_count: null,
          can_sign: false,
          request_photos: true,
        }),
    ],
    ["unknown", "No encontramos este documento", ({ scenario }) => Object.assign(scenario.failures, { state: 404 })],
    ["broken", "Algo falló de nuestro lado", ({ scenario }) => Object.assign(scenario.failures, { state: 500 })],
    ["busy", "Algo falló de nuestro lado", ({ scenario }) => Object.assign(scenario.failures, { state: 429 })],
  ];

  test.each(screens)("%s", async (name, title, given) => {
    given(signer.service);
    const page = await signer.open();
    await heading(page, title).waitFor();
    expect(await page.title()).toBe(`${title} · Firma electrónica`);
    await expect.poll(() => page.locator("h1:focus").count()).toBe(1);
    await screenshot(page, `screen-${name}`);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test.each([
    ["canceled", "ended", "ACME Propiedades lo canceló, con este motivo: «Cambió el alquiler»."],
    ["expired", "ended", /El plazo para firmarlo terminó el 21 de noviembre de 2026.* 9:04 \(GMT-6\)/],
    ["expired", "signed", /Usted lo firmó, pero el plazo que dio ACME Propiedades terminó el 21 de noviembre de 2026/],
    ["rejected", "ended", "Una de las personas lo rechazó"],
  ] as const)("that it was %s is said in a sentence to who has %s", async (kind, status, sentence) => {
    Object.assign(signer.service.scenario.state, {
      status,
      business_name: "ACME Propiedades",
      end: ends[kind],
      time_zone: "America/Mexico_City",
    });
    const page = await signer.open();
    await page.getByText(sentence).waitFor();
  });

  test("that it was erased is said in a sentence, with who asked for it", async () => {
    signer.service.scenario.failures.state = 410;
    const page = await signer.open();
    await page.getByText("El proceso de firma de Inmobiliaria Del Parque S.A. terminó y los datos").waitFor();
  });

  test("a document that is being prepared opens by itself when it is ready", async () => {
    signer.service.scenario.failures.state = 409;
    const page = await signer.open();
    await heading(page, "El documento se está preparando").waitFor();
    // The page asks more than once: a "not yet" does not end it.
    await expect.poll(() => signer.service.count("state")).toBeGreaterThanOrEqual(3);
    delete signer.service.scenario.failures.state;
    await page.locator(".page.drawn").first().waitFor();
  });

  test("without network: a retry by hand opens the document", async () => {
    signer.service.scenario.failures.state = 503;
    const page = await signer.open();
    const retry = page.getByRole("button", { name: "Reintentar" });
    await retry.waitFor();
    delete signer.service.scenario.failures.state;
    await retry.click();
    await page.locator(".page.drawn").first().waitFor();
  });

  test("without network: the document opens by itself when the network is back", async () => {
    const page = await signer.open();
    await page.route("**/api/signing/**", (route) => route.abort("internetdisconnected"));
    await page.reload();
    await heading(page, "No hay conexión").waitFor();
    await screenshot(page, "screen-offline");
    await page.unroute("**/api/signing/**");
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.locator(".page.drawn").first().waitFor();
  });

  test("the signed document is offered as soon as it is sealed", async () => {
    signer.service.scenario.state.status = "signed";
    signer.service.scenario.sealed = false;
    const page = await signer.open();
    await page.getByText("Estamos preparando el documento firmado…").waitFor();
    await screenshot(page, "screen-sealing");
    expect(await page.getByRole("link").count()).toBe(0);
    signer.service.scenario.sealed = true;
    await page.getByRole("link", { name: "Descargar documento firmado" }).waitFor();
  });

  test("while others still have to sign, it says so instead of turning for ever", async () => {
    signer.service.scenario.state.status = "signed";
    signer.service.scenario.sealed = false;
    const page = await signer.open();
    await page.clock.install();
    await page.reload();
    await page.getByText("Estamos preparando").waitFor();
    await page.clock.fastForward(16_000);
    await page.getByText("Cuando hayan firmado todas las personas").waitFor();
    await screenshot(page, "screen-waiting-for-others");
  });

  test("names are text, whatever they contain", async () => {
    const evil = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>\u202Egnp.exe`;
    Object.assign(signer.service.scenario.state, {
      document_name: evil,
      business_name: evil,
      account_name: evil,
      signer: { name: evil, dni: evil },
      consent: { version: "1", text: evil },
    });
    const page = await signer.openRead();
    await screenshot(page, "screen-evil-names");
    expect(await heading(page, /./).textContent()).toBe(evil);
    expect(
      await page.locator("dt", { hasText: "Cuenta registrada" }).locator("xpath=following-sibling::dd").textContent(),
    ).toBe(evil);
    await toSignature(page);
    await drawSignature(page);
    await agree(page);
    await submit(page).click();
    await heading(page, /Listo/).waitFor();
    expect(await page.locator("img, #app script").count()).toBe(0);
    expect(await page.title()).not.toBe("owned");
    expect(await page.locator(".card-name").textContent()).toBe(evil);
  });
});

describeInBrowser("everybody can use it", (signer) => {
  const inSheet = async (page: Page, open: () => Promise<void>): Promise<string[]> => {
    await open();
    await page.getByRole("dialog").waitFor();
    return accessibilityFaults(page);
  };

  test.each([
    ["phone", phone],
    ["desktop", desktop],
  ])("axe finds nothing against WCAG 2.2 AA (%s)", async (_, device) => {
    const page = await signer.openRead(device);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await inSheet(page, () => toSignature(page))).toEqual([]);
    await page.getByText("Escribir", { exact: true }).click();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await inSheet(page, () => page.getByRole("button", { name: "Rechazar" }).click())).toEqual([]);
  });

  test("axe finds nothing where photos are taken", async () => {
    Object.assign(signer.service.scenario.state, { request_photos: true, can_sign: false });
    const page = await signer.openRead();
    expect(await inSheet(page, () => toSignature(page))).toEqual([]);
  });

  test("closing a sheet gives the focus back to the button that opened it", async () => {
    const page = await signer.openRead();
    await toSignature(page);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await expect.poll(() => page.locator("button:focus").textContent()).toBe("Firmar");
  });

  test("the document's words are there to be read out", async () => {
    const page = await signer.openRead();
    await expect
      .poll(() => page.getByRole("region", { name: "Página 1 de 3" }).textContent())
      .toContain("QUINTA. Queda prohibido ceder el contrato");
  });

  test("nothing is wider than the smallest phone", async () => {
    const page = await signer.openRead({ ...phone, viewport: { width: 320, height: 568 } });
    await screenshot(page, "small-1-review");
    const overflow = () => page.evaluate("document.documentElement.scrollWidth - innerWidth");
    expect(await overflow()).toBe(0);
    await toSignature(page);
    await screenshot(page, "small-2-sheet");
    expect(await overflow()).toBe(0);
    await drawSignature(page);
    await agree(page);
    await submit(page).click();
    await heading(page, /Listo/).waitFor();
    expect(await overflow()).toBe(0);
  });
});

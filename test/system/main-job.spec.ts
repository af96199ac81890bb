import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually, outputOf, repository, sampleSigner, temporaryFolder, toolsMissing } from "@rubrica/test-kit";
import { browserMissing, launchBrowser, phone as phoneScreen, screenshot, visit } from "@rubrica/test-kit/browser";
import { drawSignature } from "@rubrica/test-kit/signature-pad";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { linkFor, recorded, templateFor } from "../support/messages.ts";
import { serviceInProcess } from "../support/service.ts";

/** The PDF of the README's first request. */
const sample = readFileSync(join(repository, "packages", "pdf", "samples", "sample-contract.pdf"));
const missing = toolsMissing("pdfsig", "qpdf") || browserMissing !== null;

const shoot = (page: Page, name: string): Promise<void> => screenshot(page, `main-job-${name}`);

/** Signs in the browser as a person does: looks at the document, draws, agrees, signs, and waits to be told so. */
const signInBrowser = async (page: Page): Promise<void> => {
  await page.locator(".page.drawn").first().waitFor();
  await shoot(page, "1-document");
  await page.getByRole("button", { name: "Firmar", exact: true }).click();
  await page.getByRole("dialog").waitFor();
  await drawSignature(page);
  await page.getByLabel("Leí el documento").check();
  await shoot(page, "2-drawn");
  await page.getByRole("button", { name: "Firmar documento" }).click();
  await page.getByRole("heading", { name: /Listo/, level: 1 }).waitFor();
  await page.getByRole("link", { name: "Descargar documento firmado" }).waitFor();
  await shoot(page, "3-done");
};

test.skipIf(missing)(
  "a real PDF is requested, its signer reached, signs in a browser, and it comes back sealed",
  async () => {
    await using service = await serviceInProcess();
    const { client, url } = service;
    await using browser = await launchBrowser();
    const signer = sampleSigner(1, { name: "Łukasz Peña" });

    // Requested: the answer has exactly the contract's fields.
    const answer = await client.postDocument(sample, [signer], {
      document_name: "Lease agreement",
    });
    expect(answer.status).toBe(200);
    const { id_seguimiento, created_at, urls, ...rest } =
      answer.json<Awaited<ReturnType<typeof client.requestDocument>>>();
    expect(rest).toEqual({ has_queued_signers: false });
    expect(created_at).toBeTypeOf("number");
    const [link] = urls.map((entry) => entry.link);
    if (link === undefined) throw new Error("no link came back");
    expect(urls).toEqual([
      {
        link: expect.stringMatching(/^http:\/\/localhost:\d+\/s\/[\w-]{47}$/),
        name: "Łukasz Peña",
        dni: "30000001",
        contact: signer.phone,
        method: "wpp",
        id_custom: expect.stringMatching(/^[0-9a-f-]{36}$/),
        queued: false,
        queued_behind: null,
      },
    ]);

    // Reached: asked first, given the link when the signer goes on.
    const asked = await templateFor(client, signer.phone, "Lease agreement");
    expect(asked).toMatchObject({ to: signer.phone, link: null, buttons: ["continue", "no_continue"] });
    await recorded(client, id_seguimiento, "msg_delivered");
    await client.press(asked.id, "continue");
    await linkFor(client, signer.phone, link);
    await recorded(client, id_seguimiento, "signature_link_sent");
    expect(await client.status(id_seguimiento)).toEqual({ is_finished: false, signed_at: null });

    // Signed, on the page that the link opens.
    const signing = await visit(browser, link.replace("localhost", "127.0.0.1"), phoneScreen);
    await signInBrowser(signing.page);
    expect([...signing.faults, ...signing.foreign]).toEqual([]);
    await signing.leave();
    const status = await client.status(id_seguimiento);
    expect(status).toEqual({ is_finished: true, signed_at: expect.any(Number) });
    const idCustom = urls[0]?.id_custom ?? "";
    expect(await client.status(idCustom)).toEqual({ ...status, is_finished_mission: true });

    // Sealed: two validators that are none of ours take it.
    const pdf = await eventually("the sealed PDF", async () => {
      const file = await client.read(`/api/v2/documents/${id_seguimiento}`);
      return file.status === 200 && file;
    });
    expect(pdf.headers.get("content-type")).toBe("application/pdf");
    using folder = temporaryFolder();
    const path = join(folder.path, "signed.pdf");
    writeFileSync(path, pdf.bytes);
    const signatures = outputOf("pdfsig", "-nocert", path).text;
    expect(signatures.match(/Signature #\d+:/g)).toHaveLength(1);
    expect(signatures).toContain("Signature Validation: Signature is Valid.");
    expect(signatures).toContain("Total document signed");
    expect(signatures).toContain("ETSI.CAdES.detached");
    expect(outputOf("qpdf", "--check", path)).toMatchObject({ code: 0 });

    // Told, in order, by the contract's names.
    expect(await client.eventNames(id_seguimiento)).toEqual([
      "msg_delivered",
      "template_response",
      "signature_link_sent",
      "document_signed",
    ]);

    const simulator = await visit(browser, `${url}/simulator#key=${service.service.keys.simulator}`, phoneScreen);
    await simulator.page.getByText("Łukasz Peña").first().click();
    await simulator.page.getByRole("link", { name: "Leer y firmar" }).waitFor();
    const copy = simulator.page.getByRole("link", { name: "Ver copia firmada" });
    expect(await copy.getAttribute("href")).toBe(link);
    // The README shows this picture, with all that the phone was sent.
    await copy.scrollIntoViewIfNeeded();
    await shoot(simulator.page, "4-simulator");
    expect([...simulator.faults, ...simulator.foreign]).toEqual([]);
    const landing = await visit(browser, `${url}/`, phoneScreen);
    await landing.page.getByText("Keys are not shown here").waitFor();
    await shoot(landing.page, "5-landing");
    expect([...landing.faults, ...landing.foreign]).toEqual([]);
  },
);

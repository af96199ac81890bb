import { browserMissing, desktop, launchBrowser, visit } from "@rubrica/test-kit/browser";
import { expect, test } from "vitest";
import { serviceInProcess } from "../support/service.ts";

test.skipIf(browserMissing)("the reference shows each webhook, with what is sent and how it is signed", async () => {
  await using service = await serviceInProcess();
  const browser = await launchBrowser();
  try {
    const { page, faults, foreign } = await visit(browser, `${service.url}/reference`, desktop);
    for (const name of ["alert", "report", "msg", "rejection"]) {
      await page
        .getByRole("button", { name: new RegExp(`POST.*${name}`, "is") })
        .first()
        .waitFor();
    }
    await page.locator("#webhooks .opblock, .webhooks .opblock").filter({ hasText: "rejection" }).first().click();
    await page.getByText("webhook-signature", { exact: false }).first().waitFor();
    await page.getByText("rejection_reason", { exact: false }).first().waitFor();
    expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
  } finally {
    await browser.close();
  }
});

import { browserMissing, screenshot as keep, launchBrowser, phone, type Visit, visit } from "@rubrica/test-kit/browser";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "vitest";
import { type FakeServer, type FakeService, fakeServer, type SignBody } from "./fake-api.ts";
import { samplePdf } from "./sample-pdf.ts";

if (browserMissing !== null) console.warn(`skipped: ${browserMissing}`);

/** Keeps what the page looks like, for people to look at. */
export const screenshot = (page: Page, name: string): Promise<void> => keep(page, `signing-${name}`);

/** What each test has: a service of its own, and browsers to visit it with. */
export interface SigningPage {
  readonly service: FakeService;
  open(device?: BrowserContextOptions): Promise<Page>;
  /** Opens the link and waits until the first page of the document is to be seen. */
  openRead(device?: BrowserContextOptions): Promise<Page>;
  /** Lets the page's console have errors that contain this text, in the current test. */
  tolerate(text: string): void;
  /** The body of the one signature that was posted. */
  signBody(): SignBody;
}

/**
 * A suite in a real browser. After each test, no script may have failed, the content security policy may have stopped
 * nothing, and no other origin may have been asked for anything.
 */
export const describeInBrowser = (name: string, suite: (signer: SigningPage) => void): void => {
  describe.skipIf(browserMissing !== null)(name, () => {
    let browser: Browser;
    let server: FakeServer;
    let service: FakeService;
    let visits: Visit[] = [];
    let tolerated: string[] = [];

    beforeAll(async () => {
      browser = await launchBrowser();
      server = await fakeServer();
    });
    afterAll(async () => {
      await browser?.close();
      await server?.[Symbol.asyncDispose]();
    });
    beforeEach(async () => {
      service = server.serve(await samplePdf());
    });
    afterEach(async () => {
      const faults = visits.flatMap((each) => [...each.faults, ...each.foreign]);
      await Promise.all(visits.map((each) => each.leave()));
      const unexpected = faults.filter((fault) => !tolerated.some((text) => fault.includes(text)));
      visits = [];
      tolerated = [];
      expect(unexpected).toEqual([]);
    });

    const open = async (device: BrowserContextOptions = phone): Promise<Page> => {
      const opened = await visit(browser, service.link, device);
      visits.push(opened);
      return opened.page;
    };
    suite({
      get service() {
        return service;
      },
      open,
      openRead: async (device) => {
        const page = await open(device);
        await page.locator(".page.drawn").first().waitFor();
        return page;
      },
      tolerate: (text) => {
        tolerated.push(text);
      },
      signBody: () => {
        const bodies = service.requests.filter(({ operation }) => operation === "sign").map(({ body }) => body);
        expect(bodies).toHaveLength(1);
        return bodies[0] as SignBody;
      },
    });
  });
};

/** From the document to the signature's sheet. */
export const toSignature = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: "Firmar", exact: true }).click();
  await page.getByRole("dialog").waitFor();
};

export const agree = (page: Page): Promise<void> => page.getByLabel("Leí el documento").check();

export const submit = (page: Page) => page.getByRole("button", { name: "Firmar documento" });

export const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { name, level: 1 });

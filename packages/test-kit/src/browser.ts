import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { HANGING_MS } from "./polling.ts";
import { pathOf, toolsMissing } from "./tools.ts";

const executablePath = process.env.CHROMIUM ?? pathOf("chromium") ?? "chromium";
const screenshotFolder = join(import.meta.dirname, "..", "..", "..", "artifacts", "screenshots");

/** Why the browser's tests do not run here; null when they do. */
export const browserMissing = toolsMissing(executablePath) ? "no Chromium in the path (name one by CHROMIUM)" : null;

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath,
    timeout: HANGING_MS,
    // In another locale than one of UTF-8, as a bare environment has, it gives downloads no name of their own.
    env: { ...process.env, LANG: "C.UTF-8", LC_ALL: "C.UTF-8" },
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });

/** A phone as signers have them: the size of an iPhone 14, touch, three device pixels to a CSS pixel. */
export const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 760 },
  deviceScaleFactor: 3,
  isMobile: true,
  hasTouch: true,
  locale: "es-UY",
  timezoneId: "America/Montevideo",
  // So that nothing is looked at while it moves.
  reducedMotion: "reduce",
};
export const desktop: BrowserContextOptions = {
  ...phone,
  viewport: { width: 1280, height: 800 },
  deviceScaleFactor: 1,
  isMobile: false,
  hasTouch: false,
};

export interface Visit {
  page: Page;
  /** Errors of the page's console: scripts that threw, and what the content security policy stopped. */
  faults: string[];
  /** Requests to any other origin. */
  foreign: string[];
  leave(): Promise<void>;
}

/** A page of a fresh browser profile. The library gives up what takes 30 s, as it may beside others: here it has its time. */
export const openPage = async (browser: Browser, options: BrowserContextOptions = {}): Promise<Page> => {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(HANGING_MS);
  return context.newPage();
};

/** Opens a link in a fresh browser profile. */
export const visit = async (browser: Browser, url: string, device: BrowserContextOptions): Promise<Visit> => {
  const page = await openPage(browser, { ...device, acceptDownloads: true });
  const faults: string[] = [];
  const foreign: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    // A status other than 2xx is logged by the browser itself.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      faults.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(new URL(url).origin) && !request.url().startsWith("blob:"))
      foreign.push(request.url());
  });
  await page.goto(url);
  return { page, faults, foreign, leave: () => page.context().close() };
};

/** Keeps what the page looks like, as `artifacts/screenshots/{name}.png`, for people to look at. */
export const screenshot = async (page: Page, name: string, { fullPage = false } = {}): Promise<void> => {
  mkdirSync(screenshotFolder, { recursive: true });
  await page.screenshot({ path: join(screenshotFolder, `${name}.png`), fullPage, animations: "disabled" });
};

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds against WCAG 2.2 AA on the page as it is now: one line for each rule and element. */
export const accessibilityFaults = async (page: Page): Promise<string[]> => {
  await page.evaluate(axeSource);
  const found =
    await page.evaluate(`axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html, failureSummary].join(": "))))`);
  return found as string[];
};

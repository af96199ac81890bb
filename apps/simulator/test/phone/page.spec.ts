import { systemRuntime } from "@rubrica/runtime";
import { browserMissing, launchBrowser, openPage as openPageOf } from "@rubrica/test-kit/browser";
import { link, template } from "@rubrica/test-kit/messaging/contract";
import Fastify, { type FastifyInstance } from "fastify";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { simulatorRoutes } from "../../src/phone/routes.ts";
import { type MessagingSimulator, openMessagingSimulator } from "../../src/phone/simulator.ts";
import { Notices } from "./notices.ts";

const KEY = "a key/of the simulator+";

if (browserMissing !== null) console.warn(`skipped: ${browserMissing}`);

describe.skipIf(browserMissing !== null)("the phone in the browser", () => {
  let browser: Browser;
  let simulator: MessagingSimulator;
  let app: FastifyInstance;
  let address: string;
  let notices: Notices;
  let complaints: string[];

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  beforeEach(async () => {
    notices = new Notices();
    complaints = [];
    simulator = openMessagingSimulator({
      path: ":memory:",
      keys: [Buffer.alloc(32, 1)],
      runtime: systemRuntime(),
      onNotice: notices.take,
    });
    app = Fastify();
    app.get("/s/token", async (_request, reply) => reply.type("text/html").send("<h1>signing page</h1>"));
    await app.register(simulatorRoutes(simulator, { key: KEY }));
    address = await app.listen({ port: 0, host: "127.0.0.1" });
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    await app.close();
    await simulator.close();
    expect(complaints).toEqual([]);
  });

  const openPage = async (width: number, height: number): Promise<Page> => {
    const page = await openPageOf(browser, { viewport: { width, height } });
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(`${address}/simulator#key=${encodeURIComponent(KEY)}`);
    return page;
  };

  test("a message appears by itself, a button answers it, and the link opens the signing page in a new tab", async () => {
    const page = await openPage(1280, 900);
    await page.getByText("No messages yet").waitFor();
    const { providerMessageId } = await simulator.sendTemplate(template);
    await page.getByRole("log").getByText("Inmobiliaria del Sur").waitFor();
    await notices.first(({ kind }) => kind === "read");

    await page.getByRole("log").getByRole("button", { name: "Continuar", exact: true }).click();
    const notice = await notices.first(({ kind }) => kind === "answered");
    expect(notice).toMatchObject({ providerMessageId, answer: "continue" });
    await page.locator(".mine", { hasText: "Continuar" }).locator(".heard").waitFor();
    expect(await page.getByRole("button", { name: "Continuar", exact: true }).isDisabled()).toBe(true);

    await simulator.sendLink({ ...link, link: `${address}/s/token` });
    const opening = page.context().waitForEvent("page");
    await page.getByRole("link", { name: "Leer y firmar" }).click();
    const signing = await opening;
    await signing.getByRole("heading", { name: "signing page" }).waitFor();
    expect(await signing.evaluate("window.opener")).toBeNull();
  });

  test("that a message counts as read does not draw it anew: nothing is taken from under a finger", async () => {
    const page = await openPage(1280, 900);
    await page.getByText("No messages yet").waitFor();
    await page.evaluate(`
      globalThis.counted = new Promise((resolve) => {
        new MutationObserver(() => {
          const button = document.querySelector(".message .action");
          if (!button) return;
          globalThis.first ??= button;
          if (globalThis.wasUnread && !document.querySelector(".badge")) resolve(globalThis.first === button);
          globalThis.wasUnread ||= document.querySelector(".badge") !== null;
        }).observe(document.body, { childList: true, subtree: true });
      });
      undefined;
    `);
    await simulator.sendTemplate(template);
    expect(await page.evaluate("globalThis.counted")).toBe(true);
  });

  test("the key leaves the address, is kept over a reload of the tab, and goes to nobody but by its header", async () => {
    await simulator.sendTemplate(template);
    const page = await openPageOf(browser);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`${address}/simulator#key=${encodeURIComponent(KEY)}`);
    await page.getByRole("button", { name: /María José/ }).waitFor();
    expect(page.url()).toBe(`${address}/simulator`);
    await page.reload();
    await page.getByRole("button", { name: /María José/ }).waitFor();
    expect(asked.filter((url) => new URL(url).pathname.includes("key") || new URL(url).search !== "")).toEqual([]);
  });

  test("without a key, or with another's, the page says what to do, and opens as soon as it is given", async () => {
    await simulator.sendTemplate(template);
    const page = await openPageOf(browser);
    await page.goto(`${address}/simulator`);
    await page.getByText("open the address that the service printed").waitFor();
    await page.goto(`${address}/simulator#key=wrong`);
    await page.waitForFunction("location.hash === ''");
    await page.getByText("open the address that the service printed").waitFor();
    expect(await page.locator("#desk").isVisible()).toBe(false);
    await page.goto(`${address}/simulator#key=${encodeURIComponent(KEY)}`);
    await page.getByRole("button", { name: /María José/ }).waitFor();
    expect(await page.getByText("open the address that the service printed").isVisible()).toBe(false);
  });

  const edgesOf = async (page: Page, part: string) => {
    const box = await page.locator(part).boundingBox();
    if (!box) throw new Error(`${part} is not shown`);
    return { top: box.y, bottom: box.y + box.height };
  };

  test.each([
    ["a phone's", 390, 844],
    ["a desktop's", 1280, 900],
  ])(
    "on %s width one message does not shrink the chat: it has all that head and foot leave",
    async (_whose, width, height) => {
      await simulator.sendTemplate(template);
      const page = await openPage(width, height);
      await page.evaluate(`location.hash = "${template.to}"`);
      await page.getByRole("log").getByText("Inmobiliaria del Sur").waitFor();
      const [head, chat, foot, device] = await Promise.all(
        [".chat-head", "#chat", "#foot", "#device"].map((part) => edgesOf(page, part)),
      );
      expect(chat).toEqual({ top: head?.bottom, bottom: foot?.top });
      const frame = width === 390 ? 0 : 11;
      expect(foot?.bottom).toBe((device?.bottom ?? 0) - frame);
      expect((foot?.bottom ?? 0) - (foot?.top ?? 0)).toBeLessThan(64);
    },
  );

  test("on a phone's width the chat fills the screen, and one goes back to the list", async () => {
    await simulator.sendTemplate(template);
    const page = await openPage(390, 844);
    await page.getByRole("button", { name: /María José/ }).click();
    await page.getByRole("log").getByText("Inmobiliaria del Sur").waitFor();
    expect(await page.locator("#device").boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 844 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await page.getByRole("button", { name: "Back to the phones" }).click();
    await page.getByRole("heading", { name: "Phone simulator" }).waitFor();
    expect(await page.locator("#device").isVisible()).toBe(false);
  });

  test("what people wrote is shown as they wrote it, and never runs", async () => {
    const hostile = `<img src=x onerror=alert(1)> <script>alert(2)</script> "'&`;
    await simulator.sendTemplate({ ...template, signerName: hostile, businessName: hostile, documentName: hostile });
    await simulator.sendLink({ ...link, signerName: hostile, link: "javascript:alert(3)" });
    const page = await openPage(1280, 900);
    await page.getByRole("log").getByText(hostile).first().waitFor();
    await page.locator(".phone-name", { hasText: hostile }).waitFor();
    await page.getByRole("log").getByText("Este es su enlace").waitFor();
    expect(await page.locator("img, [href^=javascript]").count()).toBe(0);
    expect(await page.locator("script").count()).toBe(1);
  });

  test("a phone is switched off and on", async () => {
    await simulator.sendTemplate(template);
    const page = await openPage(1280, 900);
    const reachable = page.getByRole("switch", { name: "Reachable" });
    await reachable.click();
    await page.getByText("This phone is off").waitFor();
    await simulator.sendTemplate(template);
    await notices.first(({ kind }) => kind === "failed");
    await page.getByText("1 message could not be delivered").waitFor();
    await reachable.click();
    await page.getByText("Answer with the buttons").waitFor();
    expect(await reachable.getAttribute("aria-checked")).toBe("true");
  });

  test("a message that arrives does not move the keyboard to another button", async () => {
    const { providerMessageId } = await simulator.sendTemplate(template);
    const page = await openPage(1280, 900);
    await page.locator(`[data-id="${providerMessageId}"] [data-button=no_continue]`).focus();
    await simulator.sendTemplate({ ...template, documentName: "Anexo" });
    await page.getByRole("log").getByText("Anexo").waitFor();
    expect(await page.evaluate("document.activeElement.dataset.button")).toBe("no_continue");
  });

  test("who uses a keyboard stays at the message that was answered", async () => {
    await simulator.sendTemplate(template);
    const page = await openPage(1280, 900);
    await page.getByRole("button", { name: "No continuar" }).focus();
    await page.keyboard.press("Enter");
    await page.locator(".mine", { hasText: "No continuar" }).waitFor();
    const focused = "document.activeElement.textContent";
    await page.waitForFunction(`${focused} === "Continuar"`);
    expect(await page.evaluate(focused)).toBe("Continuar");
  });
});

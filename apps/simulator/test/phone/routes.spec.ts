import { testRuntime } from "@rubrica/runtime/testing";
import { link, template } from "@rubrica/test-kit/messaging/contract";
import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { simulatorRoutes } from "../../src/phone/routes.ts";
import { type MessagingSimulator, openMessagingSimulator } from "../../src/phone/simulator.ts";
import { Notices } from "./notices.ts";

const KEY = "a key of the simulator";

let simulator: MessagingSimulator;
let app: FastifyInstance;
let notices: Notices;

beforeEach(async () => {
  notices = new Notices();
  simulator = openMessagingSimulator({
    path: ":memory:",
    keys: [Buffer.alloc(32, 1)],
    runtime: testRuntime(1, Date.UTC(2026, 4, 1, 12)),
    onNotice: notices.take,
  });
  app = Fastify();
  await app.register(simulatorRoutes(simulator, { key: KEY }));
});
afterEach(async () => {
  await app.close();
  await simulator.close();
});

const headers = { "x-simulator-key": KEY };
const get = (url: string) => app.inject({ method: "GET", url, headers });
const post = (url: string, payload: object) => app.inject({ method: "POST", url, payload, headers });

test("every route but the page's own wants the key, before it looks at anything else", async () => {
  const routes: string[] = [];
  const listed = Fastify();
  listed.addHook("onRoute", ({ method, url }) => void routes.push(`${method} ${url}`));
  await listed.register(simulatorRoutes(simulator, { key: KEY }));
  const { providerMessageId: id } = await simulator.sendTemplate(template);
  const guarded = routes.filter((route) => !["GET /simulator", "HEAD /simulator"].includes(route));
  expect(guarded.length).toBeGreaterThan(6);
  for (const route of guarded) {
    const [method = "", path = ""] = route.split(" ");
    const url = path.replace(":id", id).replace(":phone", template.to);
    for (const given of [{}, { "x-simulator-key": "" }, { "x-simulator-key": `${KEY} ` }, { "x-api-key": KEY }]) {
      const body =
        method === "POST"
          ? { payload: "{broken", headers: { ...given, "content-type": "application/json" } }
          : { headers: given };
      const answer = await app.inject({ method: method as "GET", url, ...body });
      expect([route, answer.statusCode]).toEqual([route, 401]);
      expect(answer.body).not.toContain(template.to);
    }
  }
  expect(notices.kinds()).not.toContain("answered");
  expect((await app.inject("/simulator")).statusCode).toBe(200);
});

describe("GET /simulator/messages", () => {
  test("each message has exactly the designed fields, in the order of sending", async () => {
    const first = await simulator.sendTemplate(template);
    const second = await simulator.sendLink(link);
    const answer = await get(`/simulator/messages?phone=${template.to}`);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual([
      {
        id: first.providerMessageId,
        to: "5491123456789",
        at: "2026-05-01T12:00:00.000Z",
        text: expect.stringContaining("Inmobiliaria del Sur"),
        buttons: ["continue", "no_continue"],
        link: null,
      },
      {
        id: second.providerMessageId,
        to: "5491123456789",
        at: "2026-05-01T12:00:00.000Z",
        text: expect.stringContaining("Contrato de alquiler"),
        buttons: [],
        link: link.link,
      },
    ]);
  });

  test("a phone may be written as people write it; without one all are there", async () => {
    await simulator.sendTemplate(template);
    await simulator.sendTemplate({ ...template, to: "59899123456" });
    expect((await get("/simulator/messages?phone=%2B54%209%20(11)%202345-6789")).json()).toHaveLength(1);
    expect((await get("/simulator/messages")).json()).toHaveLength(2);
  });

  test.each(["abc", "1", "", "1&phone=2"])("what is no phone (%j) is a 400", async (phone) => {
    const answer = await get(`/simulator/messages?phone=${phone}`);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ error: "Missing data or error information", details: [{ path: "phone" }] });
  });
});

describe("POST /simulator/messages/{id}/reply", () => {
  test("presses a button", async () => {
    const { providerMessageId: id } = await simulator.sendTemplate(template);
    const answer = await post(`/simulator/messages/${id}/reply`, { button: "no_continue" });
    expect([answer.statusCode, answer.json()]).toEqual([200, { id, button: "no_continue" }]);
    await notices.first((notice) => notice.kind === "answered" && notice.answer === "no_continue");
  });

  test("an unknown message is a 404, a link's message or an unknown button a 400, without any notice", async () => {
    const { providerMessageId: id } = await simulator.sendLink(link);
    expect((await post("/simulator/messages/sim.unknown/reply", { button: "continue" })).statusCode).toBe(404);
    expect((await post(`/simulator/messages/${id}/reply`, { button: "continue" })).statusCode).toBe(400);
    expect((await post(`/simulator/messages/${id}/reply`, { button: "maybe" })).statusCode).toBe(400);
    expect((await app.inject({ method: "POST", url: `/simulator/messages/${id}/reply`, headers })).statusCode).toBe(
      400,
    );
    expect(notices.kinds()).not.toContain("answered");
  });
});

describe("POST /simulator/phones/{phone}", () => {
  test("makes delivery to it fail, until it is reachable again", async () => {
    const off = await post("/simulator/phones/5491123456789", { reachable: false });
    expect([off.statusCode, off.json()]).toEqual([200, { phone: "5491123456789", reachable: false }]);
    await simulator.sendTemplate(template);
    await notices.first(({ kind }) => kind === "failed");
    expect((await get("/simulator/messages")).json()).toEqual([]);
    await post("/simulator/phones/5491123456789", { reachable: true });
    await simulator.sendTemplate(template);
    await notices.first(({ kind }) => kind === "delivered");
  });

  test("what is no phone, or no boolean, is a 400", async () => {
    expect((await post("/simulator/phones/nobody", { reachable: false })).statusCode).toBe(400);
    expect((await post("/simulator/phones/5491123456789", { reachable: "no" })).statusCode).toBe(400);
  });
});

describe("GET /simulator", () => {
  test("is one page that its policy keeps from loading anything else", async () => {
    const answer = await get("/simulator");
    const policy = String(answer.headers["content-security-policy"]);
    expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    expect(answer.body).not.toMatch(/\b(src|href)="(?!data:,")/);
  });

  test("open streams of changes do not keep the server from closing", async () => {
    const address = await app.listen({ port: 0, host: "127.0.0.1" });
    const stream = await fetch(`${address}/simulator/changes`, { headers });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toContain("data: changed");
    await simulator.sendTemplate(template);
    expect((await reader?.read())?.value).toContain("data: changed");
    const closing = app.close();
    while (!(await reader?.read())?.done);
    await closing;
  });
});

import { createHmac } from "node:crypto";
import { type Notice, noticesIdOf, sample, streamName } from "@rubrica/events";
import { isoTime } from "@rubrica/runtime";
import { callOf, pressedValue, statusValue } from "@rubrica/test-kit/whatsapp-double";
import { beforeEach, describe, expect, test } from "vitest";
import { type World, type WorldOptions, world } from "../world.ts";

const URL = "/inbound/whatsapp";
const PHONE = "5491122334455";
const sender = { phoneNumberId: "106540352242922", businessAccountId: "102290129340398" };
const SECRET = "secret-of-the-app-0123456789";
const FORMER = "former-secret-of-the-app-0123";
const whatsapp: NonNullable<WorldOptions["whatsapp"]> = {
  phoneNumberId: sender.phoneNumberId,
  appSecrets: [SECRET, FORMER],
  verifyToken: "shown-when-subscribing",
  idOf: (wamid) => `wa.${createHmac("sha256", "k").update(wamid).digest("hex")}`,
};
const ownId = `${sample.documentId}:send-template:${sample.signerId}`;
const wamid = `wamid.${Buffer.from(PHONE).toString("base64")}`;
const at = 1_795_273_440;
const status = { wamid, at, waId: PHONE, opaque: `rubrica/${ownId}` };

let app: World;
beforeEach(async () => {
  app = await world({ whatsapp });
});

const signature = (payload: string | Buffer, secret = SECRET) =>
  `sha256=${createHmac("sha256", secret).update(payload).digest("hex")}`;

const post = (payload: string | Buffer, headers: Record<string, string> = {}, to: World = app) =>
  to.app.inject({
    method: "POST",
    url: URL,
    headers: { "content-type": "application/json", "x-hub-signature-256": signature(payload), ...headers },
    payload,
  });

const call = (...values: object[]) => JSON.stringify(callOf(sender, values));

const named = { providerMessageId: whatsapp.idOf(wamid), messageId: ownId, at: isoTime(at * 1_000) };
const kept = (notices: readonly Notice[]) => app.eventsOf(streamName("notices", noticesIdOf(notices)));

describe("Meta's challenge", () => {
  const ask = (query: Record<string, string>, to: World = app) =>
    to.app.inject({ url: `${URL}?${new URLSearchParams(query)}` });
  const good = { "hub.mode": "subscribe", "hub.verify_token": "shown-when-subscribing", "hub.challenge": "1158201444" };

  test("is answered to who shows the token", async () => {
    const answer = await ask(good);
    expect([answer.statusCode, answer.body]).toEqual([200, "1158201444"]);
    expect(answer.headers["content-type"]).toMatch(/^text\/plain/);
  });

  test.each([
    ["another token", { ...good, "hub.verify_token": "another" }],
    ["no token", { "hub.mode": "subscribe", "hub.challenge": "1" }],
    ["another mode", { ...good, "hub.mode": "unsubscribe" }],
    ["a challenge that is markup", { ...good, "hub.challenge": "<script>" }],
  ])("is refused for %s", async (_what, query: Record<string, string>) => {
    expect((await ask(query)).statusCode).toBe(403);
  });

  test("is refused where signers are not reached by WhatsApp", async () => {
    expect((await ask(good, await world())).statusCode).toBe(403);
  });
});

describe("what Meta tells", () => {
  test("is kept before it is answered, in one event that names nobody", async () => {
    const payload = callOf(sender, [
      statusValue(status, "sent"),
      statusValue(status, { failed: { code: 131026, title: "Message undeliverable" } }),
      pressedValue(
        { wamid: "wamid.of-the-answer", at, waId: PHONE, from: "15550783881" },
        { wamid, payload: `rubrica/continue/${ownId}`, label: "Continuar" },
      ),
    ]);
    const answer = await post(JSON.stringify(payload));
    expect([answer.statusCode, answer.json()]).toEqual([200, { received: 3 }]);
    const notices: Notice[] = [
      { kind: "sent", ...named },
      { kind: "failed", ...named, reason: "unreachable", permanent: true },
      { kind: "answered", answer: "continue", ...named },
    ];
    const events = await kept(notices);
    expect(events).toMatchObject([{ type: "NoticesReceived", data: { notices }, personal: null }]);
    const stored = JSON.stringify(events.map(({ data, personal }) => ({ data, personal })));
    for (const secret of [PHONE, wamid, Buffer.from(PHONE).toString("base64"), "Ana Paz"]) {
      expect([stored.includes(secret), app.log().includes(secret)]).toEqual([false, false]);
    }
  });

  test("again is kept once", async () => {
    const payload = call(statusValue(status, "delivered"));
    expect([(await post(payload)).statusCode, (await post(payload)).statusCode]).toEqual([200, 200]);
    expect(await kept([{ kind: "delivered", ...named }])).toHaveLength(1);
  });

  test("in one call of more than a hundred is kept by hundreds", async () => {
    const values = Array.from({ length: 130 }, (_, index) => statusValue({ ...status, at: at + index }, "read"));
    expect((await post(call(...values))).json()).toEqual({ received: 130 });
    const notices = values.map((_, index): Notice => ({ kind: "read", ...named, at: isoTime((at + index) * 1_000) }));
    expect(await kept(notices.slice(0, 100))).toHaveLength(1);
    expect(await kept(notices.slice(100))).toHaveLength(1);
  });

  test("is taken by the app's former secret too", async () => {
    const payload = call(statusValue(status, "sent"));
    expect((await post(payload, { "x-hub-signature-256": signature(payload, FORMER) })).statusCode).toBe(200);
  });

  test("is signed over its bytes, escapes and all", async () => {
    const payload = call(statusValue(status, "sent")).replace("rubrica/", "\\u0072ubrica\\/");
    expect(payload).toContain("\\u0072");
    expect((await post(payload)).json()).toEqual({ received: 1 });
  });

  test.each([
    ["another secret", (payload: string) => signature(payload, "another")],
    ["another body", () => signature("{}")],
    ["no signature", () => ""],
    ["half a signature", (payload: string) => signature(payload).slice(0, 40)],
    ["the older algorithm", () => `sha1=${"a".repeat(40)}`],
  ])("is refused with %s, and nothing is kept", async (_what, sign) => {
    const payload = call(statusValue(status, "sent"));
    const answer = await post(payload, { "x-hub-signature-256": sign(payload) });
    expect([answer.statusCode, answer.json()]).toEqual([401, { error: "Unauthorized" }]);
    expect(await kept([{ kind: "sent", ...named }])).toEqual([]);
  });

  test("is refused whole when it was cut", async () => {
    const payload = call(statusValue(status, "sent")).slice(0, -10);
    expect((await post(payload)).statusCode).toBe(400);
  });

  test("is refused when it is larger than Meta's are, and where signers are not reached by WhatsApp", async () => {
    expect((await post(Buffer.alloc(3_145_729, " "))).statusCode).toBe(413);
    expect((await post(call(statusValue(status, "sent")), {}, await world())).statusCode).toBe(401);
  });

  test("by a stranger is counted by the address", async () => {
    const limited = await world({ whatsapp, rates: { perAddress: 2 } });
    const statuses = [];
    for (let time = 0; time < 4; time++)
      statuses.push((await post("{}", { "x-hub-signature-256": "" }, limited)).statusCode);
    expect(statuses).toEqual([401, 401, 429, 429]);
    expect((await post(call(statusValue(status, "sent")), {}, limited)).statusCode).toBe(200);
  });

  test.each([
    ["another sender's", callOf({ ...sender, phoneNumberId: "1" }, [statusValue(status, "sent")])],
    ["another system's", callOf(sender, [statusValue({ ...status, opaque: "crm/17" }, "sent")])],
    ["of another kind", { object: "whatsapp_business_account", entry: [{ changes: [{ field: "flows", value: {} }] }] }],
    ["of another product", { object: "page", entry: [] }],
    ["a kind of status that is not known", callOf(sender, [{ statuses: [{ id: wamid, status: "played" }] }])],
    ["no object", 17],
  ])("is answered, and left out, when it is %s", async (_what, body) => {
    const answer = await post(JSON.stringify(body));
    expect([answer.statusCode, answer.json()]).toEqual([200, { received: 0 }]);
  });

  test("is taken without any number: names may stand in their place", async () => {
    const nobody = { ...status, waId: null };
    const payload = callOf(sender, [
      statusValue(nobody, "delivered"),
      pressedValue(
        { wamid: "wamid.of-the-answer", at, waId: null, from: "15550783881" },
        { wamid, payload: `rubrica/no_continue/${ownId}`, label: "No continuar" },
      ),
    ]);
    expect((await post(JSON.stringify(payload))).json()).toEqual({ received: 2 });
  });
});

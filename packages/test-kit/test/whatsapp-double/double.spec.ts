import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { ManualClock } from "@rubrica/runtime/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../../src/index.ts";
import { startWhatsAppDouble, type WhatsAppDouble, waIdOf } from "../../src/whatsapp-double/index.ts";

const PHONE = "5491122334455";
const DAY_MS = 86_400_000;
const submission = {
  name: "ask",
  language: "es",
  category: "UTILITY",
  components: [
    { type: "BODY", text: "Hola {{1}}, tiene para firmar {{2}} desde hoy.", example: { body_text: [["Ana", "x"]] } },
    {
      type: "BUTTONS",
      buttons: [
        { type: "QUICK_REPLY", text: "Sí" },
        { type: "URL", text: "Leer", url: "https://a.example/s/{{1}}", example: ["https://a.example/s/x"] },
      ],
    },
  ],
};
const body = (...values: string[]) => ({ type: "body", parameters: values.map((text) => ({ type: "text", text })) });
const url = { type: "button", sub_type: "url", index: "1", parameters: [{ type: "text", text: "token" }] };
const quickReply = (payload: string, index = "0") => ({
  type: "button",
  sub_type: "quick_reply",
  index,
  parameters: [{ type: "payload", payload }],
});
const text = { messaging_product: "whatsapp", to: PHONE, type: "text", text: { body: "hola" } };
const asking = (components: object[] = [body("Ana", "el contrato"), quickReply("p"), url], name = "ask") => ({
  messaging_product: "whatsapp",
  to: PHONE,
  type: "template",
  template: { name, language: { code: "es" }, components },
});

let clock: ManualClock;
let double: WhatsAppDouble;
beforeEach(async () => {
  clock = new ManualClock(Date.parse("2026-11-21T15:04:05.000Z"));
  double = await startWhatsAppDouble({ clock, pairBurst: 3, perSecond: 5 });
  double.approve(submission);
});
afterEach(async () => double[Symbol.asyncDispose]());

const post = async (message: unknown, path = `${double.phoneNumberId}/messages`, token = double.token) => {
  const answer = await fetch(`${double.url}/v26.0/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: typeof message === "string" ? message : JSON.stringify(message),
  });
  const json = (await answer.json()) as {
    error?: { code: number; error_subcode?: number };
    messages?: { id: string }[];
  };
  return { status: answer.status, code: json.error?.code, id: json.messages?.[0]?.id ?? "" };
};

describe("a message", () => {
  test("is taken, and shown as the phone shows it", async () => {
    expect((await post(asking())).status).toBe(200);
    expect(double.taken).toMatchObject([
      {
        to: PHONE,
        text: "Hola Ana, tiene para firmar el contrato desde hoy.",
        buttons: [
          { label: "Sí", payload: "p" },
          { label: "Leer", url: "https://a.example/s/token" },
        ],
      },
    ]);
  });

  test.each([
    ["an unknown field", { ...asking(), color: "red" }, 400, 100],
    ["an unknown field deep inside", { ...text, text: { body: "x", bold: true } }, 400, 100],
    ["no product", { ...text, messaging_product: undefined }, 400, 131008],
    ["another product", { ...text, messaging_product: "sms" }, 400, 100],
    ["an unknown type", { ...text, type: "hologram" }, 400, 131051],
    ["no phone", { ...text, to: "12ab" }, 400, 131009],
    ["a text that is too long", { ...text, text: { body: "x".repeat(4_097) } }, 400, 100],
    ["an opaque word that is too long", { ...text, biz_opaque_callback_data: "x".repeat(513) }, 400, 100],
    ["a payload that is too long", asking([body("a", "b"), quickReply("x".repeat(129)), url]), 400, 100],
    ["an unknown template", asking([], "other"), 404, 132001],
    ["too few values", asking([body("Ana"), url]), 400, 132000],
    ["too many values", asking([body("Ana", "b", "c"), url]), 400, 132000],
    ["a value with a line break", asking([body("Ana", "a\nb"), url]), 400, 132018],
    ["a value with five spaces", asking([body("Ana", "a     b"), url]), 400, 132018],
    ["an empty value", asking([body("Ana", ""), url]), 400, 131008],
    ["a text that gets too long", asking([body("Ana", "x".repeat(1_000)), url]), 400, 132005],
    ["a link without its end", asking([body("Ana", "b")]), 400, 131008],
    ["a quick reply where the link is", asking([body("Ana", "b"), quickReply("p", "1")]), 400, 132012],
    ["a button that there is not", asking([body("Ana", "b"), url, quickReply("p", "4")]), 400, 132012],
    ["no JSON", "{broken", 400, 100],
  ])("is refused with %s", async (_what, message, status, code) => {
    expect(await post(message)).toMatchObject({ status, code });
    expect(double.taken).toEqual([]);
  });

  test("is refused with another token, and for another sender", async () => {
    expect(await post(text, undefined, "another")).toMatchObject({ status: 401, code: 190 });
    expect(await post(text, "17/messages")).toMatchObject({ status: 400, code: 100 });
  });

  test("is refused when too many go to one phone, one in six seconds after that, or to all", async () => {
    const codes = async (count: number, to = PHONE) => {
      const found = [];
      for (let time = 0; time < count; time++) found.push((await post({ ...text, to })).code);
      return found;
    };
    expect(await codes(4)).toEqual([undefined, undefined, undefined, 131056]);
    expect(await codes(3, "5491199999999")).toEqual([undefined, undefined, 130429]);
    clock.advance(6_000);
    expect(await codes(2)).toEqual([undefined, 131056]);
  });
});

describe("a template", () => {
  const submit = (change: object) =>
    post({ ...submission, name: "other", ...change }, `${double.businessAccountId}/message_templates`);
  const withText = (words: string, examples: string[]) => ({
    components: [{ type: "BODY", text: words, example: { body_text: [examples] } }],
  });

  test("is taken once in each language", async () => {
    expect((await submit({})).status).toBe(200);
    expect((await submit({})).code).toBe(100);
    expect((await submit({ language: "es_AR" })).status).toBe(200);
  });

  test.each([
    ["a name in capitals", { name: "Other" }],
    ["no category", { category: "SPAM" }],
    ["a variable at its end", withText("Usted tiene para firmar {{1}}", ["x"])],
    ["a variable at its start", withText("{{1}} tiene que firmar esto hoy", ["x"])],
    ["variables out of order", withText("Hola {{2}} tiene para firmar hoy {{1}} aquí mismo", ["x", "y"])],
    ["too few examples", withText("Hola {{1}} tiene para firmar hoy {{2}} aquí mismo", ["x"])],
    ["little beside its variables", withText("Hola {{1}} {{2}} {{3}} y", ["x", "y", "z"])],
    ["a text that is too long", withText("x".repeat(1_025), [])],
    ["a long label", { components: [{ type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "x".repeat(26) }] }] }],
  ])("is refused with %s", async (_what, change) => {
    expect(await submit(change)).toMatchObject({ status: 400, code: 100 });
  });
});

describe("what is told", () => {
  const bodies: string[] = [];
  let failing = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const raw = Buffer.concat(chunks).toString();
    const asked = new URL(request.url ?? "", "http://localhost").searchParams;
    if (request.method === "GET") {
      const isAsked = asked.get("hub.verify_token") === double.verifyToken;
      return void response.writeHead(isAsked ? 200 : 403).end(asked.get("hub.challenge"));
    }
    const signature = `sha256=${createHmac("sha256", double.appSecret).update(raw).digest("hex")}`;
    if (request.headers["x-hub-signature-256"] !== signature) throw new Error("the signature is not the app's");
    failing -= 1;
    if (failing < 0) bodies.push(raw);
    response.writeHead(failing < 0 ? 200 : 500).end();
  });
  beforeEach(async () => {
    bodies.length = 0;
    failing = 0;
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    await double.subscribe(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/inbound`);
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const told = (count: number) =>
    eventually(
      `${count} calls`,
      () => bodies.length >= count && bodies.map((one) => JSON.parse(one).entry[0].changes[0].value),
    );

  test("is what became of a message, under the id that was answered, with the opaque word", async () => {
    const { id } = await post({ ...asking(), biz_opaque_callback_data: "ours" });
    const values = await told(2);
    expect(values.map(({ statuses: [one] }) => [one.id, one.status, one.biz_opaque_callback_data])).toEqual([
      [id, "sent", "ours"],
      [id, "delivered", "ours"],
    ]);
    expect(Buffer.from(id.replace("wamid.", ""), "base64").toString()).toContain(PHONE);
  });

  test("comes again until it is answered by 200", async () => {
    failing = 1;
    double.write(PHONE, "hola");
    await eventually("the answer to the second time", () => {
      clock.advance(100);
      return double.webhook.told.length === 1;
    });
    expect(bodies).toEqual(double.webhook.told);
  });

  test("is the button that was pressed, with the message it is of; or what was written", async () => {
    const { id } = await post(asking());
    double.press(id, "Sí");
    double.write(PHONE, "hola");
    const [, , pressed, written] = await told(4);
    expect(pressed.messages).toMatchObject([
      { from: PHONE, type: "button", button: { payload: "p" }, context: { id } },
    ]);
    expect(written.messages).toMatchObject([{ type: "text", text: { body: "hola" } }]);
    expect(() => double.press(id, "Leer")).toThrow("no quick reply");
  });

  test("is a failure of a text that comes a day after the phone's last message, and of a phone that is not reached", async () => {
    double.write(PHONE, "hola");
    clock.advance(DAY_MS);
    await post(text);
    clock.advance(1);
    await post(text);
    double.makeUnreachable("541122334455");
    await post(asking());
    const values = await told(5);
    expect(values.slice(1).map(({ statuses: [one] }) => one.errors?.[0].code ?? one.status)).toEqual([
      "sent",
      "delivered",
      131047,
      131026,
    ]);
  });

  test("names nobody where that is asked for", async () => {
    double.nameNobody();
    const { id } = await post(asking());
    double.press(id, "Sí");
    await told(3);
    expect(bodies.join("").replaceAll(/"id":"wamid[^"]+"/g, "")).not.toContain(PHONE);
  });
});

test("phones are known in Argentina with a 9, in Mexico without a 1", () => {
  expect(["541122334455", "5491122334455", "5215512345678", "525512345678", "+1 (650) 555-1234"].map(waIdOf)).toEqual([
    "5491122334455",
    "5491122334455",
    "525512345678",
    "525512345678",
    "16505551234",
  ]);
});

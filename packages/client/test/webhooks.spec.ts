import { systemRuntime } from "@rubrica/runtime";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { verifyWebhook, type WebhookHeaders } from "../src/index.ts";

const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const otherSecret = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;
const said = { type: "msg", data: { id_seguimiento: "019aa5c0", reason: "señal débil", custom_parameters: null } };
const body = JSON.stringify(said);
const { clock } = systemRuntime();
const SECOND = 1_000;

/** The headers that a webhook has, signed with each of the secrets, so many seconds ago. */
const headersOf = (text: string, { secrets = [secret], secondsAgo = 0 } = {}) => {
  const at = new Date(clock.now() - secondsAgo * SECOND);
  return {
    "webhook-id": "w-1",
    "webhook-timestamp": String(Math.floor(at.getTime() / SECOND)),
    "webhook-signature": secrets.map((each) => new Webhook(each).sign("w-1", at, text)).join(" "),
  };
};

test("what a genuine webhook says is given, from a string or bytes, whatever its headers come in", () => {
  const headers = headersOf(body);
  const upperCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
  const bytes = new TextEncoder().encode(body);
  for (const [given, text] of [
    [headers, body],
    [new Headers(headers), bytes],
    [{ ...headers, "set-cookie": ["a", "b"] }, Buffer.from(body)],
    [upperCase, body],
  ] satisfies [WebhookHeaders, string | Uint8Array][]) {
    expect(verifyWebhook(given, text, secret)).toEqual(said);
  }
});

test("while a secret is being changed, any of several fits any of several signatures", () => {
  const signedTwice = headersOf(body, { secrets: [otherSecret, secret] });
  expect(verifyWebhook(signedTwice, body, secret)).toEqual(said);
  expect(verifyWebhook(signedTwice, body, otherSecret)).toEqual(said);
  expect(verifyWebhook(headersOf(body), body, [otherSecret, secret])).toEqual(said);
});

test.each([
  ["a changed body", headersOf(body), body.replace("msg", "alert"), "wrong_signature", /fits/],
  ["another's secret", headersOf(body, { secrets: [otherSecret] }), body, "wrong_signature", /fits/],
  [
    "a signature of another version",
    { ...headersOf(body), "webhook-signature": "v2,AAAA v1" },
    body,
    "wrong_signature",
    /fits/,
  ],
  ["an old call, sent again", headersOf(body, { secondsAgo: 301 }), body, "stale", /more than five minutes ago/],
  ["a clock ahead", headersOf(body, { secondsAgo: -400 }), body, "stale", /in the future/],
  ["no time", { ...headersOf(body), "webhook-timestamp": "soon" }, body, "stale", /no time/],
  ["a missing header", { ...headersOf(body), "webhook-id": undefined }, body, "missing_header", /webhook-id/],
  [
    "a header that came twice",
    { ...headersOf(body), "webhook-id": ["w-1", "w-1"] },
    body,
    "missing_header",
    /webhook-id/,
  ],
  ["no headers", {}, body, "missing_header", /webhook-id/],
  ["a body that is no JSON", headersOf("{"), "{", "unreadable", /JSON/],
  ["a body that is no UTF-8", headersOf(body), Buffer.from([0x7b, 0xff]), "unreadable", /UTF-8/],
])("%s is refused, and said why", (_, headers, text, code, message) => {
  const refusal = expect.objectContaining({
    name: "WebhookVerificationError",
    code,
    message: expect.stringMatching(message),
  });
  expect(() => verifyWebhook(headers, text, secret)).toThrow(refusal);
  expect(() => verifyWebhook(new Headers(pairsOf(headers)), text, [secret])).toThrow(
    expect.objectContaining({ name: "WebhookVerificationError" }),
  );
});

const pairsOf = (headers: Record<string, string | string[] | undefined>): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []));

test.each([
  ["no secret", body, []],
  ["a secret that is none, which is not repeated", body, "whsec_not Base64"],
  ["an empty secret", body, ""],
  ["one of several that is none", body, [secret, "?"]],
  ["a body that was parsed", said as unknown as string, secret],
])("a receiver with %s has to be mended", (_, text, secrets) => {
  const verify = () => verifyWebhook(headersOf(body), text, secrets);
  expect(verify).toThrow(TypeError);
  expect(verify).not.toThrow(/not Base64/);
});

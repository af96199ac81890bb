import { ConfigError } from "@rubrica/config";
import { systemRuntime } from "@rubrica/runtime";
import { startWhatsAppDouble, type WhatsAppDouble } from "@rubrica/test-kit/whatsapp-double";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createProgram } from "../src/program.ts";
import { TemplatesRefused } from "../src/whatsapp.ts";

let double: WhatsAppDouble;
beforeEach(async () => {
  double = await startWhatsAppDouble();
});
afterEach(async () => double[Symbol.asyncDispose]());

const printed: string[] = [];
const rubrica = async (environment: Record<string, string>, ...args: string[]): Promise<string[]> => {
  printed.length = 0;
  const all = { ...double.environment, PUBLIC_URL: "https://sign.example.com", ...environment };
  const print = async (text: string) => void printed.push(text);
  await createProgram({ environment: all, runtime: systemRuntime(), print }).parseAsync(
    ["whatsapp", "templates", ...args],
    {
      from: "user",
    },
  );
  return printed;
};

test("the templates are shown as Meta takes them", async () => {
  const [text = ""] = await rubrica({ WHATSAPP_LANGUAGE: "es_AR" });
  expect(JSON.parse(text)).toMatchObject([
    { name: "rubrica_request", language: "es_AR", category: "UTILITY" },
    { name: "rubrica_request_note" },
    { name: "rubrica_request_until" },
    { name: "rubrica_request_note_until" },
    { name: "rubrica_link", components: [{}, { buttons: [{ url: "https://sign.example.com/s/{{1}}" }] }] },
    { name: "rubrica_link_until" },
    { name: "rubrica_copy", components: [{}, { buttons: [{ url: "https://sign.example.com/s/{{1}}" }] }] },
    { name: "rubrica_canceled", components: [{ type: "BODY" }] },
    { name: "rubrica_reminder" },
    { name: "rubrica_reminder_until" },
    { name: "rubrica_reminder_link" },
    { name: "rubrica_reminder_link_until" },
  ]);
});

test("they are submitted once: what Meta says of each is told, and a refusal is a failure", async () => {
  expect(await rubrica({}, "--submit")).toEqual([
    expect.stringMatching(/^rubrica_request was taken \(\d+\): APPROVED$/),
    expect.stringMatching(/^rubrica_request_note was taken/),
    expect.stringMatching(/^rubrica_request_until was taken/),
    expect.stringMatching(/^rubrica_request_note_until was taken/),
    expect.stringMatching(/^rubrica_link was taken/),
    expect.stringMatching(/^rubrica_link_until was taken/),
    expect.stringMatching(/^rubrica_copy was taken/),
    expect.stringMatching(/^rubrica_canceled was taken/),
    expect.stringMatching(/^rubrica_reminder was taken/),
    expect.stringMatching(/^rubrica_reminder_until was taken/),
    expect.stringMatching(/^rubrica_reminder_link was taken/),
    expect.stringMatching(/^rubrica_reminder_link_until was taken/),
  ]);
  await expect(rubrica({ WHATSAPP_TEMPLATE_LINK: "rubrica_link_2" }, "--submit")).rejects.toThrow(TemplatesRefused);
  expect(printed).toEqual([
    expect.stringMatching(/^rubrica_request was not taken: 100: /),
    expect.stringMatching(/^rubrica_request_note was not taken: /),
    expect.stringMatching(/^rubrica_request_until was not taken: /),
    expect.stringMatching(/^rubrica_request_note_until was not taken: /),
    expect.stringMatching(/^rubrica_link_2 was taken/),
    expect.stringMatching(/^rubrica_link_until was not taken: /),
    expect.stringMatching(/^rubrica_copy was not taken: /),
    expect.stringMatching(/^rubrica_canceled was not taken: /),
    expect.stringMatching(/^rubrica_reminder was not taken: /),
    expect.stringMatching(/^rubrica_reminder_until was not taken: /),
    expect.stringMatching(/^rubrica_reminder_link was not taken: /),
    expect.stringMatching(/^rubrica_reminder_link_until was not taken: /),
  ]);
});

test.each([
  [{ MESSAGING: "simulator" }, /MESSAGING/],
  [{ WHATSAPP_BUSINESS_ACCOUNT_ID: "" }, /WHATSAPP_BUSINESS_ACCOUNT_ID is missing/],
  [{ PUBLIC_URL: "" }, /PUBLIC_URL is missing/],
  [{ WHATSAPP_LANGUAGE: "en" }, /its language is en, and the texts are Spanish/],
])("nothing is submitted with %j", async (environment, sentence) => {
  const refused = await rubrica(environment, "--submit").catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ConfigError);
  expect(String(refused)).toMatch(sentence);
});

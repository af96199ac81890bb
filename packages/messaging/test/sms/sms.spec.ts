import { systemClock } from "@rubrica/runtime";
import { link, note, template } from "@rubrica/test-kit/messaging/contract";
import { type SmsAnswer, type SmsDouble, startSmsDouble } from "@rubrica/test-kit/sms-double";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSmsProvider, MessagingError, type MessagingProvider } from "../../src/index.ts";

const never = new AbortController().signal;
let double: SmsDouble;
let provider: MessagingProvider;

beforeEach(async () => {
  double = await startSmsDouble();
  const { url, key } = double;
  provider = createSmsProvider({ url, key, clock: systemClock, idOf: (id) => `sms.${id.length}` });
});
afterEach(() => double[Symbol.asyncDispose]());

describe("a text message", () => {
  test("says who asks, for what, with the link on a line of its own", async () => {
    const { providerMessageId } = await provider.sendTemplate(template, never);
    const [sms] = double.taken;
    expect(sms).toMatchObject({ messageId: template.messageId, to: template.to });
    expect(sms?.text).toMatch(/^Hola María José Fernández: Inmobiliaria del Sur le envió/);
    expect(sms?.text.endsWith(`\n${template.link}`)).toBe(true);
    expect(providerMessageId).toBe(`sms.${sms?.providerMessageId.length}`);
  });

  test("has the campaign's words, and as a link alone the words for that", async () => {
    await provider.sendTemplate({ ...template, text: "Firme antes del viernes." }, never);
    await provider.sendLink(link, never);
    await provider.sendCopy(link, never);
    await provider.sendNote(note, never);
    await provider.sendReminder({ ...template, answeredAt: null, lastFailure: null, hasContinued: false }, never);
    expect(double.taken[4]?.text).toMatch(/sigue esperando su firma/);
    expect(double.taken[4]?.text.endsWith(`\n${template.link}`)).toBe(true);
    expect(double.taken[3]?.text).toMatch(/^Hola María José Fernández: Inmobiliaria del Sur canceló .* nada más\.$/);
    expect(double.taken[2]?.text).toMatch(/copia firmada\.\n/);
    expect(double.taken[0]?.text).toContain("«Firme antes del viernes.»");
    expect(double.taken[1]?.text).toMatch(/^Gracias, María José Fernández\./);
    expect(double.taken[1]?.text.endsWith(`\n${link.link}`)).toBe(true);
  });

  test("is never longer than a vendor takes; the link is whole", async () => {
    const long = {
      ...template,
      documentName: "d".repeat(200),
      businessName: "b".repeat(200),
      text: "t".repeat(30_000),
    };
    await provider.sendTemplate(long, never);
    const [sms] = double.taken;
    expect(sms?.text.length).toBeLessThanOrEqual(400);
    expect(sms?.text.endsWith(`\n${template.link}`)).toBe(true);
  });
});

describe("what the adapter does not take", () => {
  const cases: readonly [string, SmsAnswer, string, boolean, number | undefined][] = [
    ["refused, with a word", { status: 422, body: { reason: "landline" } }, "landline", true, undefined],
    [
      "refused, with what is no word",
      { status: 422, body: { reason: "+54 9 11" } },
      "provider_refused",
      true,
      undefined,
    ],
    ["not understood", { status: 400 }, "provider_refused", true, undefined],
    ["too large", { status: 413 }, "provider_refused", true, undefined],
    ["another key", { status: 401 }, "provider_set_up_wrongly", false, undefined],
    ["busy", { status: 503, headers: { "retry-after": "120" } }, "provider_busy", false, 120_000],
    ["too many", { status: 429, headers: { "retry-after": "7" } }, "provider_busy", false, 7_000],
    ["no id", { status: 200, body: {} }, "provider_bad_answer", false, undefined],
    ["no answer", "answer_lost", "provider_unreachable", false, undefined],
  ];
  test.each(cases)("%s", async (_what, answer, reason, permanent, pauseMs) => {
    double.next(answer);
    const error = await provider.sendTemplate(template, never).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(MessagingError);
    expect(error).toMatchObject({ reason, permanent, pauseMs });
  });

  test("is what is no phone", async () => {
    const error = await provider.sendTemplate({ ...template, to: "12ab" }, never).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ reason: "provider_refused", permanent: true });
  });

  test("is given up with what the signal was aborted with", async () => {
    const reason = new Error("stopping");
    await expect(provider.sendTemplate(template, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

test("a message is forgotten by the service's own id", async () => {
  await provider.forget?.("e1:send-template:s1", never);
  expect(double.forgotten).toEqual(["e1:send-template:s1"]);
});

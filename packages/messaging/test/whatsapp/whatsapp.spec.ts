import { ANSWER_LABELS, type LinkToSend, MessagingError } from "@rubrica/messaging";
import { isoTime, systemClock } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { link, messagingContract, note, template } from "@rubrica/test-kit/messaging/contract";
import { idOf, LINK_BASE, openWhatsApp, templates } from "@rubrica/test-kit/messaging/whatsapp";
import { MetaError } from "@rubrica/test-kit/whatsapp-double";
import { describe, expect, test } from "vitest";
import { templateDefinitions } from "../../src/whatsapp/index.ts";

const never = new AbortController().signal;
const HOUR_MS = 3_600_000;
const NOW = Date.parse("2026-11-21T15:04:05.000Z");

messagingContract("WhatsApp", async () => {
  const world = await openWhatsApp();
  const wamidOf = (id: string) => world.double.taken.find(({ wamid }) => idOf(wamid) === id)?.wamid ?? "";
  return {
    provider: world.provider,
    notice: world.notice,
    press: async (id, answer) => world.double.press(wamidOf(id), ANSWER_LABELS[answer]),
    makeUnreachable: async (phone) => world.double.makeUnreachable(phone),
    close: async () => world[Symbol.asyncDispose](),
  };
});

const refusal = async (sending: Promise<unknown>): Promise<MessagingError> => {
  const error = await sending.catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(MessagingError);
  return error as MessagingError;
};

describe("the message that asks", () => {
  test("is the template with its values and both quick replies", async () => {
    await using world = await openWhatsApp();
    await world.provider.sendTemplate(template, never);
    expect(world.double.taken).toMatchObject([
      {
        to: template.to,
        type: "template",
        template: "rubrica_request",
        text: "Hola María José Fernández: Inmobiliaria del Sur le envió el documento «Contrato de alquiler» para que lo firme electrónicamente. ¿Desea continuar?",
        buttons: [{ label: "Continuar" }, { label: "No continuar" }],
      },
    ]);
  });

  test("bears a campaign's own words in a template of their own, on one line", async () => {
    await using world = await openWhatsApp();
    await world.provider.sendTemplate({ ...template, text: "Firme\n\n antes\tdel     viernes" }, never);
    expect(world.double.taken).toMatchObject([{ template: "rubrica_request_note" }]);
    expect(world.double.taken[0]?.text).toContain("con este mensaje: «Firme antes del viernes». ¿Desea");
  });

  test("is cut where Meta would refuse its length, at the longest value and in no half character", async () => {
    await using world = await openWhatsApp();
    await world.provider.sendTemplate({ ...template, text: "😀".repeat(600), documentName: "d".repeat(300) }, never);
    const { text = "" } = world.double.taken[0] ?? {};
    expect(text.length).toBeLessThanOrEqual(1_024);
    expect(text.length).toBeGreaterThan(1_000);
    expect(text).toContain("d".repeat(300));
    expect(text).toMatch(/😀…». ¿Desea continuar\?$/u);
    expect(text.isWellFormed()).toBe(true);
  });
});

describe("the link", () => {
  const send = async (message: Partial<LinkToSend>, write = true) => {
    await using world = await openWhatsApp({ clock: new ManualClock(NOW) });
    if (write) world.double.write(template.to, "hola");
    await world.provider.sendLink({ ...link, ...message }, never);
    return world.double.taken[0];
  };
  const ago = (ms: number) => isoTime(NOW - ms);

  test("is a text within a day of the answer", async () => {
    expect(await send({ answeredAt: ago(23 * HOUR_MS) })).toMatchObject({
      type: "text",
      text: expect.stringMatching(/^Gracias, María José Fernández\..+\n\nhttps:\/\/firma\.example\/s\/AQGZq2hvbGE$/s),
    });
  });

  test.each([
    ["a day after it", { answeredAt: ago(24 * HOUR_MS) }],
    ["some minutes before that, since clocks differ", { answeredAt: ago(24 * HOUR_MS - 300_000) }],
    ["when nobody knows when it was", { answeredAt: null }],
    ["when Meta refused a text", { answeredAt: ago(HOUR_MS), lastFailure: "outside_window" }],
  ])("is a template with a button %s", async (_when, message) => {
    expect(await send(message)).toMatchObject({
      type: "template",
      template: "rubrica_link",
      buttons: [{ label: "Leer y firmar", url: link.link }],
    });
  });

  test("says until when, where the document's time ends, as a text and as a template", async () => {
    const until = "31 de enero de 2027 a las 18:00 (GMT-3)";
    const text = expect.stringContaining(`«Contrato de alquiler» hasta el ${until}. No lo comparta`);
    expect(await send({ until, answeredAt: ago(HOUR_MS) })).toMatchObject({ type: "text", text });
    expect(await send({ until })).toMatchObject({
      template: "rubrica_link_until",
      text,
      buttons: [{ url: link.link }],
    });
  });

  test("is a text again after a failure of another kind", async () => {
    expect(await send({ answeredAt: ago(HOUR_MS), lastFailure: "rate_limited" })).toMatchObject({ type: "text" });
  });

  test("that is sent as a text too late is reported failed, to be tried again", async () => {
    await using world = await openWhatsApp();
    await world.provider.sendLink({ ...link, answeredAt: isoTime(systemClock.now()) }, never);
    expect(await world.notice(({ kind }) => kind === "failed")).toMatchObject({
      reason: "outside_window",
      permanent: false,
      messageId: link.messageId,
    });
  });

  test("that does not begin as the button does is never sent", async () => {
    await using world = await openWhatsApp();
    await expect(world.provider.sendLink({ ...link, link: "https://elsewhere.example/s/x" }, never)).rejects.toThrow(
      RangeError,
    );
  });
});

describe("the signed copy", () => {
  test("is a text within the day of the answer, and a template of its own after it", async () => {
    await using world = await openWhatsApp();
    const { providerMessageId } = await world.provider.sendTemplate(template, never);
    world.double.press(world.double.taken[0]?.wamid ?? "", "Continuar");
    const { at } = await world.notice(({ kind }) => kind === "answered");
    expect(providerMessageId).not.toBe("");
    await world.provider.sendCopy({ ...link, answeredAt: at }, never);
    await world.provider.sendCopy({ ...link, answeredAt: null }, never);
    const [, text, button] = world.double.taken;
    expect(text).toMatchObject({ type: "text", text: expect.stringMatching(/copia firmada\.\n\n/) });
    expect(text?.text.endsWith(link.link)).toBe(true);
    expect(button).toMatchObject({
      type: "template",
      template: "rubrica_copy",
      buttons: [{ label: "Ver copia firmada", url: link.link }],
    });
  });
});

describe("a cancellation", () => {
  test("is a text within the day of the answer, and a template without buttons after it", async () => {
    await using world = await openWhatsApp();
    await world.provider.sendTemplate(template, never);
    world.double.press(world.double.taken[0]?.wamid ?? "", "Continuar");
    const { at } = await world.notice(({ kind }) => kind === "answered");
    await world.provider.sendNote({ ...note, answeredAt: at }, never);
    await world.provider.sendNote({ ...note, answeredAt: null }, never);
    const [, text, registered] = world.double.taken;
    expect(text).toMatchObject({ type: "text", text: expect.stringContaining(`${note.businessName} canceló`) });
    expect(registered).toMatchObject({ type: "template", template: "rubrica_canceled", buttons: [] });
    expect(registered?.text).toBe(text?.text);
  });
});

describe("a reminder", () => {
  const reminder = { ...template, messageId: "obligation-7", answeredAt: null, lastFailure: null };

  test("is a template with the quick replies before the signer continues, which come back with its id", async () => {
    await using world = await openWhatsApp();
    for (const until of [null, "31 de enero de 2027"]) {
      await world.provider.sendReminder({ ...reminder, until, hasContinued: false }, never);
    }
    const [plain, timed] = world.double.taken;
    expect(plain).toMatchObject({ template: "rubrica_reminder", buttons: [{ label: "Continuar" }, {}] });
    expect(timed).toMatchObject({
      template: "rubrica_reminder_until",
      text: expect.stringContaining("Puede firmarlo hasta el 31 de enero de 2027."),
    });
    world.double.press(plain?.wamid ?? "", "Continuar");
    expect(await world.notice(({ kind }) => kind === "answered")).toMatchObject({ messageId: "obligation-7" });
  });

  test("has the link after it: as a text within the day of the answer, else as a template", async () => {
    await using world = await openWhatsApp();
    await world.provider.sendTemplate(template, never);
    world.double.press(world.double.taken[0]?.wamid ?? "", "Continuar");
    const { at } = await world.notice(({ kind }) => kind === "answered");
    const linked = { ...reminder, until: null, hasContinued: true };
    await world.provider.sendReminder({ ...linked, answeredAt: at }, never);
    await world.provider.sendReminder(linked, never);
    const [, text, button] = world.double.taken;
    expect(text).toMatchObject({ type: "text" });
    expect(text?.text.endsWith(template.link)).toBe(true);
    expect(button).toMatchObject({ template: "rubrica_reminder_link", buttons: [{ url: template.link }] });
  });
});

describe("what follows from choosing not to continue", () => {
  test("is a text within the day of the answer, and nothing after it", async () => {
    await using world = await openWhatsApp();
    await world.provider.sendTemplate(template, never);
    world.double.press(world.double.taken[0]?.wamid ?? "", "No continuar");
    const { at } = await world.notice(({ kind }) => kind === "answered");
    const refusalNote = { ...note, kind: "refusal" as const, hasContinued: false };
    await world.provider.sendNote({ ...refusalNote, answeredAt: at }, never);
    expect(world.double.taken[1]).toMatchObject({ type: "text", text: expect.stringContaining("Si cambia de idea") });
    await world.provider.sendNote({ ...refusalNote, hasContinued: true, answeredAt: at }, never);
    expect(world.double.taken[2]).toMatchObject({ text: expect.stringContaining("su enlace para firmarlo sigue") });
    const late = await refusal(world.provider.sendNote({ ...refusalNote, answeredAt: null }, never));
    expect(late).toMatchObject({ reason: "outside_window", permanent: true });
  });
});

test("each template is sent with the values of its examples' order, as Meta saw it", async () => {
  await using world = await openWhatsApp();
  const { provider, double } = world;
  const common = {
    to: template.to,
    signerName: "Ana Paz",
    businessName: "ACME Homes",
    documentName: "Lease agreement",
  };
  const words = { ...common, link: link.link, answeredAt: null, lastFailure: null, hasContinued: false };
  const timed = "31 de enero de 2027 a las 18:00 (GMT-3)";
  const send = async (messageId: string, until: string | null) => {
    const message = { ...words, messageId, until };
    for (const text of [null, "Firme antes del viernes."]) await provider.sendTemplate({ ...message, text }, never);
    for (const hasContinued of [false, true]) await provider.sendReminder({ ...message, hasContinued }, never);
    await provider.sendLink(message, never);
  };
  await send("plain", null);
  await send("timed", timed);
  await provider.sendCopy({ ...words, messageId: "copy", until: timed }, never);
  await provider.sendNote({ ...words, messageId: "note", kind: "cancellation" }, never);
  const seen = templateDefinitions(templates, LINK_BASE).map(({ name, components: [body] }) => {
    const { text, example } = body as { text: string; example: { body_text: string[][] } };
    return [name, text.replace(/\{\{(\d)\}\}/g, (_place, number) => example.body_text[0]?.[Number(number) - 1] ?? "")];
  });
  const sent = double.taken.map((taken) => [taken.template, taken.text]);
  expect(new Map(sent as [string, string][])).toEqual(new Map(seen as [string, string][]));
});

describe("an id", () => {
  test("is not Meta's own, which holds the phone, and the notices have the same", async () => {
    await using world = await openWhatsApp();
    const { providerMessageId } = await world.provider.sendTemplate(template, never);
    const [taken] = world.double.taken;
    expect(Buffer.from(taken?.wamid.slice("wamid.".length) ?? "", "base64").toString()).toContain(template.to);
    expect(providerMessageId).toBe(idOf(taken?.wamid ?? ""));
    const notice = await world.notice(({ kind }) => kind === "delivered");
    expect(notice).toMatchObject({ providerMessageId, messageId: template.messageId });
    expect(JSON.stringify(world.notices)).not.toContain(template.to);
  });

  test("of an answer that was lost comes with the notices, under the service's own id", async () => {
    await using world = await openWhatsApp();
    world.double.next("answer_lost");
    const error = await refusal(world.provider.sendTemplate(template, never));
    expect(error).toMatchObject({ reason: "provider_unreachable", permanent: false, pauseMs: 60_000 });
    expect(await world.notice(({ kind }) => kind === "sent")).toMatchObject({ messageId: template.messageId });
  });
});

describe("a refusal", () => {
  test.each([
    [new MetaError(131056), { reason: "too_fast_to_phone", permanent: false }],
    [new MetaError(131026), { reason: "unreachable", permanent: true }],
    [new MetaError(190), { reason: "token_expired", permanent: false }],
    [new MetaError(131000), { reason: "whatsapp_failed", permanent: false }],
    [new MetaError(199_999), { reason: "whatsapp_error_199999", permanent: false }],
    [new MetaError(204), { reason: "not_permitted", permanent: false }],
    [new MetaError(100), { reason: "request_refused", permanent: true }],
    [new MetaError(100, "", { subcode: 33 }), { reason: "sender_unknown", permanent: false }],
    [
      new MetaError(130429, "", { retryAfterSeconds: 90 }),
      { reason: "rate_limited", permanent: false, pauseMs: 90_000 },
    ],
    [new MetaError(80007, "", { status: 429, retryAfterSeconds: 7 }), { reason: "rate_limited", pauseMs: 7_000 }],
  ])("%s is sorted, and says nothing of Meta's own words", async (fault, expected) => {
    await using world = await openWhatsApp();
    world.double.next(fault);
    const error = await refusal(world.provider.sendTemplate(template, never));
    expect(error).toMatchObject(expected);
    expect(error.message).toBe(error.reason);
  });

  test("for another's token or sender is the operator's to set right", async () => {
    await using strange = await openWhatsApp({ token: "another-token-0123456789" });
    expect(await refusal(strange.provider.sendTemplate(template, never))).toMatchObject({ reason: "token_expired" });
    await using unknown = await openWhatsApp({ phoneNumberId: "1" });
    expect(await refusal(unknown.provider.sendTemplate(template, never))).toMatchObject({ reason: "sender_unknown" });
  });

  test("of messages that come too fast to one phone is tried later", async () => {
    await using world = await openWhatsApp({ pairBurst: 1 });
    await world.provider.sendTemplate(template, never);
    expect(await refusal(world.provider.sendTemplate(template, never))).toMatchObject({
      reason: "too_fast_to_phone",
      permanent: false,
    });
  });

  test("of which nothing came leaves time for notices, since the message may have been taken", async () => {
    await using world = await openWhatsApp();
    world.double.next("cut_off");
    expect(await refusal(world.provider.sendTemplate(template, never))).toMatchObject({ pauseMs: 60_000 });
    expect(world.provider.unknownOutcomePauseMs).toBe(60_000);
  });
});

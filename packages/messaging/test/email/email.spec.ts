import { systemClock } from "@rubrica/runtime";
import { ManualClock } from "@rubrica/runtime/testing";
import { type MailServer, type MailServerOptions, type SmtpRefusal, startMailServer } from "@rubrica/test-kit/mail";
import { link, note, template } from "@rubrica/test-kit/messaging/contract";
import { describe, expect, test } from "vitest";
import { createEmailProvider, type EmailOptions } from "../../src/email/email.ts";
import { MessagingError } from "../../src/index.ts";

const never = new AbortController().signal;
const to = "ana.paz@example.com";
const request = { ...template, to };

const providerFor = (
  { port, ca }: Pick<MailServer, "port" | "ca">,
  { tls = "none", user }: MailServerOptions = {},
  other: Partial<EmailOptions> = {},
) => {
  let made = 0;
  return createEmailProvider({
    server: { host: "127.0.0.1", port, tls, user, ca },
    from: { name: "Firma, «electrónica»", address: "firma@rubrica.example" },
    clock: systemClock,
    ids: { uuidv7: () => `id-${++made}` },
    ...other,
  });
};

const refusal = async (sending: Promise<unknown>): Promise<unknown> => {
  const error = await sending.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(MessagingError);
  const { reason, permanent } = error as MessagingError;
  return { reason, permanent };
};

describe("a letter", () => {
  test("says who asks, for what, with the link, to the address alone", async () => {
    await using server = await startMailServer();
    const { providerMessageId } = await providerFor(server).sendTemplate(request, never);
    const letter = await server.letterTo(to);
    expect(letter).toMatchObject({ sender: "firma@rubrica.example", recipients: [to] });
    expect(letter.headers.get("from")).toContain("<firma@rubrica.example>");
    expect(letter.headers.get("from")).toContain("Firma, «electrónica»");
    expect(letter.headers.get("to")).toBe(to);
    expect(letter.headers.get("subject")).toBe("Inmobiliaria del Sur le pide que firme «Contrato de alquiler»");
    expect(letter.headers.get("auto-submitted")).toBe("auto-generated");
    expect(letter.text).toContain("Hola María José Fernández: Inmobiliaria del Sur le envió");
    expect(letter.text.split(/\r?\n/)).toContain(request.link);
    expect(providerMessageId).toBe("email.id-1");
  });

  test("has the campaign's own words, and as a link alone the words for that", async () => {
    await using server = await startMailServer();
    const provider = providerFor(server);
    await provider.sendTemplate({ ...request, text: "Firme antes del viernes." }, never);
    await provider.sendLink({ ...link, to }, never);
    await provider.sendCopy({ ...link, to }, never);
    await provider.sendNote({ ...note, to }, never);
    const [asking, linking, copying, canceling] = server.taken;
    expect(canceling?.headers.get("subject")).toBe("Inmobiliaria del Sur canceló «Contrato de alquiler»");
    expect(canceling?.text).not.toContain("http");
    expect(copying?.headers.get("subject")).toBe("Su copia firmada de «Contrato de alquiler»");
    expect(copying?.text.split(/\r?\n/)).toContain(link.link);
    expect(asking?.text.replace(/\s+/g, " ")).toContain("con este mensaje: «Firme antes del viernes.»");
    expect(linking?.headers.get("subject")).toBe("Su enlace para firmar «Contrato de alquiler»");
    expect(linking?.text.split(/\r?\n/)).toContain(link.link);
  });

  test("sent again is another message with the same Message-ID", async () => {
    await using server = await startMailServer();
    const provider = providerFor(server);
    const messageId = "0192f0c1-7e1a-5cc3-9f0b-2f1d3a5b7c9d:send-template:0192f0c1-7e1b-5a55-8c11-6d0e4b2a9f37";
    const ids = [await provider.sendTemplate({ ...request, messageId }, never)];
    ids.push(await provider.sendTemplate({ ...request, messageId }, never));
    expect(new Set(ids.map(({ providerMessageId }) => providerMessageId)).size).toBe(2);
    const expected = `<${messageId.replaceAll(":", ".")}@rubrica.example>`;
    expect(server.taken.map(({ headers }) => headers.get("message-id"))).toEqual([expected, expected]);
  });

  test.each([
    "Ana\r\nBcc: eve@example.com",
    "Ana\nSubject: other\n\nother text",
    "=?utf-8?Q?=0ABcc:_eve@example.com?=",
    'x" <eve@example.com>, "y',
    "Ana\u2028Bcc: eve@example.com",
    "\u0000\u0007ACME",
  ])("holds no header and no recipient that a name brings along: %j", async (name) => {
    await using server = await startMailServer();
    const hostile = { ...request, signerName: name, businessName: name, documentName: name };
    await providerFor(server).sendTemplate(hostile, never);
    const letter = await server.letterTo(to);
    expect(letter.recipients).toEqual([to]);
    const known = ["from", "to", "subject", "message-id", "date", "mime-version", "content-type"];
    const others = [...letter.headers.keys()].filter((header) => !known.includes(header));
    expect(others.sort()).toEqual(["auto-submitted", "content-transfer-encoding"]);
    expect(letter.headers.get("to")).toBe(to);
    expect(letter.headers.get("subject")).toMatch(/ le pide que firme «/);
    expect(letter.text.split(/\r?\n/)).toContain(request.link);
  });

  test("is bounded, whatever the words are", async () => {
    await using server = await startMailServer();
    const long = { ...request, documentName: "d".repeat(100_000), text: "t".repeat(500_000) };
    await providerFor(server).sendTemplate(long, never);
    const letter = await server.letterTo(to);
    expect(letter.headers.get("subject")?.length).toBeLessThanOrEqual(200);
    expect(letter.text.length).toBeLessThan(21_000);
    expect(letter.text.split(/\r?\n/)).toContain(request.link);
  });
});

describe("by TLS", () => {
  const user = { name: "rubrica", password: "p@ss: wörd" };

  test.each(["starttls", "implicit"] as const)("%s: it logs in, and the letter comes encrypted", async (tls) => {
    await using server = await startMailServer({ tls, user });
    await providerFor(server, { tls, user }).sendTemplate(request, never);
    expect(server.taken).toMatchObject([{ secure: true, user: "rubrica" }]);
  });

  test("nothing is said to a server whose certificate nobody vouches for, nor to one that has none", async () => {
    for (const tls of ["starttls", "implicit"] as const) {
      await using server = await startMailServer({ tls, user });
      const stranger = providerFor({ port: server.port, ca: undefined }, { tls, user });
      expect(await refusal(stranger.sendTemplate(request, never))).toEqual({
        reason: "provider_tls_failed",
        permanent: false,
      });
      expect(server.taken).toEqual([]);
    }
    await using clear = await startMailServer();
    expect(await refusal(providerFor(clear, { tls: "starttls" }).sendTemplate(request, never))).toEqual({
      reason: "provider_tls_failed",
      permanent: false,
    });
    expect(clear.taken).toEqual([]);
  });

  test("a login that is refused is tried later: the operator can set it right", async () => {
    await using server = await startMailServer({ tls: "implicit", user });
    const wrong = providerFor(server, { tls: "implicit", user: { ...user, password: "another" } });
    expect(await refusal(wrong.sendTemplate(request, never))).toEqual({ reason: "not_authorized", permanent: false });
  });
});

describe("what the server does not take", () => {
  const cases: readonly [SmtpRefusal["at"], string, string, boolean][] = [
    ["recipient", "450 4.2.1 mailbox busy", "mailbox_busy", false],
    ["recipient", "452 4.2.2 mailbox full", "mailbox_busy", false],
    ["recipient", "550 5.1.1 no such user", "mailbox_unknown", true],
    ["recipient", "553 5.1.3 bad address", "mailbox_unknown", true],
    ["recipient", "550 5.7.1 relaying denied", "refused_by_policy", false],
    ["recipient", "530 5.7.0 authentication required", "refused_by_policy", false],
    ["sender", "451 4.3.0 try again", "provider_busy", false],
    ["sender", "550 5.1.8 bad sender", "sender_refused", false],
    ["connect", "421 4.3.2 too many connections", "provider_busy", false],
    ["connect", "554 5.7.1 no service here", "provider_refused", false],
    ["message", "451 4.3.0 try again", "provider_busy", false],
    ["message", "554 5.6.0 not wanted", "message_refused", true],
    ["message", "552 5.3.4 too large", "message_refused", true],
    ["message", "550 5.7.26 unauthenticated sender", "refused_by_policy", false],
  ];
  test.each(cases)("at the %s, by %s, is %s; for good: %s", async (at, reply, reason, permanent) => {
    await using server = await startMailServer();
    server.next({ at, reply });
    const provider = providerFor(server);
    expect(await refusal(provider.sendTemplate(request, never))).toEqual({ reason, permanent });
    await provider.sendTemplate(request, never);
    expect(server.taken).toHaveLength(1);
  });

  test("as nobody listens is tried later", async () => {
    await using server = await startMailServer();
    const { port } = server;
    await server[Symbol.asyncDispose]();
    expect(await refusal(providerFor({ port, ca: undefined }).sendTemplate(request, never))).toEqual({
      reason: "provider_unreachable",
      permanent: false,
    });
  });

  test("in time is tried later", async () => {
    await using server = await startMailServer();
    server.fallSilent();
    const clock = new ManualClock(0);
    const sending = refusal(providerFor(server, {}, { clock }).sendTemplate(request, never));
    await server.letterTo(to);
    clock.advance(60_000);
    expect(await sending).toEqual({ reason: "provider_timeout", permanent: false });
  });

  test("is given up with what the signal was aborted with, before and meanwhile", async () => {
    await using server = await startMailServer();
    server.fallSilent();
    const reason = new Error("stopping");
    const provider = providerFor(server);
    await expect(provider.sendTemplate(request, AbortSignal.abort(reason))).rejects.toBe(reason);
    const stopping = new AbortController();
    const sending = provider.sendTemplate(request, stopping.signal);
    const failed = expect(sending).rejects.toBe(reason);
    await server.letterTo(to);
    stopping.abort(reason);
    await failed;
  });

  test("is told without the address", async () => {
    await using server = await startMailServer();
    server.next({ at: "recipient", reply: `550 5.1.1 <${to}> unknown` });
    const error = await providerFor(server)
      .sendTemplate(request, never)
      .catch((caught: unknown) => caught);
    expect(`${error instanceof Error ? error.stack : ""}${JSON.stringify(error)}`).not.toContain(to);
  });
});

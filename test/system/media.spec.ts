import {
  eventually,
  freePort,
  type RubricaClient,
  rubricaClient,
  type ServiceProcess,
  samplePdf,
  sampleSigner,
  startServiceProcess,
  temporaryFolder,
} from "@rubrica/test-kit";
import { type MailServer, startMailServer } from "@rubrica/test-kit/mail";
import { type SmsDouble, startSmsDouble } from "@rubrica/test-kit/sms-double";
import { startWhatsAppDouble, type WhatsAppDouble } from "@rubrica/test-kit/whatsapp-double";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inspect } from "../support/inspection.ts";
import { integrator } from "../support/integrator.ts";
import { approveTemplates, takenFor } from "../support/whatsapp.ts";

const linkIn = (text: string): string => /https?:\/\/\S+/.exec(text)?.[0] ?? "";
const landline = { status: 422, body: { reason: "landline" } };

describe("signers whom WhatsApp does not reach", () => {
  const cleanup = new AsyncDisposableStack();
  let whatsapp: WhatsAppDouble;
  let sms: SmsDouble;
  let mail: MailServer;
  let service: ServiceProcess;
  let client: RubricaClient;
  let dataDir: string;
  let told: Awaited<ReturnType<typeof integrator>>;

  beforeAll(async () => {
    dataDir = cleanup.use(temporaryFolder()).path;
    whatsapp = cleanup.use(await startWhatsAppDouble());
    sms = cleanup.use(await startSmsDouble());
    mail = cleanup.use(await startMailServer());
    told = cleanup.use(await integrator(async () => undefined));
    const port = await freePort();
    const url = `http://localhost:${port}`;
    approveTemplates(whatsapp, url);
    const environment = {
      ...whatsapp.environment,
      ...sms.environment,
      MESSAGING: "whatsapp,sms,email",
      SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      EMAIL_FROM: "Rubrica <firma@rubrica.example>",
      ALLOW_PRIVATE_URLS: "true",
      PUBLIC_URL: url,
    };
    service = cleanup.use(await startServiceProcess({ dataDir, port, environment }));
    client = rubricaClient(service);
    await whatsapp.subscribe(`${service.url}/inbound/whatsapp`);
  });
  afterAll(() => cleanup.disposeAsync());

  const request = async (number: number, phone: string, email?: string) => {
    const signer = sampleSigner(number, { phone, ...(email === undefined ? {} : { email }) });
    const { id_seguimiento: id, urls } = await client.requestDocument(await samplePdf(), [signer], {
      document_name: `Lease ${number}`,
      webhook_url: told.url,
    });
    return { id, link: urls[0]?.link ?? "" };
  };

  /** What was tried to reach the document's signer, in order: by what, and what became of it. */
  const tries = async (id: string): Promise<string[]> => {
    await using stores = await inspect(dataDir);
    return (await stores.events()).flatMap((event) => {
      if (event.streamKind !== "document" || event.streamId !== id) return [];
      if (event.type === "MessageAttempted") return [event.data.medium];
      return event.type === "MessageFailed" ? [`${event.data.reason} → ${event.data.nextMedium}`] : [];
    });
  };
  const msgCallbacks = () => told.told.filter(({ type }) => type === "msg").length;

  test("and no text message either, get the link by e-mail, and sign by it", async () => {
    const phone = "5491122334411";
    whatsapp.makeUnreachable(phone);
    sms.next(landline);
    const { id, link } = await request(11, phone, "ana.paz@example.com");
    const letter = await mail.letterTo("ana.paz@example.com");
    expect(letter.headers.get("subject")).toContain("«Lease 11»");
    expect(linkIn(letter.text)).toBe(link);
    await client.sign(linkIn(letter.text));
    await eventually("the seal", async () => (await client.read(`/api/v2/documents/${id}`)).status === 200);
    const copy = await mail.letterTo("ana.paz@example.com", ({ text }) => text.includes("copia firmada"));
    expect(linkIn(copy.text)).toBe(link);
    expect(await tries(id)).toEqual(["wpp", "unreachable → sms", "sms", "landline → email", "email", "email"]);
    expect(mail.taken.filter(({ recipients }) => recipients.includes("ana.paz@example.com"))).toHaveLength(2);
    expect(await client.eventNames(id)).toEqual(expect.arrayContaining(["signature_link_sent", "document_signed"]));
    expect(msgCallbacks()).toBe(0);
  });

  test("are reached by e-mail once the adapter tells that the text message did not arrive", async () => {
    const phone = "5491122334412";
    whatsapp.makeUnreachable(phone);
    const { id, link } = await request(12, phone, "luis.gil@example.com");
    const { messageId, providerMessageId, text } = await sms.smsTo(phone);
    expect(linkIn(text)).toBe(link);
    const at = "2026-11-21T15:04:05.000Z";
    const failed = { kind: "failed", providerMessageId, messageId, at, reason: "absent", permanent: true };
    expect(await sms.tell(service.url, failed, "another key")).toBe(401);
    expect(await sms.tell(service.url, failed)).toBe(200);
    const letter = await mail.letterTo("luis.gil@example.com");
    expect(linkIn(letter.text)).toBe(link);
    expect(await tries(id)).toEqual(["wpp", "unreachable → sms", "sms", "absent → email", "email"]);
  });

  test("nor anything else, are given up once: one callback, and who waits for the phone has the next turn", async () => {
    const phone = "5491122334413";
    whatsapp.makeUnreachable(phone);
    sms.next(landline);
    const { id } = await request(13, phone);
    await told.callback("msg");
    await request(14, phone);
    await takenFor(whatsapp, phone, ({ text }) => text.includes("«Lease 14»"));
    expect(await tries(id)).toEqual(["wpp", "unreachable → sms", "sms", "landline → null"]);
    expect(msgCallbacks()).toBe(1);
  });

  test("leave no address, no phone and no vendor's id in the events' open parts and in the log", async () => {
    await using stores = await inspect(dataDir);
    const open = JSON.stringify(
      (await stores.events()).map(({ type, data, metadata }) => ({ type, data, metadata })),
      (_key, value) => (typeof value === "bigint" ? String(value) : value),
    );
    const secrets = [
      ...mail.taken.flatMap(({ recipients }) => recipients),
      ...sms.taken.flatMap(({ to, providerMessageId }) => [to, providerMessageId]),
      sms.key,
    ];
    expect(secrets.length).toBeGreaterThan(4);
    for (const secret of secrets) {
      expect([open.includes(secret), service.log().includes(secret)], secret).toEqual([false, false]);
    }
  });
});

import { ANSWER_LABELS } from "@rubrica/messaging";
import { eventually, samplePdf, sampleSigner } from "@rubrica/test-kit";
import { startMailServer } from "@rubrica/test-kit/mail";
import { startSmsDouble } from "@rubrica/test-kit/sms-double";
import { startWhatsAppDouble } from "@rubrica/test-kit/whatsapp-double";
import { describe, expect, test } from "vitest";
import { inspect } from "../support/inspection.ts";
import { integrator } from "../support/integrator.ts";
import { recorded } from "../support/messages.ts";
import { serviceInProcess, type TestService } from "../support/service.ts";
import { approveTemplates, takenFor } from "../support/whatsapp.ts";

const PHONE = "5491122334421";
const ADDRESS = "ana.paz@example.com";
const COPY = "copia firmada";

const linkIn = (text: string): string => /https?:\/\/\S+/.exec(text)?.[0] ?? "";

/** A provider's double as the only way to reach signers, and the signer who has the phone or the mailbox. */
interface OneMedium extends AsyncDisposable {
  environment: Readonly<Record<string, string>>;
  /** Has the double know the service. */
  connect(service: TestService): Promise<void>;
  /** The signer does what the messages ask for; gives the link that they come to. */
  followed(service: TestService, documentId: string): Promise<string>;
  /** The link of the message with the signed copy. */
  copy(): Promise<string>;
  /** The texts of all messages, in order. */
  texts(): string[];
}

const byWhatsApp = async (): Promise<OneMedium> => {
  const double = await startWhatsAppDouble();
  return {
    environment: double.environment,
    async connect({ url }) {
      approveTemplates(double, url.replace("127.0.0.1", "localhost"));
      await double.subscribe(`${url}/inbound/whatsapp`);
    },
    async followed(service, documentId) {
      const asking = await takenFor(double, PHONE, ({ template }) => template === "rubrica_request");
      await recorded(service.client, documentId, "msg_delivered");
      double.press(asking.wamid, ANSWER_LABELS.continue);
      return linkIn((await takenFor(double, PHONE, ({ type }) => type === "text")).text);
    },
    copy: async () => linkIn((await takenFor(double, PHONE, ({ text }) => text.includes(COPY))).text),
    texts: () => double.taken.map(({ text }) => text),
    [Symbol.asyncDispose]: () => double[Symbol.asyncDispose](),
  };
};

const bySms = async (): Promise<OneMedium> => {
  const double = await startSmsDouble();
  return {
    environment: { ...double.environment, MESSAGING: "sms" },
    connect: async () => undefined,
    async followed(service, documentId) {
      const { messageId, providerMessageId, text } = await double.smsTo(PHONE);
      await recorded(service.client, documentId, "signature_link_sent");
      const at = "2026-11-21T15:04:05.000Z";
      expect(await double.tell(service.url, { kind: "delivered", providerMessageId, messageId, at })).toBe(200);
      await recorded(service.client, documentId, "msg_delivered");
      return linkIn(text);
    },
    copy: () =>
      eventually(
        "the copy",
        () => linkIn(double.taken.find(({ text }) => text.includes(COPY))?.text ?? "") || undefined,
      ),
    texts: () => double.taken.map(({ text }) => text),
    [Symbol.asyncDispose]: () => double[Symbol.asyncDispose](),
  };
};

const byEmail = async (environment: Readonly<Record<string, string>> = {}): Promise<OneMedium> => {
  const server = await startMailServer();
  return {
    environment: {
      MESSAGING: "email",
      SMTP_URL: `smtp://127.0.0.1:${server.port}`,
      EMAIL_FROM: "Rubrica <firma@rubrica.example>",
      ...environment,
    },
    connect: async () => undefined,
    followed: async () => linkIn((await server.letterTo(ADDRESS)).text),
    copy: async () => linkIn((await server.letterTo(ADDRESS, ({ text }) => text.includes(COPY))).text),
    texts: () => server.taken.map(({ text }) => text),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};

/** A document for the one signer. */
const requested = async ({ client }: TestService, fields: object) => {
  const signer = sampleSigner(21, { phone: PHONE, email: ADDRESS });
  const { id_seguimiento: id, urls } = await client.requestDocument(await samplePdf(), [signer], fields);
  return { id, link: urls[0]?.link ?? "" };
};

const sealed = ({ client }: TestService, id: string) =>
  eventually("the sealed PDF", async () => {
    const file = await client.read(`/api/v2/documents/${id}`);
    return file.status === 200 && file.bytes;
  });

const signedCopyAt = ({ client }: TestService, link: string) =>
  client.read(`/api/signing/${new URL(link).pathname.replace(/^\/s\//, "")}/signed`);

describe("signers who are reached in one way alone", () => {
  test.each([
    ["WhatsApp", byWhatsApp, 3, ["msg_delivered", "template_response", "signature_link_sent", "document_signed"]],
    ["text messages", bySms, 2, ["signature_link_sent", "msg_delivered", "document_signed"]],
    ["e-mail", byEmail, 2, ["signature_link_sent", "document_signed"]],
  ] as const)("by %s: are asked, sign, and are told where the signed copy is", async (_name, open, count, log) => {
    await using medium = await open();
    await using told = await integrator(async () => undefined);
    const environment = { ...medium.environment, ALLOW_PRIVATE_URLS: "true" };
    await using service = await serviceInProcess({ environment });
    await medium.connect(service);

    // Who is sent no message to sign is sent none with the copy.
    const quiet = await requested(service, { wpp: false });
    await service.client.sign(quiet.link);
    await sealed(service, quiet.id);

    const { id, link } = await requested(service, { document_name: "Lease", webhook_url: told.url });
    expect(await medium.followed(service, id)).toBe(link);
    expect((await signedCopyAt(service, link)).status).toBe(404);
    await recorded(service.client, id, "signature_link_sent");
    await service.client.sign(link);
    expect(await medium.copy()).toBe(link);
    const copy = await signedCopyAt(service, link);
    expect(copy.status).toBe(200);
    expect(copy.bytes.equals(await sealed(service, id))).toBe(true);
    await told.callback("report");
    expect(told.told.map(({ type }) => type)).toEqual(["alert", "report"]);
    expect(await service.client.eventNames(id)).toEqual(log);
    expect(medium.texts()).toHaveLength(count);
    for (const text of medium.texts()) expect(text).toContain("Lease");
  });

  test("are not told where the copy is where SIGNED_COPIES is off", async () => {
    await using medium = await byEmail({ SIGNED_COPIES: "false" });
    await using service = await serviceInProcess({ environment: medium.environment });
    const { id, link } = await requested(service, { document_name: "Lease" });
    expect(await medium.followed(service, id)).toBe(link);
    await service.client.sign(link);
    await sealed(service, id);
    await eventually(
      "the report, which comes after",
      async () => (await service.client.read(`/api/v2/reporte/${id}`)).status === 200,
    );
    await using stores = await inspect(service.dataDir);
    const [seal] = (await stores.events()).filter(({ type }) => type === "DocumentSealed");
    expect(seal?.data).toMatchObject({ sendCopies: false });
    expect(medium.texts()).toHaveLength(1);
  });
});

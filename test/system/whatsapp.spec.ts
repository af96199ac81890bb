import { ANSWER_LABELS } from "@rubrica/messaging";
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
import { startWhatsAppDouble, type TakenMessage, type WhatsAppDouble } from "@rubrica/test-kit/whatsapp-double";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inspect } from "../support/inspection.ts";
import { approveTemplates, takenFor } from "../support/whatsapp.ts";

const isAsking = ({ template }: TakenMessage) => template === "rubrica_request";
const isLink = ({ type }: TakenMessage) => type === "text";

describe("signers on WhatsApp", () => {
  const cleanup = new AsyncDisposableStack();
  let double: WhatsAppDouble;
  let service: ServiceProcess;
  let client: RubricaClient;
  let dataDir: string;

  beforeAll(async () => {
    dataDir = cleanup.use(temporaryFolder()).path;
    double = cleanup.use(await startWhatsAppDouble());
    const port = await freePort();
    const url = `http://localhost:${port}`;
    approveTemplates(double, url);
    const environment = { ...double.environment, PUBLIC_URL: url };
    service = cleanup.use(await startServiceProcess({ dataDir, port, environment }));
    client = rubricaClient(service);
    await double.subscribe(`${service.url}/inbound/whatsapp`);
  });
  afterAll(() => cleanup.disposeAsync());

  const request = async (number: number, phone: string) => {
    const signer = sampleSigner(number, { phone });
    const { id_seguimiento: id, urls } = await client.requestDocument(await samplePdf(), [signer], {
      document_name: `Lease ${number}`,
    });
    return { id, link: urls[0]?.link ?? "", name: signer.name };
  };
  const has = (id: string, ...names: string[]) =>
    eventually(`the events ${names.join(", ")}`, async () => {
      const all = await client.eventNames(id);
      return names.every((name) => all.includes(name));
    });

  test("are asked, continue, get the link, sign; the document is sealed", async () => {
    const phone = "5491122334401";
    const { id, link, name } = await request(1, phone);
    const asking = await takenFor(double, phone, isAsking);
    expect(asking.text).toContain(`Hola ${name}: `);
    expect(asking.text).toContain("«Lease 1»");
    double.read(asking.wamid);
    double.press(asking.wamid, ANSWER_LABELS.continue);
    const sent = await takenFor(double, phone, isLink);
    expect(sent.text.endsWith(`\n\n${link}`)).toBe(true);
    await client.sign(sent.text.slice(sent.text.indexOf("http")));
    await eventually("the seal", async () => (await client.read(`/api/v2/documents/${id}`)).status === 200);
    const copy = await takenFor(double, phone, ({ text }) => text.includes("copia firmada"));
    expect(copy).toMatchObject({ type: "text", text: expect.stringMatching(new RegExp(`\n\n${link}$`)) });
    await has(id, "msg_delivered");
    expect(double.taken.filter(({ to }) => to === phone)).toHaveLength(3);
  });

  test("whose answer was lost are sent nothing twice: Meta's notices settle it", async () => {
    const phone = "5491122334402";
    double.next("answer_lost");
    const { id } = await request(2, phone);
    const asking = await takenFor(double, phone, isAsking);
    await has(id, "msg_delivered");
    double.press(asking.wamid, ANSWER_LABELS.continue);
    await takenFor(double, phone, isLink);
    expect(double.taken.filter((message) => message.to === phone && isAsking(message))).toHaveLength(1);
  });

  test("in Mexico and Argentina are found by the message, whatever Meta makes of their numbers", async () => {
    for (const [number, phone] of [
      [3, "5215512345678"],
      [4, "541122334404"],
    ] as const) {
      const { id } = await request(number, phone);
      const asking = await takenFor(double, phone, isAsking);
      double.press(asking.wamid, ANSWER_LABELS.continue);
      await takenFor(double, phone, isLink);
      await has(id, "msg_delivered");
    }
  });

  test("whom Meta can't reach are given up, and who waits in line for the phone has the next turn", async () => {
    const phone = "5491122334405";
    double.makeUnreachable(phone);
    await request(5, phone);
    await request(6, phone);
    await takenFor(double, phone, ({ text }) => text.includes("«Lease 5»"));
    await takenFor(double, phone, ({ text }) => text.includes("«Lease 6»"));
    expect(double.taken.filter(({ to }) => to === phone)).toHaveLength(2);
  });

  test("leave no phone, no name and none of Meta's ids in the events' open parts and in the log", async () => {
    double.nameNobody();
    const phone = "5491122334407";
    const { id } = await request(7, phone);
    const asking = await takenFor(double, phone, isAsking);
    double.press(asking.wamid, ANSWER_LABELS.continue);
    await takenFor(double, phone, isLink);
    await has(id, "msg_delivered");
    await using stores = await inspect(dataDir);
    const open = JSON.stringify(
      (await stores.events()).map(({ type, data, metadata }) => ({ type, data, metadata })),
      (_key, value) => (typeof value === "bigint" ? String(value) : value),
    );
    for (const { to, wamid } of double.taken) {
      for (const secret of [to, wamid, wamid.slice("wamid.".length)]) {
        expect([open.includes(secret), service.log().includes(secret)]).toEqual([false, false]);
      }
    }
    expect(service.log()).not.toContain(double.token);
    expect(service.log()).not.toContain(double.appSecret);
  });
});

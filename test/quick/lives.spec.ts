import { systemClock } from "@rubrica/runtime";
import { eventually, type RubricaClient, samplePdf, sampleSigner } from "@rubrica/test-kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BulkEntry, callOf, fakeDocx, rowOf, sendBulk } from "../support/bulk.ts";
import { recorded, templateFor } from "../support/messages.ts";
import { serviceInProcess, type TestService } from "../support/service.ts";

let service: TestService;
let client: RubricaClient;
let pdf: Buffer;
let signers = 0;

beforeAll(async () => {
  service = await serviceInProcess({ faults: { docx: fakeDocx() } });
  client = service.client;
  pdf = await samplePdf();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A signer on a phone that no other test uses. */
const newSigner = () => sampleSigner(++signers);
const cancel = (id: string, reason?: string) => client.send("POST", `/api/v2/documents/${id}/cancel`, { reason });
const reportOf = (id: string) =>
  eventually("the report", async () => {
    const { status, bytes } = await client.read(`/api/v2/reporte/${id}`);
    return status === 200 && bytes;
  });

describe("a document whose time ends", () => {
  test("says until when, ends by itself, passes the phone on, and has its report", async () => {
    const signer = newSigner();
    const inMs = (ms: number) => new Date(systemClock.now() + ms).toISOString();
    const expires_at = inMs(3_600_000);
    const fields = { document_name: "Lease", expires_at, time_zone: "Asia/Tokyo" };
    const document = await client.requestDocument(pdf, [signer], fields);
    const next = await client.requestDocument(pdf, [signer], { document_name: "Next document" });
    expect(next.urls[0]?.queued_behind).toBe(document.id_seguimiento);
    const asked = await templateFor(client, signer.phone, "Lease");
    expect(asked.text).toMatch(/Puede firmarlo hasta el .* \(GMT\+9\)/);
    const { id_seguimiento: id } = document;
    await recorded(client, id, "msg_delivered");
    await client.press(asked.id, "continue");
    const linked = await eventually("the link", async () =>
      (await client.messagesTo(signer.phone)).find(({ link }) => link !== null),
    );
    expect(linked.text).toMatch(/«Lease» hasta el .* \(GMT\+9\)\. No lo comparta/);
    await recorded(client, id, "signature_link_sent");
    // On a machine that does much else the second may be over when it is asked for: that is refused, and asked anew.
    const shortened = async () =>
      (await client.send("PATCH", `/api/v2/documents/${id}`, { expires_at: inMs(1_000) })).status;
    await eventually("an earlier end", async () => (await shortened()) === 200);
    const last = await templateFor(client, signer.phone, "Next document");
    expect(last.text).not.toContain("hasta el");
    expect((await client.postSignature(document.urls[0]?.link ?? "")).status).toBe(409);
    expect((await reportOf(document.id_seguimiento)).subarray(0, 4).toString()).toBe("%PDF");
    expect(await client.eventNames(document.id_seguimiento)).toEqual([
      "msg_delivered",
      "template_response",
      "signature_link_sent",
      "expiry_changed",
      "document_expired",
    ]);
    expect((await client.messagesTo(signer.phone)).filter(({ text }) => text.includes("«Lease»"))).toHaveLength(2);
  });
});

describe("a document that is canceled", () => {
  test("is told to who was asked, to nobody else, and to the next in line its turn comes", async () => {
    const [asked, later] = [newSigner(), newSigner()];
    const document = await client.requestDocument(pdf, [asked, later], { document_name: "Lease" });
    const next = await client.requestDocument(pdf, [asked], { document_name: "Next document" });
    expect(next.urls[0]?.queued_behind).toBe(document.id_seguimiento);
    await templateFor(client, asked.phone, "Lease");
    await recorded(client, document.id_seguimiento, "msg_delivered");
    expect((await cancel(document.id_seguimiento, "The rent changed")).status).toBe(200);
    await templateFor(client, asked.phone, "Next document");
    const told = await eventually("the word of the cancellation", async () =>
      (await client.messagesTo(asked.phone)).find(({ text }) => text.includes("canceló el documento «Lease»")),
    );
    expect(told).toMatchObject({ buttons: [], link: null });
    expect(await client.messagesTo(later.phone)).toEqual([]);
    expect(await client.eventNames(document.id_seguimiento)).toEqual(["msg_delivered", "document_canceled"]);
    expect((await reportOf(document.id_seguimiento)).subarray(0, 4).toString()).toBe("%PDF");
    expect(await client.status(document.id_seguimiento)).toEqual({ is_finished: false, signed_at: null });
  });

  test("of a bulk call is its row alone", async () => {
    const answer = await sendBulk(client, callOf([rowOf(71), rowOf(72)]));
    expect(answer.status).toBe(200);
    const links = answer.json<BulkEntry[]>();
    const idOf = async (index: number) => {
      const found = await client.read(`/api/eventLogs/${links[index]?.id_custom}`);
      return found.json<{ id_seguimiento: string }>().id_seguimiento;
    };
    const first = await idOf(0);
    expect((await cancel(first)).status).toBe(200);
    const canSign = async (index: number) => {
      const path = new URL(String(links[index]?.link)).pathname.replace("/s/", "/api/signing/");
      return (await client.read(path)).json<{ can_sign: boolean }>().can_sign;
    };
    await eventually("the other row", () => canSign(1));
    expect(await canSign(0)).toBe(false);
    expect(await client.eventNames(first)).toContain("document_canceled");
  });
});

import { beforeAll, describe, expect, test } from "vitest";
import { ana, ask, leo, requestOf } from "../requests.ts";
import { asked, post, signature, typesOf } from "../signing.ts";
import { NOW, type World, world } from "../world.ts";

let made: World;
beforeAll(async () => {
  made = await world();
});

const cancel = (documentId: string, body: unknown = {}, options?: Parameters<World["send"]>[3]) =>
  made.send("POST", `/api/v2/documents/${documentId}/cancel`, body, options);
const ended = { error: "El documento ya terminó" };
const unknown = { error: "No se encontró el id de seguimiento" };

describe("canceling a document", () => {
  test("says when, and the same again; the links say that it was, and why", async () => {
    const { documentId, links } = await asked(made, { datos_firmantes: [ana, leo] });
    const answer = await cancel(documentId, { reason: "The rent changed" });
    expect([answer.status, answer.body]).toEqual([200, { id_seguimiento: documentId, canceled_at: NOW }]);
    expect((await cancel(documentId, { reason: "Another" })).body).toEqual(answer.body);
    expect((await typesOf(made, documentId)).filter((type) => type === "DocumentWithdrawn")).toHaveLength(1);
    for (const link of links) {
      expect((await made.get(link)).body).toMatchObject({
        status: "ended",
        can_sign: false,
        end: { kind: "canceled", at: NOW, reason: "The rent changed" },
      });
      expect((await post(made, `${link}/sign`, signature)).body).toMatchObject({ code: "document_ended" });
      expect((await post(made, `${link}/reject`, { reason: "no" })).status).toBe(409);
    }
  });

  test("takes no body, an empty one, and a reason of 500 characters; not a longer or empty one", async () => {
    const { documentId } = await asked(made);
    for (const reason of ["x".repeat(501), "", 7, "a\u202eb"]) {
      expect((await cancel(documentId, { reason })).status).toBe(400);
    }
    const bare = await made.app.inject({
      method: "POST",
      url: `/api/v2/documents/${documentId}/cancel`,
      headers: { "x-api-key": "pro" },
    });
    expect(bare.statusCode).toBe(200);
    const other = await asked(made);
    expect((await cancel(other.documentId, { reason: "x".repeat(500) })).status).toBe(200);
  });

  test("frees the phones with the answer", async () => {
    const phone = "5491166667777";
    const held = await asked(made, { datos_firmantes: [{ ...ana, phone }] });
    const queued = await ask(made, requestOf({ datos_firmantes: [{ ...ana, phone }] }));
    expect(queued.body.urls[0].queued_behind).toBe(held.documentId);
    await cancel(held.documentId);
    await cancel(queued.body.id_seguimiento);
    const free = await ask(made, requestOf({ datos_firmantes: [{ ...ana, phone }] }));
    expect(free.body.urls[0].queued).toBe(false);
  });

  test("leaves what was signed as it was: signing again is answered as before", async () => {
    const { documentId, links } = await asked(made, { datos_firmantes: [ana, leo] });
    expect((await post(made, `${links[0]}/sign`, signature)).status).toBe(200);
    expect((await cancel(documentId)).status).toBe(200);
    expect((await post(made, `${links[0]}/sign`, signature)).status).toBe(200);
    expect((await made.get(String(links[0]))).body).toMatchObject({ status: "signed", end: { kind: "canceled" } });
  });

  test("is refused from the last signature on, and after a rejection", async () => {
    const signed = await asked(made);
    await post(made, `${signed.links[0]}/sign`, signature);
    const late = await cancel(signed.documentId);
    expect([late.status, late.body]).toEqual([409, ended]);
    const rejected = await asked(made, { datos_firmantes: [ana, leo] });
    await post(made, `${rejected.links[0]}/reject`, { reason: "no" });
    expect((await cancel(rejected.documentId)).body).toEqual(ended);
    expect((await made.get(String(rejected.links[0]))).body).not.toHaveProperty("end");
  });

  test("of another account's answers as of an unknown one, and says nothing of it", async () => {
    const { documentId } = await asked(made);
    for (const id of [documentId, "019aa5c0-0000-7000-8000-0000000000ff", "x"]) {
      const answer = await cancel(id, {}, { key: "basic" });
      expect([answer.status, answer.body]).toEqual([404, unknown]);
    }
    expect(await typesOf(made, documentId)).not.toContain("DocumentWithdrawn");
  });

  test("with an Idempotency-Key is one request; with another body it is another", async () => {
    const { documentId } = await asked(made);
    const options = { headers: { "idempotency-key": documentId } };
    const first = await cancel(documentId, { reason: "a" }, options);
    expect(await cancel(documentId, { reason: "a" }, options)).toMatchObject({ status: 200, body: first.body });
    expect((await cancel(documentId, { reason: "b" }, options)).status).toBe(409);
  });

  test("tells who it was: the account and the key", async () => {
    const { documentId } = await asked(made);
    await cancel(documentId, { reason: "The rent changed" });
    const event = (await made.eventsOf(`document-${documentId}`)).find(({ type }) => type === "DocumentWithdrawn");
    expect(event).toMatchObject({
      data: { reason: "canceled", by: { accountName: "pro" } },
      personal: { text: "The rent changed" },
      metadata: { actor: "integrator" },
    });
  });

  test("of an erased document that was canceled before answers as before", async () => {
    const { documentId } = await asked(made);
    const { body } = await cancel(documentId, { reason: "a" });
    await made.erase(documentId);
    expect((await cancel(documentId)).body).toEqual(body);
    const open = await asked(made);
    await made.erase(open.documentId);
    expect((await cancel(open.documentId)).body).toEqual(ended);
  });
});

describe("the last signature and a cancellation that meet", () => {
  test("one of them wins, the other is told, and the stream has one end", async () => {
    for (let round = 0; round < 20; round++) {
      const { documentId, links } = await asked(made);
      const signing = () => post(made, `${links[0]}/sign`, signature);
      const both = round % 2 === 0 ? [signing(), cancel(documentId)] : [cancel(documentId), signing()];
      const statuses = (await Promise.all(both)).map(({ status }) => status);
      expect(statuses.sort()).toEqual([200, 409]);
      const ends = (await typesOf(made, documentId)).filter((type) => /Completed|Withdrawn|Rejected/.test(type));
      expect(ends).toHaveLength(1);
    }
  });
});

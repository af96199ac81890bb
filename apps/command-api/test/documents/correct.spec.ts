import { beforeEach, expect, test } from "vitest";
import { bulkWorld, callOf, send } from "../bulk/calls.ts";
import { ana, ask, leo, requestOf } from "../requests.ts";
import { asked, post, signature, typesOf } from "../signing.ts";
import { type World, world } from "../world.ts";

let made: World;
beforeEach(async () => {
  made = await world();
});

const signerIn = async (documentId: string, index = 0) => {
  const document = await made.document(documentId);
  const signer = document.status === "none" ? undefined : document.signers[index];
  if (!signer) throw new Error("it was not requested");
  return signer;
};
const correct = async (documentId: string, body: unknown, options?: Parameters<World["send"]>[3]) => {
  const idCustom = (await signerIn(documentId)).person?.idCustom;
  return made.send("PATCH", `/api/v2/documents/${documentId}/signers/${idCustom}`, body, options);
};
const get = async (url: string) => {
  const response = await made.app.inject({ method: "GET", url });
  return { status: response.statusCode, body: response.json() };
};
const pathOf = (link: string) => `/api/signing/${link.split("/s/")[1]}`;
const PAUSE_MS = 600_000;
const phone = "+54 9 11 6666-7777";
const digits = "5491166667777";

test("a signer has another link, the former one says that it was replaced, and nothing else", async () => {
  const { documentId, links } = await asked(made);
  const answer = await correct(documentId, { phone });
  expect([answer.status, answer.body]).toEqual([
    200,
    {
      id_seguimiento: documentId,
      id_custom: (await signerIn(documentId)).person?.idCustom,
      link: expect.stringMatching(/\/s\/[A-Za-z0-9_-]{50}$/),
      name: ana.name,
      dni: "30123456",
      contact: digits,
      queued: false,
      queued_behind: null,
    },
  ]);
  const replaced = { error: "The link was replaced by another one", code: "link_replaced" };
  const [former = ""] = links;
  for (const refused of [
    await get(former),
    await get(`${former}/document`),
    await post(made, `${former}/opened`, {}),
    await post(made, `${former}/sign`, signature),
    await post(made, `${former}/reject`, { reason: "no" }),
  ]) {
    expect([refused.status, refused.body]).toEqual([410, replaced]);
  }
  const link = pathOf(answer.body.link);
  expect((await get(link)).body.signer).toEqual({
    name: ana.name,
    dni: "30123456",
  });
  expect((await post(made, `${link}/sign`, signature)).status).toBe(200);
});

test("they are asked anew on the other phone's line, and the former one is free", async () => {
  const { documentId } = await asked(made);
  const { lineId: former } = await signerIn(documentId);
  await correct(documentId, { phone });
  expect((await typesOf(made, documentId)).slice(-2)).toEqual(["SignerCorrected", "SignerTurnCame"]);
  const { lineId } = await signerIn(documentId);
  expect((await made.eventsOf(`phoneLine-${former}`)).map(({ type }) => type)).toEqual(["TurnTaken", "TurnReleased"]);
  expect((await made.eventsOf(`phoneLine-${lineId}`)).map(({ type }) => type)).toEqual(["TurnTaken"]);
});

test("behind the document that has that phone; an unchanged line is not left", async () => {
  const other = await asked(made, { datos_firmantes: [{ ...ana, phone }] });
  const { documentId } = await asked(made);
  const answer = await correct(documentId, { phone });
  expect(answer.body).toMatchObject({ queued: true, queued_behind: other.documentId });
  await made.clock.advance(PAUSE_MS);
  expect((await correct(documentId, { name: "Ana María Paz" })).body).toMatchObject({ queued: true });
  const { lineId } = await signerIn(documentId);
  expect((await made.eventsOf(`phoneLine-${lineId}`)).map(({ type }) => type)).toEqual(["TurnTaken", "TurnQueued"]);
});

test("a request that is repeated is answered as it first was: the document's, and the correction's", async () => {
  const key = { headers: { "idempotency-key": "once" } };
  const first = await ask(made, requestOf(), key);
  const documentId = first.body.id_seguimiento;
  const body = { name: "Ana María Paz", dni: "30.123.457" };
  const once = await correct(documentId, body, { headers: { "idempotency-key": "c1" } });
  await made.clock.advance(PAUSE_MS);
  // By the rules of this phone's country the former number is none.
  await correct(documentId, { phone: "56912345678", dni: "12.345.678-5" });
  expect((await ask(made, requestOf(), key)).body).toEqual(first.body);
  const again = await correct(documentId, body, { headers: { "idempotency-key": "c1" } });
  expect([again.status, again.body]).toEqual([200, once.body]);
  expect((await typesOf(made, documentId)).filter((type) => type === "SignerCorrected")).toHaveLength(2);
});

test("one that named the signer as they were named is answered as it first was, whatever came since", async () => {
  const { documentId, links } = await asked(made);
  const headers = { "idempotency-key": "c1" };
  const once = await correct(documentId, { name: ana.name }, { headers });
  expect([once.status, pathOf(once.body.link)]).toEqual([200, links[0]]);
  const since = await correct(documentId, { name: "Ana María Paz", phone });
  await post(made, `${pathOf(since.body.link)}/opened`, {});
  const again = await correct(documentId, { name: ana.name }, { headers });
  expect([again.status, again.body]).toEqual([200, once.body]);
  expect((await signerIn(documentId)).person?.name).toBe("Ana María Paz");
  expect((await typesOf(made, documentId)).filter((type) => type === "SignerCorrected")).toHaveLength(1);
});

test("one that changes nothing tells who is held back, and is refused as any other", async () => {
  const other = await asked(made);
  const { documentId } = await asked(made);
  const held = { queued: true, queued_behind: other.documentId };
  expect((await correct(documentId, { name: ana.name })).body).toMatchObject(held);
  await correct(documentId, { name: "Ana María Paz" });
  expect((await correct(documentId, { name: "Ana María Paz" })).body).toMatchObject(held);
  await post(made, `${other.links[0]}/opened`, {});
  expect((await correct(other.documentId, { name: ana.name })).status).toBe(409);
});

test("who was asked is corrected at once, and again when ten minutes have passed: the answer says when", async () => {
  const { documentId } = await asked(made);
  expect((await correct(documentId, { phone })).status).toBe(200);
  await made.clock.advance(60_000);
  const soon = await correct(documentId, { phone: ana.phone });
  expect([soon.status, soon.body, soon.headers["retry-after"]]).toEqual([
    429,
    {
      error:
        "El firmante ya se corrigió, o se le reenvió el mensaje; espere diez minutos entre una vez y otra, diez veces como máximo",
    },
    "540",
  ]);
  const idCustom = (await signerIn(documentId)).person?.idCustom;
  const resend = await made.send("POST", `/api/v2/documents/${documentId}/signers/${idCustom}/resend`, {});
  expect([resend.status, resend.headers["retry-after"]]).toEqual([429, "540"]);
  await made.clock.advance(540_000);
  expect((await correct(documentId, { phone: ana.phone })).status).toBe(200);
});

test("what is refused, or changes nothing, gives the document no phone's line", async () => {
  const { documentId } = await asked(made);
  const linesOf = async () => (await made.dependencies.keys.lines.lookupsOf(documentId)).length;
  expect((await correct(documentId, { phone: ana.phone })).status).toBe(200);
  expect(await linesOf()).toBe(1);
  expect((await correct(documentId, { phone })).status).toBe(200);
  expect(await linesOf()).toBe(2);
  expect((await correct(documentId, { phone: "+54 9 11 5555-4444" })).status).toBe(429);
  expect(await linesOf()).toBe(2);
});

test("who opened the page is not corrected any more: the document is to be canceled and asked for again", async () => {
  const { documentId, links } = await asked(made);
  await post(made, `${links[0]}/opened`, {});
  const answer = await correct(documentId, { phone });
  expect([answer.status, answer.body]).toEqual([
    409,
    { error: "El firmante ya no se puede corregir: cancele el documento y solicítelo de nuevo" },
  ]);
});

test("nor is one of a document that has ended", async () => {
  const { documentId, links } = await asked(made, { datos_firmantes: [ana, leo] });
  await post(made, `${links[1]}/reject`, { reason: "no" });
  expect((await correct(documentId, { phone })).body).toEqual({ error: "El documento ya terminó" });
});

test("what can't be is refused by its name, and nothing changes", async () => {
  const { documentId } = await asked(made);
  const faultsOf = async (body: unknown) => {
    const answer = await correct(documentId, body);
    return [answer.status, answer.body.details?.map(({ path }: { path: string }) => path)];
  };
  expect(await faultsOf({ phone: "12" })).toEqual([400, ["phone"]]);
  expect(await faultsOf({ dni: "1" })).toEqual([400, ["dni"]]);
  expect(await faultsOf({ email: "nobody" })).toEqual([400, ["email"]]);
  expect(await faultsOf({ name: "" })).toEqual([400, ["name"]]);
  expect(await faultsOf({ email: "nobody", name: "Ana \u{e000}", dni: "1" })).toEqual([400, ["email", "name", "dni"]]);
  expect(await faultsOf({ phone: "12", name: "Ana \u{e000}", dni: "1" })).toEqual([400, ["phone", "name"]]);
  expect((await correct(documentId, {})).status).toBe(400);
  expect(await typesOf(made, documentId)).not.toContain("SignerCorrected");
});

test("an ID number is checked by its country's rules; the same as before is nothing", async () => {
  const { documentId } = await asked(made);
  const answer = await correct(documentId, { dni: "E-99.1", dni_country: "FR", email: "ana@example.com" });
  expect([answer.status, answer.body.dni]).toEqual([200, "E991"]);
  expect((await signerIn(documentId)).person).toMatchObject({ idNumberCountry: "FR", email: "ana@example.com" });
  await correct(documentId, { dni: "E991", phone: ana.phone });
  expect((await typesOf(made, documentId)).filter((type) => type === "SignerCorrected")).toHaveLength(1);
});

test("a country that came of the former phone gives way to the new phone's, one that was named stays", async () => {
  const { documentId } = await asked(made);
  const chilean = { phone: "56912345678", dni: "12.345.678-5" };
  const answer = await correct(documentId, chilean);
  expect([answer.status, answer.body.dni]).toEqual([200, "123456785"]);
  expect((await signerIn(documentId)).person).toMatchObject({ idNumberCountry: "CL" });
  const wrong = await correct(documentId, { phone: "59899123457", dni: "1.234.567-9" });
  expect([wrong.status, wrong.body.details.map(({ path }: { path: string }) => path)]).toEqual([400, ["dni"]]);
  const misnamed = await correct(documentId, { dni_country: "AR" });
  expect(misnamed.body.details.map(({ path }: { path: string }) => path)).toEqual(["dni_country"]);
});

test("of a bulk call's row the phone and the e-mail address are corrected, and what its PDF holds is not", async () => {
  made = await bulkWorld();
  const { body: rows } = await send(made, callOf());
  const { documentId } = made.dependencies.tokens.read(rows[0].link.split("/s/")[1]) ?? { documentId: "" };
  const refused = await correct(documentId, { name: "Ana Páez", dni: "30123457", dni_country: "AR", phone });
  const message = "can't be corrected: the document of a bulk call holds it";
  expect([refused.status, refused.body.details]).toEqual([
    400,
    ["name", "dni", "dni_country"].map((path) => ({ path, message })),
  ]);
  expect(await typesOf(made, documentId)).not.toContain("SignerCorrected");
  expect((await correct(documentId, { phone, email: "ana@example.com" })).body).toMatchObject({ contact: digits });
  expect((await signerIn(documentId)).person).toMatchObject({
    name: "Ana Paz",
    phone: digits,
    email: "ana@example.com",
  });
});

test("another account's document is as unknown as one that there is not", async () => {
  const { documentId } = await asked(made);
  const answer = await correct(documentId, { phone }, { key: "basic" });
  expect([answer.status, answer.body]).toEqual([404, { error: "No se encontró el id de seguimiento" }]);
});

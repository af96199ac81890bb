import { releaseTurnIfDue } from "@rubrica/commands";
import { attemptMessage } from "@rubrica/domain";
import { sample } from "@rubrica/events";
import { beforeEach, expect, test } from "vitest";
import { ana, ask, leo, requestOf } from "../requests.ts";
import { asked, post, signature, typesOf } from "../signing.ts";
import { accounts, type World, world } from "../world.ts";

const MINUTE_MS = 60_000;
let made: World;
beforeEach(async () => {
  made = await world();
});

const idOf = async (documentId: string, index = 0) => {
  const document = await made.document(documentId);
  if (document.status === "none") throw new Error("it was not requested");
  return String(document.signers[index]?.person?.idCustom);
};
const resend = async (documentId: string, index = 0, options?: Parameters<World["send"]>[3]) => {
  const path = `/api/v2/documents/${documentId}/signers/${await idOf(documentId, index)}/resend`;
  return made.send("POST", path, {}, options);
};
const phone = "5491166667777";

test("what a signer was sent is sent anew: their turn comes again", async () => {
  const { documentId } = await asked(made);
  const answer = await resend(documentId);
  const idCustom = await idOf(documentId);
  expect([answer.status, answer.body]).toEqual([
    200,
    { id_seguimiento: documentId, id_custom: idCustom, queued: false, queued_behind: null },
  ]);
  expect((await typesOf(made, documentId)).slice(-2)).toEqual(["ResendRequested", "SignerTurnCame"]);
});

test("to who could not be reached it is, and behind the document that has the phone meanwhile", async () => {
  const { handlers } = made.dependencies;
  const { documentId } = await asked(made, { datos_firmantes: [{ ...ana, phone }] });
  const document = await made.document(documentId);
  const signerId = document.status === "none" ? "" : String(document.signers[0]?.signerId);
  const message = { signerId, kind: "template" as const, messageId: "m1", attempt: 1 };
  // Nobody gave an e-mail address: it is given up.
  const attempt = { ...message, media: ["email"] as const, providerBy: () => sample.provider, now: 0 };
  const ids = { correlationId: "c", causationId: "c" };
  const context = { commandId: "attempt", accountId: accounts.pro, actor: "test", ...ids };
  await handlers.documents.handle(documentId, attemptMessage, attempt, context);
  await releaseTurnIfDue(handlers, documentId, signerId, context);
  const other = await asked(made, { datos_firmantes: [{ ...ana, phone }] });
  const answer = await resend(documentId);
  expect(answer).toMatchObject({ status: 200, body: { queued: true, queued_behind: other.documentId } });
  await made.clock.advance(10 * MINUTE_MS);
  expect((await resend(documentId)).body).toEqual({ error: "El firmante está en espera de otro documento" });
});

test("again it is not, within ten minutes: the answer says when", async () => {
  const { documentId } = await asked(made);
  await resend(documentId);
  await made.clock.advance(MINUTE_MS);
  const soon = await resend(documentId);
  expect([soon.status, soon.headers["retry-after"]]).toEqual([429, "540"]);
  await made.clock.advance(9 * MINUTE_MS);
  expect((await resend(documentId)).status).toBe(200);
});

test("ten times in all", async () => {
  const { documentId } = await asked(made);
  for (let time = 0; time < 10; time++) {
    expect((await resend(documentId)).status).toBe(200);
    await made.clock.advance(10 * MINUTE_MS);
  }
  const often = await resend(documentId);
  expect([often.status, often.headers["retry-after"]]).toEqual([429, undefined]);
});

test("with an Idempotency-Key it is one request", async () => {
  const { documentId } = await asked(made);
  const options = { headers: { "idempotency-key": "k" } };
  const first = await resend(documentId, 0, options);
  expect(await resend(documentId, 0, options)).toMatchObject({ status: 200, body: first.body });
  expect((await typesOf(made, documentId)).filter((type) => type === "ResendRequested")).toHaveLength(1);
});

test("nothing is sent to who was not asked yet, waits in line, has signed, or is unknown", async () => {
  const { documentId, links } = await asked(made, { datos_firmantes: [ana, leo] });
  expect((await resend(documentId, 1)).body).toEqual({ error: "No hay nada para reenviar a este firmante" });
  await post(made, `${links[0]}/sign`, signature);
  expect((await resend(documentId)).status).toBe(409);
  await asked(made, { datos_firmantes: [{ ...ana, phone }] });
  const waiting = await ask(made, requestOf({ datos_firmantes: [{ ...ana, phone }] }));
  const queued = await resend(waiting.body.id_seguimiento);
  expect([queued.status, queued.body]).toEqual([409, { error: "El firmante está en espera de otro documento" }]);
  const unknown = `/api/v2/documents/${documentId}/signers/nobody/resend`;
  expect((await made.send("POST", unknown, {})).status).toBe(404);
  expect((await resend(documentId, 0, { key: "basic" })).body).toEqual({
    error: "No se encontró el id de seguimiento",
  });
});

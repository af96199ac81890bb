import { createCampaign, expireDocument } from "@rubrica/domain";
import { beforeEach, describe, expect, test } from "vitest";
import { bulkWorld, callOf, send } from "../bulk/calls.ts";
import { ana, ask, BAD, leo, recorded, requestOf } from "../requests.ts";
import { asked, post, signature, typesOf } from "../signing.ts";
import { accounts, NOW, type World, world } from "../world.ts";

const HOUR_MS = 3_600_000;
const now = Date.parse(NOW);
const after = (ms: number) => new Date(now + ms).toISOString();

let made: World;
beforeEach(async () => {
  made = await world();
});

const change = (documentId: string, body: unknown, options?: Parameters<World["send"]>[3]) =>
  made.send("PATCH", `/api/v2/documents/${documentId}`, body, options);

describe("until when a document can be signed", () => {
  test("is what the request says, by any clock, or in days, or nothing", async () => {
    const of = async (fields: object) => (await recorded(made, requestOf({ ...fields }))).data.expiresAt;
    expect(await of({})).toBeNull();
    expect(await of({ expires_at: null, expires_in_days: null })).toBeNull();
    expect(await of({ expires_at: "2026-12-01T18:00:00-03:00" })).toBe("2026-12-01T21:00:00.000Z");
    expect(await of({ expires_at: "2026-12-01T18:00:00Z" })).toBe("2026-12-01T18:00:00.000Z");
    expect(await of({ expires_in_days: 1 })).toBe(after(24 * HOUR_MS));
  });
  test("is what its campaign says, where the request says nothing", async () => {
    const named = { name: "Quick", messageText: null, requestPhotos: null, validatePhotos: null, retentionDays: null };
    const campaign = { ...named, expiresInDays: 2, refusalHours: null, silenceHours: null, reminders: null };
    const context = {
      commandId: "c",
      accountId: accounts.pro,
      actor: "operator",
      correlationId: "c",
      causationId: "c",
    };
    await made.dependencies.handlers.accounts.handle(accounts.pro, createCampaign, campaign, context);
    const of = async (fields: object) =>
      (await recorded(made, requestOf({ campaign_id: 2, ...fields }))).data.expiresAt;
    expect(await of({})).toBe(after(48 * HOUR_MS));
    expect(await of({ expires_in_days: 1 })).toBe(after(24 * HOUR_MS));
    expect(await of({ expires_at: after(HOUR_MS) })).toBe(after(HOUR_MS));
  });
  test("is the same for each row of a bulk call", async () => {
    made = await bulkWorld();
    const { body: rows } = await send(made, callOf({ expires_in_days: 2 }));
    const ids = rows.map(({ link }: { link: string }) => made.dependencies.tokens.read(link.split("/s/")[1] ?? ""));
    const documents = await Promise.all(ids.map(({ documentId }: { documentId: string }) => made.document(documentId)));
    const days2 = { expiresAt: after(48 * HOUR_MS) };
    expect(documents).toMatchObject([days2, days2]);
  });
  test.each([
    ["no offset", { expires_at: "2026-12-01T18:00:00" }, "expires_at"],
    ["no time", { expires_at: "2026-12-01" }, "expires_at"],
    ["no such day", { expires_at: "2026-02-30T18:00:00Z" }, "expires_at"],
    ["the past", { expires_at: "2026-11-21T15:00:00Z" }, "expires_at"],
    ["too far", { expires_at: "2036-12-01T18:00:00Z" }, "expires_at"],
    ["no days", { expires_in_days: 0 }, "expires_in_days"],
    ["half a day", { expires_in_days: 0.5 }, "expires_in_days"],
    ["too many days", { expires_in_days: 3_651 }, "expires_in_days"],
    ["both", { expires_at: "2026-12-01T18:00:00Z", expires_in_days: 2 }, "expires_in_days"],
  ])("is no moment that can't be one: %s", async (_what, fields, path) => {
    const { status, body } = await ask(made, requestOf(fields));
    expect([status, body.error, body.details.map((detail: { path: string }) => detail.path)]).toEqual([
      400,
      BAD,
      [path],
    ]);
  });
  test("is answered as the first time, also when it is over", async () => {
    const options = { headers: { "idempotency-key": "k" } };
    const request = requestOf({ expires_at: after(HOUR_MS) });
    const first = await ask(made, request, options);
    await made.clock.advance(2 * HOUR_MS);
    expect(await ask(made, request, options)).toMatchObject({ status: 200, body: first.body });
  });

  test("is told by the link, and holds though no event says that it is over", async () => {
    const { documentId, links } = await asked(made, { datos_firmantes: [ana, leo], expires_at: after(HOUR_MS) });
    const [first = "", second = ""] = links;
    await made.clock.advance(HOUR_MS - 1);
    expect((await made.get(first)).body).toMatchObject({ can_sign: true, expires_at: after(HOUR_MS) });
    expect((await post(made, `${first}/sign`, signature)).status).toBe(200);
    await made.clock.advance(1);
    expect((await made.get(second)).body).toMatchObject({
      status: "ended",
      can_sign: false,
      end: { kind: "expired", at: after(HOUR_MS), reason: null },
    });
    expect((await post(made, `${second}/sign`, signature)).body).toMatchObject({ code: "document_ended" });
    expect((await post(made, `${second}/reject`, { reason: "no" })).status).toBe(409);
    expect((await post(made, `${first}/sign`, signature)).status).toBe(200);
    expect((await made.send("POST", `/api/v2/documents/${documentId}/cancel`, {})).status).toBe(409);
    expect(await typesOf(made, documentId)).not.toContain("DocumentWithdrawn");
  });
  test("is shown by the request's time zone, or the phone's country's", async () => {
    for (const [fields, time_zone] of [
      [{}, "America/Argentina/Buenos_Aires"],
      [{ time_zone: "Asia/Tokyo" }, "Asia/Tokyo"],
    ] as const) {
      const { links } = await asked(made, { expires_at: after(HOUR_MS), ...fields });
      expect((await made.get(String(links[0]))).body).toMatchObject({ expires_at: after(HOUR_MS), time_zone });
    }
  });
  test("without an end has no field of it", async () => {
    const { links } = await asked(made, { time_zone: "Asia/Tokyo" });
    const fields = Object.keys((await made.get(String(links[0]))).body);
    expect(fields.filter((field) => field === "expires_at" || field === "time_zone")).toEqual([]);
  });
});

describe("changing it", () => {
  test("holds from the answer on, for a document with an end and for one without", async () => {
    for (const fields of [{}, { expires_at: after(HOUR_MS) }]) {
      const { documentId, links } = await asked(made, fields);
      const answer = await change(documentId, { expires_at: after(3 * HOUR_MS) });
      expect([answer.status, answer.body]).toEqual([
        200,
        { id_seguimiento: documentId, expires_at: after(3 * HOUR_MS) },
      ]);
      expect(await change(documentId, { expires_at: after(3 * HOUR_MS) })).toMatchObject({ status: 200 });
      expect((await typesOf(made, documentId)).filter((type) => type === "DocumentExpiryChanged")).toHaveLength(1);
      expect((await made.get(String(links[0]))).body).toMatchObject({ expires_at: after(3 * HOUR_MS) });
    }
  });
  test("is refused from the moment on, and after another end", async () => {
    const { documentId } = await asked(made, { expires_at: after(HOUR_MS) });
    const signed = await asked(made);
    await post(made, `${signed.links[0]}/sign`, signature);
    await made.clock.advance(HOUR_MS);
    for (const id of [documentId, signed.documentId]) {
      for (const hours of [5, -5]) {
        const { status, body } = await change(id, { expires_at: after(hours * HOUR_MS) });
        expect([status, body]).toEqual([409, { error: "El documento ya terminó" }]);
      }
    }
  });
  test("is done a hundred times, then refused", async () => {
    const { documentId } = await asked(made);
    for (let times = 1; times <= 100; times++) await change(documentId, { expires_at: after(times * HOUR_MS) });
    expect(await change(documentId, { expires_at: after(100 * HOUR_MS) })).toMatchObject({ status: 200 });
    const { status, body } = await change(documentId, { expires_at: after(HOUR_MS) });
    expect([status, body]).toEqual([409, { error: "El plazo ya se cambió cien veces" }]);
  });
  test("takes a moment in the future, of the account's own documents", async () => {
    const { documentId } = await asked(made);
    for (const body of [{}, { expires_at: null }, { expires_at: "soon" }, { expires_at: after(0) }]) {
      expect((await change(documentId, body)).status).toBe(400);
    }
    const foreign = await change(documentId, { expires_at: after(HOUR_MS) }, { key: "basic" });
    expect([foreign.status, foreign.body]).toEqual([404, { error: "No se encontró el id de seguimiento" }]);
  });
});

test("of an expiry and a rejection that meet one wins, the other is told, and the stream has one end", async () => {
  const { handlers } = made.dependencies;
  const won = new Set<string>();
  for (let round = 0; round < 20; round++) {
    const until = Date.parse(NOW) + (round + 1) * HOUR_MS;
    const { documentId, links } = await asked(made, { expires_at: new Date(until).toISOString() });
    made.clock.advance(until - made.clock.now() - 1);
    const rejecting = post(made, `${links[0]}/reject`, { reason: "no" });
    // Its moment comes while the rejection is under way, earlier and earlier.
    for (let turn = 0; turn < 20 - round; turn++) await new Promise(setImmediate);
    made.clock.advance(1);
    const ids = { correlationId: "c", causationId: "c" };
    const context = { commandId: `expire-${round}`, accountId: accounts.pro, actor: "service/expiry", ...ids };
    const expiring = handlers.documents.handle(documentId, expireDocument, undefined, context);
    const [{ status }] = await Promise.all([rejecting, expiring]);
    const ends = (await typesOf(made, documentId)).filter((type) => /Completed|Withdrawn|Rejected/.test(type));
    expect(ends).toEqual([status === 200 ? "Rejected" : "DocumentWithdrawn"]);
    expect([200, 409]).toContain(status);
    won.add(ends[0] ?? "");
  }
  expect([...won]).toContain("Rejected");
});

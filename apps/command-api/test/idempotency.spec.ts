import { announceTurn, releaseTurn } from "@rubrica/commands";
import { acceptRequest } from "@rubrica/domain";
import { FileFetchRefused } from "@rubrica/outbound";
import { describe, expect, test } from "vitest";
import { ana, ask, faults, LEGACY, pdf, requestBy, requestedOf, requestOf, V2 } from "./requests.ts";
import { asked } from "./signing.ts";
import { accounts, type World, world } from "./world.ts";

const withKey = (key: string, more: Record<string, string> = {}) => ({ headers: { "idempotency-key": key, ...more } });
const ERASED = { error: "Idempotency-Key was used before, for a document that was erased since" };
const OTHER_BODY = { error: "Idempotency-Key was used before with another body" };

describe("the same key with the same body", () => {
  test("gets the first answer again and makes nothing new", async () => {
    const made = await world();
    const first = await ask(made, requestOf(), withKey("k1"));
    made.clock.advance(60_000);
    const second = await ask(made, requestOf(), withKey("k1"));
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body).toEqual(first.body);
    expect((await ask(made, requestOf())).body.id_seguimiento).not.toBe(first.body.id_seguimiento);
  });

  test("gets the first answer though the turn came meanwhile, and though the document has ended since", async () => {
    const made = await world();
    const { handlers } = made.dependencies;
    const holder = (await ask(made, requestOf())).body.id_seguimiento;
    const first = await ask(made, requestOf(), withKey("k1"));
    const documentId = first.body.id_seguimiento;
    expect(first.body.urls[0]).toMatchObject({ queued: true, queued_behind: holder });
    const context = { accountId: accounts.pro, actor: "test", correlationId: "c", causationId: "c" };
    const signerOf = async (id: string) => {
      const document = await handlers.documents.load(id);
      return document.status === "none" ? "" : (document.signers[0]?.signerId ?? "");
    };
    await releaseTurn(handlers, holder, await signerOf(holder), "signed", { ...context, commandId: "release" });
    await announceTurn(handlers, documentId, await signerOf(documentId), { ...context, commandId: "announce" });
    expect((await made.eventsOf(`document-${documentId}`)).at(-1)?.type).toBe("SignerTurnCame");
    expect((await ask(made, requestOf(), withKey("k1"))).body).toEqual(first.body);
    const link = first.body.urls[0].link.split("/s/")[1];
    await made.send("POST", `/api/signing/${link}/reject`, { reason: "no" });
    expect(await handlers.documents.load(documentId)).toMatchObject({ status: "rejected" });
    expect((await ask(made, requestOf(), withKey("k1"))).body).toEqual(first.body);
  });

  test("is the same request in another order, spelling of the phone, or with fields that are ignored", async () => {
    const made = await world();
    const first = await ask(made, requestOf({ custom_parameters: { a: 1, b: 2 } }), withKey("k1"));
    const { document, datos_firmantes } = requestOf();
    const custom_parameters = { b: 2, a: 1 };
    const again = { other: [1], custom_parameters, datos_firmantes, document };
    expect((await ask(made, again, withKey("k1"))).body).toEqual(first.body);
    const spelled = requestBy({ phone: "5491122334455" }, { custom_parameters });
    expect((await ask(made, spelled, withKey("k1"))).body).toEqual(first.body);
  });

  test("makes one document when it comes many times at once", async () => {
    const made = await world();
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(made, requestOf(), withKey("k1"))));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    const events = await made.eventsOf(`document-${answers[0]?.body.id_seguimiento}`);
    expect(events.map(({ type }) => type)).toEqual(["DocumentRequested", "SignerTurnCame"]);
  });

  test("is answered without looking at the document again", async () => {
    const bytes = Buffer.from(pdf());
    let fetches = 0;
    const fetch = async () => {
      fetches += 1;
      if (fetches > 1) throw new FileFetchRefused("status", "gone");
      return bytes;
    };
    const made = await world({ fetcher: { fetch } });
    const request = requestOf({ document: "https://files.example/lease.pdf" });
    const first = await made.send("POST", LEGACY, request, withKey("k1"));
    const second = await made.send("POST", LEGACY, request, withKey("k1"));
    expect([second.status, second.body, fetches]).toEqual([200, first.body, 1]);
  });
});

describe("the same key with another body", () => {
  test.each([
    ["another signer", requestBy({ name: "Ana Pas" })],
    ["one signer more", requestOf({ datos_firmantes: [ana, ana] })],
    ["a field more", requestOf({ wpp: true })],
    ["other parameters", requestOf({ custom_parameters: { a: 1 } })],
  ])("is a 409: %s", async (_what, other) => {
    const made = await world();
    const first = await ask(made, requestOf(), withKey("k1"));
    const { status, body } = await ask(made, other, withKey("k1"));
    expect([status, body]).toEqual([409, OTHER_BODY]);
    expect((await ask(made, requestOf(), withKey("k1"))).body).toEqual(first.body);
  });

  test("is a 409 for all but one when they come at once", async () => {
    const made = await world();
    const bodies = [1, 2, 3, 4].map((order) => requestOf({ custom_parameters: { order } }));
    const answers = await Promise.all(bodies.map((body) => ask(made, body, withKey("k1"))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });
});

describe("what is kept of a body", () => {
  test("says nothing without the key of its document, whatever else is at hand", async () => {
    const made = await world();
    const documentId = (await ask(made, requestOf(), withKey("k1"))).body.id_seguimiento;
    const cancel = () => made.send("POST", `/api/v2/documents/${documentId}/cancel`, { reason: "Ana" }, withKey("k2"));
    expect((await cancel()).status).toBe(200);
    await made.dependencies.keys.destroy(documentId);
    expect((await cancel()).body).toEqual(ERASED);
    expect((await ask(made, requestOf(), withKey("k1"))).body).toEqual(ERASED);
  });

  test("of former releases, made of SECRET, is still known", async () => {
    const made = await world();
    const { handlers, secrets } = made.dependencies;
    const { documentId } = await asked(made);
    const route = "POST /api/v2/documents/{id_seguimiento}/cancel";
    const { accountId } = (await requestedOf(made, documentId)).data;
    const body = JSON.stringify({ documentId, reason: "late" });
    const bodyHmac = secrets.hmac("request", [body]).toString("hex");
    const command = { route, bodyHmac, resultId: documentId };
    const context = { accountId, actor: "test", correlationId: "c", causationId: "c", commandId: "k" };
    await handlers.requests.handle(
      secrets.lastingId("request", [accountId, route, "k1"]),
      acceptRequest,
      command,
      context,
    );
    const cancel = (reason: string) =>
      made.send("POST", `/api/v2/documents/${documentId}/cancel`, { reason }, withKey("k1"));
    expect((await cancel("other")).body).toEqual(OTHER_BODY);
    expect((await cancel("late")).status).toBe(200);
  });

  test("of an erased document holds nothing up", async () => {
    const made = await world();
    const { documentId } = await asked(made);
    await made.erase(documentId);
    const cancel = await made.send("POST", `/api/v2/documents/${documentId}/cancel`, {}, withKey("k1"));
    expect([cancel.status, cancel.body]).toEqual([409, { error: "El documento ya terminó" }]);
  });
});

describe("a key", () => {
  test("is the account's and the endpoint's own", async () => {
    const made = await world();
    const request = requestOf();
    const answers = [
      await ask(made, request, withKey("k1")),
      await ask(made, request, { ...withKey("k1"), key: "basic" }),
      await made.send("POST", LEGACY, request, withKey("k1")),
      await ask(made, request, withKey("K1")),
    ];
    expect(new Set(answers.map(({ body }) => body.id_seguimiento)).size).toBe(4);
  });

  test("is not used up by a request that was refused", async () => {
    const made = await world();
    expect((await ask(made, requestOf({ wpp: 1 }), withKey("k1"))).status).toBe(400);
    expect((await ask(made, requestOf({ document: "AAAA" }), withKey("k1"))).status).toBe(400);
    expect((await ask(made, requestOf(), withKey("k1"))).status).toBe(200);
  });

  test.each(["k", "a".repeat(255), '"8e03978e-40d5-43e8-bc93-6894a57f9324"', "!~"])("may be %s", async (key) => {
    expect((await ask(await world(), requestOf(), withKey(key))).status).toBe(200);
  });

  test.each([
    ["empty", ""],
    ["of 256 characters", "a".repeat(256)],
    ["of two headers", "a, b"],
    ["of two words", "a b"],
    ["of no ASCII", "clé"],
  ])("may not be %s", async (_what, key) => {
    const { status, body } = await ask(await world(), requestOf(), withKey(key));
    const message = "must be 1 to 255 visible ASCII characters without commas";
    expect([status, body]).toEqual([400, faults(["idempotency-key", message])]);
  });

  test("is kept as nothing that could be read back", async () => {
    const made = await world();
    const { body } = await ask(made, requestOf(), withKey("order-4711"));
    const { accountId } = (await requestedOf(made, body.id_seguimiento)).data;
    const { secrets } = made.dependencies;
    const id = secrets.lastingId("request", [accountId, `POST ${V2}`, "order-4711"]);
    const events = await made.eventsOf(`request-${id}`);
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      [
        "RequestAccepted",
        { route: `POST ${V2}`, bodyHmac: expect.stringMatching(/^[0-9a-f]{64}$/), resultId: body.id_seguimiento },
      ],
    ]);
    expect(JSON.stringify(events, (_name, value) => (typeof value === "bigint" ? String(value) : value))).not.toContain(
      "4711",
    );
  });
});

describe("a request that was cut goes on where it was", () => {
  test.each<[string, (made: World) => () => void]>([
    [
      "before the file was stored",
      ({ dependencies: { files } }) => {
        const { put } = files;
        files.put = () => Promise.reject(new Error("cut"));
        return () => {
          files.put = put;
        };
      },
    ],
    [
      "before the document was requested",
      ({ dependencies: { handlers } }) => {
        const { documents } = handlers;
        const handle = documents.handle.bind(documents);
        documents.handle = () => Promise.reject(new Error("cut"));
        return () => {
          documents.handle = handle;
        };
      },
    ],
    [
      "before the phone was claimed",
      ({ dependencies: { handlers } }) => {
        const { lines } = handlers;
        const handle = lines.handle.bind(lines);
        lines.handle = () => Promise.reject(new Error("cut"));
        return () => {
          lines.handle = handle;
        };
      },
    ],
  ])("cut %s", async (_where, cut) => {
    const made = await world();
    const mend = cut(made);
    expect((await ask(made, requestOf(), withKey("k1"))).status).toBe(500);
    mend();
    const { secrets } = made.dependencies;
    const { body, status } = await ask(made, requestOf(), withKey("k1"));
    expect(status).toBe(200);
    const { accountId } = (await requestedOf(made, body.id_seguimiento)).data;
    const requestId = secrets.lastingId("request", [accountId, `POST ${V2}`, "k1"]);
    const [accepted] = await made.eventsOf(`request-${requestId}`);
    expect(accepted?.data).toMatchObject({ resultId: body.id_seguimiento });
    const events = await made.eventsOf(`document-${body.id_seguimiento}`);
    expect(events.map(({ type }) => type)).toEqual(["DocumentRequested", "SignerTurnCame"]);
    expect((await ask(made, requestOf(), withKey("k1"))).body).toEqual(body);
  });
});

import { bulkDocumentId } from "@rubrica/commands";
import { threadWorkWhile } from "@rubrica/test-kit";
import { textOf } from "@rubrica/test-kit/docx";
import { describe, expect, test } from "vitest";
import { accounts, type World } from "../world.ts";
import { ana, bulkWorld, callOf, fakeConverter, leo, send, template } from "./calls.ts";

const spentOf = async ({ dependencies }: World): Promise<number> => {
  const account = await dependencies.handlers.accounts.load(accounts.pro);
  return account.status === "open" ? 10 - account.balance : Number.NaN;
};

/** The documents that the answer's links lead to. */
const documentsOf = async (made: World, links: readonly { link: string }[]) =>
  Promise.all(
    links.map(async ({ link }) => {
      const token = made.dependencies.tokens.read(link.replace("https://sign.example/s/", ""));
      const document = await made.document(token?.documentId ?? "");
      if (document.status === "none") throw new Error("a link that leads nowhere");
      return document;
    }),
  );

test("the event loop goes on while rows of very many variables are checked, kept and requested", async () => {
  const made = await bulkWorld();
  const variables = Array.from({ length: 6_000 }, (_, at) => [`_${at.toString(36)}`, at % 10]);
  const df = Array.from({ length: 10 }, (_, at) => ({
    ...leo,
    dni: `${at}`,
    msg: `4915112345${100 + at}`,
    ...Object.fromEntries(variables),
  }));
  const body = JSON.stringify(callOf({ df }));
  const { result, longestIterationMs, totalMs } = await threadWorkWhile(() =>
    send(made, body, { headers: { "idempotency-key": "k" } }),
  );
  expect(result.status).toBe(200);
  expect(longestIterationMs).toBeLessThan(totalMs / 8);
});

describe("a bulk call's answer", () => {
  test("has exactly the specified fields, in the order of df", async () => {
    const made = await bulkWorld();
    const { status, body, headers } = await send(made, callOf());
    expect([status, headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
    const link = expect.stringMatching(/^https:\/\/sign\.example\/s\/[\w-]+$/);
    expect(body).toEqual([
      { link, name: "Ana Paz", dni: "30123456", contact: "5491122334455", method: "wpp", id_custom: "A-17" },
      { link, name: "Leo Ruiz", dni: "E12345", contact: "33612345678", method: "wpp", id_custom: "33612345678" },
    ]);
  });

  test.each([
    ["a text", "A-17", "A-17", "A-17"],
    ["a number", 17, 17, "17"],
    ["a number that is not whole", 1.5, 1.5, "1.5"],
    ["nothing", undefined, "5491122334455", "5491122334455"],
    ["null", null, "5491122334455", "5491122334455"],
    ["an empty text", "", "5491122334455", "5491122334455"],
  ])("echoes an id that is %s", async (_what, id, echoed, kept) => {
    const made = await bulkWorld();
    const { body } = await send(made, callOf({ df: [{ ...ana, id }] }));
    expect(body[0].id_custom).toBe(echoed);
    expect((await documentsOf(made, body))[0]?.signers[0]?.person?.idCustom).toBe(kept);
  });

  test("gives links that work at once, and say that the document is being prepared", async () => {
    const made = await bulkWorld();
    const { body } = await send(made, callOf());
    const path = `/api/signing/${body[1].link.replace("https://sign.example/s/", "")}`;
    expect((await made.get(path)).body).toMatchObject({
      signer: { name: "Leo Ruiz" },
      can_sign: false,
      page_count: null,
    });
    expect(await made.get(`${path}/document`)).toMatchObject({
      status: 409,
      body: { error: "The document is being prepared", code: "document_being_prepared" },
    });
  });
});

describe("a bulk call", () => {
  test("asks for a document a signer, and spends a credit each", async () => {
    const made = await bulkWorld();
    const call = callOf({
      request_photos: true,
      webhook_url: "https://hooks.example",
      webhook_key: { "x-key": "k" },
      firmante: { page: 2, position_x: 10, position_y: 20 },
    });
    const [first, second] = await documentsOf(made, (await send(made, call)).body);
    expect(first).toMatchObject({
      status: "preparing",
      channel: "bulk",
      accountId: accounts.pro,
      authentication: "biometric",
      requestPhotos: true,
      validatePhotos: true,
      sendMessages: true,
      texts: {
        documentName: "Rubrica firma document",
        businessName: "Rubrica",
        customParameters: null,
        webhook: { url: "https://hooks.example", headers: { "x-key": "k" } },
        variables: ana,
      },
      signers: [{ placement: { pages: 2, x: 10, y: 20 }, person: { idNumberCountry: "AR" } }],
    });
    expect(second).toMatchObject({ texts: { variables: leo }, signers: [{ person: { idNumberCountry: "FR" } }] });
    expect(await spentOf(made)).toBe(2);
  });

  test("puts the signature on all pages for page 0", async () => {
    const made = await bulkWorld();
    const { body } = await send(made, callOf({ firmante: { page: 0, position_x: 10, position_y: 20 } }));
    const [document] = await documentsOf(made, body);
    expect(document?.signers[0]?.placement).toEqual({ pages: "all", x: 10, y: 20 });
  });

  test("asks for no photos unless it says so, and validates them unless it says no", async () => {
    const made = await bulkWorld();
    const [plain] = await documentsOf(made, (await send(made, callOf())).body);
    expect([plain?.requestPhotos, plain?.authentication]).toEqual([false, "link"]);
    const photos = callOf({ request_photos: true, validate_photos: false });
    const [taken] = await documentsOf(made, (await send(made, photos)).body);
    expect(taken?.authentication).toBe("photos");
  });

  test("takes a template from a public address", async () => {
    const asked: string[] = [];
    const fetcher = {
      fetch: async (url: string) => {
        asked.push(url);
        return template;
      },
    };
    const made = await bulkWorld({ fetcher });
    expect((await send(made, callOf({ document: "https://example.com/contract.docx" }))).status).toBe(200);
    expect(asked).toEqual(["https://example.com/contract.docx"]);
  });

  test("is tried on the first signer's values, all of whose keys are variables", async () => {
    const { converter, converted } = fakeConverter();
    await send(await bulkWorld({ converter }), callOf());
    expect(converted.map((docx) => textOf(docx))).toEqual(["Ana Paz pays $ 1"]);
  });

  test("sends two calls to one account's last credits to one of them", async () => {
    const made = await bulkWorld();
    const rows = (from: number) =>
      Array.from({ length: 6 }, (_, index) => ({ ...leo, dni: `${from + index}`, msg: `4915112345${from + index}` }));
    const answers = await Promise.all([100, 200].map((from) => send(made, callOf({ df: rows(from) }))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429]);
    expect(answers.find(({ status }) => status === 429)?.body).toEqual({ error: "No te quedan firmas disponibles." });
    expect(await spentOf(made)).toBe(6);
  });
});

describe("a repeated bulk call with its Idempotency-Key", () => {
  const headers = { "idempotency-key": "call-1" };

  test("is answered as the first time, and makes nothing", async () => {
    const made = await bulkWorld();
    const body = callOf({ df: [{ ...ana, id: 17 }, leo] });
    const first = await send(made, body, { headers });
    expect(await send(made, body, { headers })).toMatchObject({ status: 200, body: first.body });
    expect(first.body[0].id_custom).toBe(17);
    expect(await spentOf(made)).toBe(2);
  });

  test("and another body is refused", async () => {
    const made = await bulkWorld();
    await send(made, callOf(), { headers });
    expect(await send(made, callOf({ df: [leo] }), { headers })).toMatchObject({
      status: 409,
      body: { error: "Idempotency-Key was used before with another body" },
    });
  });

  test("goes on with what was cut", async () => {
    const made = await bulkWorld();
    const { handlers } = made.dependencies;
    const { handle } = handlers.documents;
    handlers.documents.handle = () => Promise.reject(new Error("cut"));
    expect((await send(made, callOf(), { headers })).status).toBe(500);
    handlers.documents.handle = handle;
    const { status, body } = await send(made, callOf(), { headers });
    expect([status, (await documentsOf(made, body)).map(({ bulk }) => bulk?.row)]).toEqual([200, [0, 1]]);
    expect(await spentOf(made)).toBe(2);
  });

  test("stays refused when it was refused after all", async () => {
    const made = await bulkWorld();
    const { handlers } = made.dependencies;
    const { load } = handlers.accounts;
    // What was looked at before is spent by another call since.
    handlers.accounts.load = async (id) => ({ ...(await load.call(handlers.accounts, id)), balance: 1_000 }) as never;
    const df = Array.from({ length: 11 }, (_, index) => ({ ...leo, dni: `${index}`, msg: `4915112345${100 + index}` }));
    const refused = { status: 429, body: { error: "No te quedan firmas disponibles." } };
    expect(await send(made, callOf({ df }), { headers })).toMatchObject(refused);
    expect(await send(made, callOf({ df }), { headers })).toMatchObject(refused);
    handlers.accounts.load = load;
    expect(await spentOf(made)).toBe(0);
  });
});

test("a row's document is found by the call's id and the row alone", () => {
  const bulkId = accounts.pro;
  expect(bulkDocumentId(bulkId, 0)).toBe(bulkDocumentId(bulkId, 0));
  expect(new Set([0, 1, 2].map((row) => bulkDocumentId(bulkId, row))).size).toBe(3);
});

import { beforeAll, describe, expect, test } from "vitest";
import { ana, ask, leo, pdfOf, recorded, requestBy, requestedOf, requestOf } from "../requests.ts";
import { accounts, NOW_SECONDS, type World, world } from "../world.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let made: World;
beforeAll(async () => {
  made = await world();
});

describe("the answer to a request", () => {
  test("has exactly the specified fields, links in the order of the input", async () => {
    const own = await world();
    const signers = [
      { ...leo, position: "2" },
      { ...ana, position: "1" },
    ];
    const { status, body, headers } = await ask(own, requestOf({ datos_firmantes: signers }));
    expect([status, headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
    const document = await own.document(body.id_seguimiento);
    const { tokens } = own.dependencies;
    const entry = (index: number, fields: object) => ({
      link: `https://sign.example/s/${tokens.make(body.id_seguimiento, index)}`,
      ...fields,
      method: "wpp",
      id_custom: document.status === "none" ? "" : document.signers[index]?.person?.idCustom,
      queued: false,
      queued_behind: null,
    });
    expect(body).toEqual({
      id_seguimiento: expect.stringMatching(UUID),
      created_at: NOW_SECONDS,
      has_queued_signers: false,
      urls: [
        entry(0, { name: "Leo Ruiz", dni: "E12345", contact: "33612345678" }),
        entry(1, { name: "Ana Paz", dni: "30123456", contact: "5491122334455" }),
      ],
    });
    const ids = body.urls.map(({ id_custom }: { id_custom: string }) => id_custom);
    expect(ids).toEqual([expect.stringMatching(UUID), expect.stringMatching(UUID)]);
    expect(new Set([body.id_seguimiento, ...ids]).size).toBe(3);
  });

  test("comes when the document, its file and the first signer's turn are stored", async () => {
    const own = await world();
    const { body } = await ask(own, requestOf());
    const documentId = body.id_seguimiento;
    const events = await own.eventsOf(`document-${documentId}`);
    expect(events.map(({ type }) => type)).toEqual(["DocumentRequested", "SignerTurnCame"]);
    const { data } = await requestedOf(own, documentId);
    const file = await own.dependencies.files.get(documentId, data.file?.sha256 ?? "");
    expect(file.toString("base64")).toBe(pdfOf());
    expect(events[0]?.metadata).toMatchObject({ accountId: accounts.pro, actor: "integrator" });
  });
});

describe("what a request leaves out", () => {
  test("has the specified defaults", async () => {
    const { data, personal } = await recorded(made, requestBy({ dni_country: undefined }));
    expect(data).toMatchObject({
      accountId: accounts.pro,
      channel: "v2",
      campaignId: null,
      pageCount: 1,
      bulk: null,
      authentication: "link",
      requestPhotos: false,
      validatePhotos: false,
      sendMessages: true,
      hasWebhook: false,
      signers: [{ order: 0, placement: { pages: "last", x: 28, y: 742 } }],
    });
    expect(personal).toMatchObject({
      documentName: "Rubrica firma document",
      businessName: "Rubrica",
      messageText: null,
      customParameters: null,
      webhook: null,
      signers: [{ name: "Ana Paz", idNumber: "30123456", idNumberCountry: "AR", phone: "5491122334455", email: null }],
    });
  });

  test("may also be null", async () => {
    const absent = await recorded(made, requestOf({ datos_firmantes: [{ ...ana, dni_country: undefined }] }));
    const optional = [
      "campaign_id",
      "firma_en_todas_las_hojas",
      "document_name",
      "wpp_business_name",
      "request_photos",
      "validate_photos",
      "custom_parameters",
      "webhook_url",
      "webhook_key",
      "wpp",
    ];
    const signer = ["dni_country", "position", "position_x", "position_y", "page"];
    const nulls = (names: string[]) => Object.fromEntries(names.map((name) => [name, null]));
    const given = await recorded(made, requestBy(nulls(signer), nulls(optional)));
    const { documentId: _a, file: _f, signers: _s, ...rest } = given.data;
    expect(absent.data).toMatchObject(rest);
    expect({ ...given.personal, signers: [] }).toEqual({ ...absent.personal, signers: [] });
    expect(given.data.signers[0]?.placement).toEqual(absent.data.signers[0]?.placement);
  });
});

describe("what a request says", () => {
  test("is kept, field by field", async () => {
    const { data, personal } = await recorded(
      made,
      requestOf({
        document: pdfOf([595, 842], [595, 842]),
        document_name: "Contrato de locación",
        wpp_business_name: "ACME & Cía",
        request_photos: true,
        validate_photos: true,
        custom_parameters: { order: 17, nested: { list: [1, "two", null, true] } },
        webhook_url: "https://hooks.example/rubrica?a=1",
        webhook_key: { "X-Secret": "s3cr3t" },
        wpp: true,
        datos_firmantes: [{ ...ana, position: "3", position_x: 10, position_y: 20, page: 1 }],
        something_else: { is: "ignored" },
      }),
    );
    expect(data).toMatchObject({
      pageCount: 2,
      authentication: "biometric",
      requestPhotos: true,
      validatePhotos: true,
      sendMessages: true,
      hasWebhook: true,
      signers: [{ order: 0, placement: { pages: 1, x: 10, y: 20 } }],
    });
    expect(personal).toMatchObject({
      documentName: "Contrato de locación",
      businessName: "ACME & Cía",
      customParameters: { order: 17, nested: { list: [1, "two", null, true] } },
      webhook: { url: "https://hooks.example/rubrica?a=1", headers: { "X-Secret": "s3cr3t" } },
    });
    expect(JSON.stringify([data, personal])).not.toContain("ignored");
  });

  test("takes a name of exactly 50 characters, counted as people count them", async () => {
    const name = "𠮷".repeat(50);
    expect((await recorded(made, requestBy({ name }))).personal.signers[0]?.name).toBe(name);
  });

  test.each([
    ["photos validated on the PRO plan", "pro", { request_photos: true }, "biometric", true],
    ["photos not validated when asked so", "pro", { request_photos: true, validate_photos: false }, "photos", false],
    ["photos taken, not validated, on another plan", "basic", { request_photos: true }, "photos", false],
    ["no photos: nothing to validate", "pro", { validate_photos: true }, "link", false],
  ] as const)("decides how signers prove who they are: %s", async (_what, key, fields, authentication, validated) => {
    const { data } = await recorded(made, requestOf(fields), { key });
    expect([data.authentication, data.validatePhotos]).toEqual([authentication, validated]);
    expect(data.requestPhotos).toBe("request_photos" in fields);
  });

  test.each([
    ["the country that is given", { dni: "20-12345678-6", dni_country: "ar" }, "20123456786", "AR"],
    ["the phone's country", { dni: "30.123.456", dni_country: undefined }, "30123456", "AR"],
    ["a country without rules, whatever the phone", { dni: "x-1.2", dni_country: "BR" }, "X12", "BR"],
    ["a Uruguayan number", { dni: "1.234.567-2", dni_country: "UY" }, "12345672", "UY"],
    ["a Chilean number", { dni: "12.345.678-5", dni_country: "CL" }, "123456785", "CL"],
    ["a Mexican number", { dni: "HEGG560427MVZRRL04", dni_country: "MX" }, "HEGG560427MVZRRL04", "MX"],
  ])("sanitizes ID numbers by %s", async (_what, signer, idNumber, idNumberCountry) => {
    const { personal } = await recorded(made, requestBy(signer));
    expect(personal.signers[0]).toMatchObject({ idNumber, idNumberCountry });
  });

  test("orders signers by position: numbers as numbers, those without one last, then as given", async () => {
    const positions = ["10", undefined, "2", "2", null];
    const { data } = await recorded(
      made,
      requestOf({ datos_firmantes: positions.map((position, index) => ({ ...ana, name: `S${index}`, position })) }),
    );
    expect(data.signers.map(({ order }) => order)).toEqual([2, 3, 0, 1, 4]);
    expect(data.signers.map(({ group }) => group)).toEqual([1, 2, 0, 0, 3]);
  });

  test("without messages, waits on no phone", async () => {
    const own = await world();
    const { body } = await ask(own, requestOf({ wpp: false }));
    const { data } = await requestedOf(own, body.id_seguimiento);
    expect([data.sendMessages, data.signers[0]?.lineId]).toEqual([false, null]);
    expect((await own.eventsOf(`document-${body.id_seguimiento}`)).map(({ type }) => type)).toEqual([
      "DocumentRequested",
    ]);
  });
});

describe("a campaign", () => {
  test("sets what the request leaves out", async () => {
    const { data, personal } = await recorded(made, requestOf({ campaign_id: 1 }));
    expect(data).toMatchObject({ campaignId: 1, requestPhotos: true, validatePhotos: false, authentication: "photos" });
    expect(personal.messageText).toBe("Please sign");
  });

  test("gives way to the request's own fields", async () => {
    const fields = { campaign_id: 1, request_photos: false, validate_photos: true };
    const { data } = await recorded(made, requestOf(fields));
    expect(data).toMatchObject({ campaignId: 1, requestPhotos: false, authentication: "link" });
  });

  test("is of one account only", async () => {
    const { status, body } = await ask(made, requestOf({ campaign_id: 1 }), { key: "basic" });
    expect([status, body.details]).toEqual([400, [{ path: "campaign_id", message: "is no campaign of this account" }]]);
  });
});

describe("the business name that signers see", () => {
  test("is the request's, else the account's, else the service's, as it was at the request", async () => {
    const own = await world();
    const named = async (fields: Record<string, unknown>) =>
      (await recorded(own, requestOf(fields))).personal.businessName;
    expect(await named({})).toBe("Rubrica");
    await own.send("PUT", "/api/account/changeBusinessName", { business_name: "ACME Homes" });
    expect(await named({})).toBe("ACME Homes");
    expect(await named({ wpp_business_name: "ACME South" })).toBe("ACME South");
  });
});

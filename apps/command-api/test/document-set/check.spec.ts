import { beforeAll, describe, expect, test } from "vitest";
import { ana, ask, BAD, faults, faultsIn, pdfOf, requestBy, requestOf } from "../requests.ts";
import { type World, world } from "../world.ts";

let made: World;
beforeAll(async () => {
  made = await world();
});

const HALF = "must not hold half a character: a surrogate without its pair";
const UNSEEN = "must hold something that can be seen";
const TURNED = "must not hold characters that turn the direction of text";
const WRONG_STRING = "Invalid input: expected string, received";
const TOGETHER = "position_x and position_y go together";
const PHONE = "must be a phone number in international format, 8 to 15 digits";
const HEADERS = "must hold HTTP headers that a webhook may carry";

describe("a 400", () => {
  test("is the specified text, and a sibling that names every fault at once by the integrator's path", async () => {
    const { status, body } = await ask(made, {
      campaign_id: 99,
      document: "no Base64!",
      firma_en_todas_las_hojas: "yes",
      document_name: " ",
      wpp_business_name: 7,
      request_photos: 1,
      validate_photos: "no",
      custom_parameters: [],
      webhook_url: "ftp://hooks.example",
      webhook_key: { Host: "a" },
      wpp: "true",
      datos_firmantes: [ana, { name: "", dni: "1", dni_country: 5, phone: "12", position: 1 }, { ...ana, dni: "12" }],
    });
    expect(status).toBe(400);
    expect(body.error).toEqual(BAD);
    expect(Object.keys(body)).toEqual(["error", "details"]);
    expect(Object.keys(faultsIn({ status, body, headers: {} })).sort()).toEqual([
      "campaign_id",
      "custom_parameters",
      "datos_firmantes[1].dni_country",
      "datos_firmantes[1].name",
      "datos_firmantes[1].phone",
      "datos_firmantes[1].position",
      "datos_firmantes[2].dni",
      "document",
      "document_name",
      "firma_en_todas_las_hojas",
      "request_photos",
      "validate_photos",
      "webhook_key",
      "webhook_url",
      "wpp",
      "wpp_business_name",
    ]);
  });

  test("names what is missing", async () => {
    const { status, body } = await ask(made, {});
    expect([status, body]).toEqual([
      400,
      faults(
        ["document", "Invalid input: expected string, received undefined"],
        ["datos_firmantes", "Invalid input: expected array, received undefined"],
      ),
    ]);
    const unsigned = await ask(made, requestOf({ datos_firmantes: [{}] }));
    expect(unsigned.body).toEqual(
      faults(
        ["datos_firmantes[0].name", `${WRONG_STRING} undefined`],
        ["datos_firmantes[0].dni", `${WRONG_STRING} undefined`],
        ["datos_firmantes[0].phone", `${WRONG_STRING} undefined`],
      ),
    );
  });

  test("names faults of the placement and the document beside those of the body", async () => {
    const signers = [
      { ...ana, name: "", page: 2 },
      { ...ana, position_x: 10 },
    ];
    expect(faultsIn(await ask(made, requestOf({ datos_firmantes: signers })))).toEqual({
      "datos_firmantes[0].name": "must not be empty",
      "datos_firmantes[0].page": "must be a page of the document, 1 to 1",
      "datos_firmantes[1].position_y": TOGETHER,
    });
    const broken = requestOf({ document: Buffer.from("%PDF-1.7").toString("base64"), datos_firmantes: [{}] });
    expect(Object.keys(faultsIn(await ask(made, broken)))).toContain("document");
  });

  test("never names a value", async () => {
    const secret = "s3cr3tvalue";
    const { body, headers } = await ask(made, {
      document: secret,
      campaign_id: secret,
      document_name: `${secret}\n`,
      wpp: secret,
      webhook_url: secret,
      webhook_key: { host: secret },
      custom_parameters: secret,
      datos_firmantes: [{ name: `${secret}\t`, dni: `${secret}_!`, dni_country: "AR", phone: secret, page: secret }],
    });
    expect(body.details.length).toBeGreaterThan(8);
    expect(JSON.stringify([body, headers])).not.toContain(secret);
    expect(made.log()).not.toContain(secret);
  });
});

describe("one thing wrong", () => {
  const bad: [what: string, request: Record<string, unknown>, path: string, message: string][] = [
    [
      "51 characters",
      requestBy({ name: "n".repeat(51) }),
      "datos_firmantes[0].name",
      "must have at most 50 characters",
    ],
    ["a name of nothing to be seen", requestBy({ name: "\u3164\u200b" }), "datos_firmantes[0].name", UNSEEN],
    ["a name that is turned", requestBy({ name: "Ana\u202ezaP" }), "datos_firmantes[0].name", TURNED],
    ["a document name that is turned", requestOf({ document_name: "\u2066a" }), "document_name", TURNED],
    ["a document name of nothing to be seen", requestOf({ document_name: "\u2800" }), "document_name", UNSEEN],
    ["a business name that is turned", requestOf({ wpp_business_name: "a\u202d" }), "wpp_business_name", TURNED],
    [
      "a name in a script that no font here has",
      requestBy({ name: "Ana ꦗꦮ 𪚥" }),
      "datos_firmantes[0].name",
      "has characters that can't be printed: ꦗ (U+A997), ꦮ (U+A9AE), 𪚥 (U+2A6A5)",
    ],
    ["a blank name", requestBy({ name: " \u00a0 " }), "datos_firmantes[0].name", "must not be empty"],
    ["a name of two lines", requestBy({ name: "A\nB" }), "datos_firmantes[0].name", "must not hold control characters"],
    ["half a character", requestBy({ name: "A\ud800" }), "datos_firmantes[0].name", HALF],
    ["a name of no text", requestBy({ name: 1 }), "datos_firmantes[0].name", `${WRONG_STRING} number`],
    ["a null name", requestBy({ name: null }), "datos_firmantes[0].name", `${WRONG_STRING} null`],
    ["no ID number", requestBy({ dni: undefined }), "datos_firmantes[0].dni", `${WRONG_STRING} undefined`],
    ["an ID number of separators", requestBy({ dni: ".-" }), "datos_firmantes[0].dni", "is required"],
    [
      "an odd sign in a generic ID number",
      requestBy({ dni: "12/34", dni_country: "BR" }),
      "datos_firmantes[0].dni",
      "may only hold letters, digits, dots and hyphens",
    ],
    ["a phone of 7 digits", requestBy({ phone: "+1234567" }), "datos_firmantes[0].phone", PHONE],
    ["a phone of 16 digits", requestBy({ phone: "1234567890123456" }), "datos_firmantes[0].phone", PHONE],
    ["a phone with letters", requestBy({ phone: "54911ABCDEFGH" }), "datos_firmantes[0].phone", PHONE],
    ["a position that is no text", requestBy({ position: 1 }), "datos_firmantes[0].position", `${WRONG_STRING} number`],
    [
      "no signers",
      requestOf({ datos_firmantes: [] }),
      "datos_firmantes",
      "Too small: expected array to have >=1 items",
    ],
    [
      "51 signers",
      requestOf({ datos_firmantes: Array.from({ length: 51 }, () => ana) }),
      "datos_firmantes",
      "must have at most 50 signers",
    ],
    ["another's campaign", requestOf({ campaign_id: 2 }), "campaign_id", "is no campaign of this account"],
    [
      "a document name of 201 characters",
      requestOf({ document_name: "n".repeat(201) }),
      "document_name",
      "must have at most 200 characters",
    ],
    [
      "a business name of 201 characters",
      requestOf({ wpp_business_name: "n".repeat(201) }),
      "wpp_business_name",
      "must have at most 200 characters",
    ],
    [
      "parameters of more than 64 KB",
      requestOf({ custom_parameters: { a: "x".repeat(65_536) } }),
      "custom_parameters",
      "must have at most 65536 bytes as JSON",
    ],
    [
      "parameters of very many entries",
      requestOf({ custom_parameters: Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [at, 1])) }),
      "custom_parameters",
      "must have at most 65536 bytes as JSON",
    ],
    ["a webhook without a host", requestOf({ webhook_url: "https://" }), "webhook_url", "must be an http or https URL"],
    [
      "a webhook of a script",
      requestOf({ webhook_url: "javascript:1" }),
      "webhook_url",
      "must be an http or https URL",
    ],
    [
      "a webhook of 2,001 characters",
      requestOf({ webhook_url: `https://hooks.example/${"a".repeat(1_979)}` }),
      "webhook_url",
      "must have at most 2000 characters",
    ],
    [
      "a webhook header of another type",
      requestOf({ webhook_key: { a: 1 } }),
      "webhook_key.a",
      `${WRONG_STRING} number`,
    ],
    ...["Host", "Content-Type", "content-length", "Connection", "Transfer-Encoding", "TE", "webhook-id", "Proxy-X"].map(
      (name): [string, Record<string, unknown>, string, string] => [
        `a webhook header ${name}`,
        requestOf({ webhook_key: { [name]: "v" } }),
        "webhook_key",
        HEADERS,
      ],
    ),
    ["a webhook header of no name", requestOf({ webhook_key: { "": "v" } }), "webhook_key", HEADERS],
    ["a webhook header with a space", requestOf({ webhook_key: { "a b": "v" } }), "webhook_key", HEADERS],
    ["a webhook header of two lines", requestOf({ webhook_key: { a: "v\r\nb: c" } }), "webhook_key", HEADERS],
    ["a webhook header that no HTTP holds", requestOf({ webhook_key: { a: "李" } }), "webhook_key", HEADERS],
    ["one webhook header twice", requestOf({ webhook_key: { "X-A": "1", "x-a": "2" } }), "webhook_key", HEADERS],
    [
      "11 webhook headers",
      requestOf({ webhook_key: Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`x-${at}`, "v"])) }),
      "webhook_key",
      "must have at most 10 entries",
    ],
  ];

  test.each([[[]], ["Ana"], [null], [7]])("is a signer that is none: %j", async (signer) => {
    const answer = await ask(made, requestOf({ datos_firmantes: [ana, signer] }));
    expect([answer.status, Object.keys(faultsIn(answer))]).toEqual([400, ["datos_firmantes[1]"]]);
  });

  test.each(bad)("is the only fault: %s", async (_what, request, path, message) => {
    const { status, body } = await ask(made, request);
    expect([status, body]).toEqual([400, faults([path, message])]);
  });
});

describe("the ID number's country decides", () => {
  test.each([
    ["an Argentine number of 6 digits", { dni: "123456", dni_country: "AR" }],
    ["the same by the phone's country", { dni: "123456", dni_country: undefined }],
    ["a CUIT with a wrong check digit", { dni: "20-12345678-9", dni_country: "AR" }],
    ["a Uruguayan number with a wrong check digit", { dni: "1.234.567-1", dni_country: "UY" }],
    ["a Chilean number with a wrong check digit", { dni: "12.345.678-4", dni_country: "CL" }],
    ["a Mexican number with a wrong check digit", { dni: "HEGG560427MVZRRL05", dni_country: "MX" }],
  ])("refuses %s", async (_what, signer) => {
    const answer = await ask(made, requestBy(signer));
    expect([answer.status, Object.keys(faultsIn(answer))]).toEqual([400, ["datos_firmantes[0].dni"]]);
  });

  test("is looked at even where the signer's name is missing", async () => {
    const answer = await ask(made, requestBy({ name: undefined, dni: "123456" }));
    expect(Object.keys(faultsIn(answer))).toEqual(["datos_firmantes[0].name", "datos_firmantes[0].dni"]);
  });
});

describe("custom parameters", () => {
  const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  const withParameters = (json: string) => JSON.stringify(requestOf()).replace(/}$/, `,"custom_parameters":${json}}`);

  test("may be nested 32 deep", async () => {
    expect((await ask(made, withParameters(nested(32)))).status).toBe(200);
  });

  test.each([
    [33, 32],
    [100_000, 64],
  ])("may not be nested %d deep", async (depth, most) => {
    const { status, body } = await ask(made, withParameters(nested(depth)));
    expect([status, body]).toEqual([400, faults(["custom_parameters", `must not be nested deeper than ${most}`])]);
  });

  test("may not hold numbers that are none in JSON", async () => {
    const { status, body } = await ask(made, withParameters('{"a":[1e999]}'));
    expect([status, body]).toEqual([400, faults(["custom_parameters", "must hold finite numbers"])]);
  });

  test.each(['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{}}}'])(
    "may not reach for prototypes: %s",
    async (json) => {
      const { status, body } = await ask(made, withParameters(json));
      expect([status, body]).toEqual([400, faults(["", "the body is not valid JSON"])]);
    },
  );
});

describe("a body that is no request", () => {
  test.each([
    ["broken JSON", `{"document": "${pdfOf()}"`, "the body is not valid JSON"],
    ["nothing", "", "the body is empty"],
    ["null", "null", "Invalid input: expected object, received null"],
    ["a list", "[1]", "Invalid input: expected object, received array"],
    ["a text", '"document"', "Invalid input: expected object, received string"],
  ])("gets the endpoint's own 400: %s", async (_what, payload, message) => {
    const { status, body } = await ask(made, payload);
    expect([status, body]).toEqual([400, faults(["", message])]);
  });

  test.each(["text/plain", "application/xml", "multipart/form-data; boundary=x"])(
    "gets the endpoint's own 400: %s",
    async (type) => {
      const { status, body } = await ask(made, requestOf(), { headers: { "content-type": type } });
      expect([status, body]).toEqual([400, faults(["", "Content-Type must be application/json"])]);
    },
  );

  test("gets its 400 though it is nested as deep as a body can be", async () => {
    const deep = `{"datos_firmantes":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`;
    expect((await ask(made, deep)).status).toBe(400);
  });

  test("gets one fault for a list of very many, not one for each", async () => {
    const webhook_key = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [at, at]));
    const { status, body } = await ask(made, requestOf({ webhook_key }));
    expect([status, body]).toEqual([400, faults(["webhook_key", "must have at most 10 entries"])]);
  });

  test("gets its 400 soon though it names a million signers", async () => {
    const crowd = (size: number) => `{"document":"","datos_firmantes":[${"{},".repeat(size)}{}]}`;
    const { status, body } = await ask(made, crowd(30_000));
    expect([status, body]).toEqual([400, faults(["datos_firmantes", "must have at most 50 signers"])]);
    const larger = await ask(made, crowd(1_000_000));
    const message = "the body must hold at most 75536 values";
    expect([larger.status, larger.body]).toEqual([400, faults(["datos_firmantes", message])]);
  });
});

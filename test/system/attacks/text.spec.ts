import { brotliCompressSync, gzipSync } from "node:zlib";
import { samplePdf, sampleSigner } from "@rubrica/test-kit";
import { beforeAll, describe, expect, test } from "vitest";
import { joinArena } from "./support/arena.ts";
import { type Answered, send } from "./support/requests.ts";
import { freshChance } from "./support/seed.ts";

const UNKNOWN_LINK = `/api/signing/${"A".repeat(47)}`;

const chance = freshChance("text");
const arena = joinArena();
let document: string;

beforeAll(async () => {
  document = (await samplePdf()).toString("base64");
});

interface Raw {
  path?: string;
  headers?: Readonly<Record<string, string>>;
}

const post = (body: string | Buffer, { path = "/api/v2/documentSet", headers = {} }: Raw = {}): Promise<Answered> =>
  send(arena.service.url, {
    path,
    headers: { "content-type": "application/json", "x-api-key": arena.apiKey, ...headers },
    body,
  });

const requestWith = (signer: object, fields: object = {}) =>
  JSON.stringify({ document, datos_firmantes: [{ ...sampleSigner(chance.below(900_000)), ...signer }], ...fields });

const halves = ["\\ud800", "\\udfff", "\\udc00\\ud800", "a\\ud83d"];
const keyed = { headers: { "idempotency-key": `key-${chance.below(1_000_000)}` } };

describe("half a character anywhere in a body with an Idempotency-Key is no fault of the service", () => {
  test.each([
    ["a name", (half: string) => `{"datos_firmantes":[{"name":"${half}"}]}`],
    ["a key", (half: string) => `{"${half}":1}`],
    ["an unknown field", (half: string) => requestWith({}).replace("{", `{"z":"${half}",`)],
    [
      "an integrator's parameters",
      (half: string) => requestWith({}).replace("{", `{"custom_parameters":{"a":"${half}"},`),
    ],
    ["a document's name", (half: string) => requestWith({}).replace("{", `{"document_name":"${half}",`)],
  ])("in %s", async (_where, make) => {
    for (const half of halves) {
      for (const path of ["/api/v2/documentSet", "/api/documentSet", "/api/sendCargaMasiva"]) {
        const { status } = await post(make(half), { path, ...keyed });
        expect([200, 400, 409]).toContain(status);
      }
    }
  });
});

const OVERRIDES = [0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069];
const INVISIBLE = [
  "\u200b",
  "\u200b\u200c\u200d",
  "\u2060\ufeff",
  "\u00ad",
  "\u3164",
  "\u2800",
  "\u{e0041}",
  "\u034f",
  "\u115f",
  "\u00a0\u2003",
];

describe("a text that shows something else than it says is a 400", () => {
  test("names with what turns the direction around", async () => {
    for (const code of OVERRIDES) {
      const odd = `Ana ${String.fromCodePoint(code)}Paz`;
      expect((await post(requestWith({ name: odd }))).status, code.toString(16)).toBe(400);
      expect((await post(requestWith({}, { document_name: odd }))).status, code.toString(16)).toBe(400);
      expect((await post(requestWith({}, { wpp_business_name: odd }))).status, code.toString(16)).toBe(400);
    }
  });

  test("names of nothing that is seen", async () => {
    for (const name of INVISIBLE) {
      const codes = [...name].map((character) => character.codePointAt(0)?.toString(16)).join(" ");
      expect((await post(requestWith({ name }))).status, codes).toBe(400);
    }
  });

  test("names that need what is invisible are taken as they are", async () => {
    for (const name of [
      "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
      "\u0915\u094d\u200d\u0937",
      "Ana \u{1F469}\u200d\u{1F4BB}",
    ]) {
      expect((await post(requestWith({ name }))).status).toBe(200);
    }
  });
});

describe("bytes that are not what they are said to be", () => {
  test("are a 400 when they are no UTF-8, wherever they lie", async () => {
    const [before, after] = requestWith({ name: "Ana @ Paz" }).split("@");
    const broken = [
      Buffer.of(0xff),
      Buffer.of(0xc3, 0x28),
      Buffer.of(0xed, 0xa0, 0x80),
      Buffer.of(0xf4, 0x90, 0x80, 0x80),
      Buffer.of(0xc0, 0xaf),
      Buffer.of(0xe2, 0x82),
    ];
    for (const bytes of broken) {
      const body = Buffer.concat([Buffer.from(before ?? ""), bytes, Buffer.from(after ?? "")]);
      expect((await post(body)).status, bytes.toString("hex")).toBe(400);
    }
  });

  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", (bytes: Buffer) => bytes],
    ["x-unknown", (bytes: Buffer) => bytes],
  ])("are a 415 when they are encoded as %s", async (encoding, encode) => {
    const body = encode(Buffer.from(requestWith({})));
    expect((await post(body, { headers: { "content-encoding": encoding } })).status).toBe(415);
  });

  test.each(["utf-16", "iso-8859-1", "utf-7", "x-unknown"])("are a 415 when their charset is %s", async (charset) => {
    const headers = { "content-type": `application/json; charset=${charset}` };
    expect((await post(requestWith({}), { headers })).status).toBe(415);
  });

  test("are read as before when they are said to be UTF-8", async () => {
    for (const charset of ["utf-8", "UTF-8", '"utf-8"']) {
      const headers = { "content-type": `application/json; charset=${charset}` };
      expect((await post(requestWith({}), { headers })).status, charset).toBe(200);
    }
    const identity = await post(requestWith({}), { headers: { "content-encoding": "identity" } });
    expect(identity.status).toBe(200);
  });
});

test("a link that there is not is a 404 before its body is looked at", async () => {
  for (const body of ["{broken", "[]", "{}", Buffer.of(0xff)]) {
    for (const action of ["sign", "reject", "opened"]) {
      expect((await post(body, { path: `${UNKNOWN_LINK}/${action}` })).status).toBe(404);
    }
  }
});

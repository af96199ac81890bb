import { samplePdf } from "@rubrica/test-kit";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { contract } from "../../support/bulk.ts";
import { joinArena, type OpenLink } from "./support/arena.ts";
import { expectBoundedGrowth } from "./support/growth.ts";
import { jsonShapes } from "./support/jsons.ts";
import { type Answered, addressOf, isRefusal, send } from "./support/requests.ts";
import { freshChance, scale } from "./support/seed.ts";

const MEGABYTE = 1_048_576;
const MOST_PARTS = 2_000_000;

const chance = freshChance("JSON");
const arena = joinArena();
let link: OpenLink;
let document: string;
let address = 0;

beforeAll(async () => {
  document = (await samplePdf()).toString("base64");
});
beforeEach(async () => {
  link = await arena.link();
});

const json = { "content-type": "application/json" };
const post = (path: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Answered> => {
  address += 1;
  const from = addressOf(address);
  return send(arena.service.url, { path, headers: { ...json, ...headers }, body, from });
};
const withKey = (path: string, body: string) => post(path, body, { "x-api-key": arena.apiKey });

const rename = (body: string) => {
  address += 1;
  const headers = { ...json, "x-api-key": arena.apiKey };
  const path = "/api/account/changeBusinessName";
  return send(arena.service.url, { method: "PUT", path, headers, body, from: addressOf(address) });
};

const signer = '{"name":"Ana Paz","dni":"30123456","dni_country":"AR","phone":"5491140000001"}';
const request = (fields: string) =>
  withKey("/api/v2/documentSet", `{"document":"${document}","datos_firmantes":[${signer}],"wpp":false${fields}}`);
const bulkOf = (rows: string, fields = "") =>
  withKey(
    "/api/sendCargaMasiva",
    `{"document_type":"docx","document":"${contract.toString("base64")}","firmante":{"page":0,"position_x":60,"position_y":650}` +
      `,"df":[${rows}]${fields}}`,
  );
const bulk = (fields: string, row = "") =>
  bulkOf(`{"nombre y apellido":"Ana Paz","dni":"30123456","msg":"5491140000001"${row}}`, fields);

/** Where a value can stand in what is sent. */
const places: Readonly<Record<string, (value: string) => Promise<Answered>>> = {
  "beside a good request": (value) => request(`,"z":${value}`),
  "an integrator's own parameters": (value) => request(`,"custom_parameters":${value}`),
  "the headers of a webhook": (value) => request(`,"webhook_key":${value}`),
  "the signers": (value) => withKey("/api/v2/documentSet", `{"document":"${document}","datos_firmantes":${value}}`),
  "the document": (value) => withKey("/api/v2/documentSet", `{"document":${value},"datos_firmantes":[${signer}]}`),
  "the legacy request": (value) =>
    withKey("/api/documentSet", `{"document":"${document}","datos_firmantes":[${signer}],"z":${value}}`),
  "beside a good bulk call": (value) => bulk(`,"z":${value}`),
  "a row's variables": (value) => bulk("", `,"v":${value}`),
  "the whole body": (value) => withKey("/api/v2/documentSet", value),
  "a business name": (value) => rename(`{"business_name":${value}}`),
  "a signature": (value) => post(`${link.signing}/sign`, `{"garabato":${value}}`),
  "a reason to reject": (value) => post(`${link.signing}/reject`, `{"reason":${value},"z":${value}}`),
};

describe("a body as large as a body may be", () => {
  const ofMegabytes = (megabytes: number, part: string): string =>
    Array.from({ length: Math.floor((megabytes * MEGABYTE) / (part.length + 1)) }, () => part).join(",");

  test.each([
    ["empty objects", "{}"],
    ["empty arrays", "[]"],
    ["texts", '""'],
  ])("of %s beside a good request holds up nobody", async (what, part) => {
    const body = `,"z":[${ofMegabytes(26, part)}]`;
    const answer = await arena.attack(`26 MB of ${what}`, () => request(body));
    expect(answer.status === 200 || isRefusal(answer), `${answer.status}`).toBe(true);
  });

  test("of the variables of 34 signers is taken, within the memory that the service has", async () => {
    const variables = Array.from({ length: 11_000 }, (_, index) => `"v${index}":${index % 10}`).join(",");
    const rows = Array.from(
      { length: 34 },
      (_, row) =>
        `{"nombre y apellido":"Ana","dni":"${30_000_000 + row}","msg":"${5_491_140_000_000 + row}",${variables}}`,
    );
    const answer = await arena.attack("a bulk call of 4 MB of variables", () => bulkOf(rows.join(",")));
    expect(answer.status).toBe(200);
  });

  test("to a signer's routes holds up nobody, whether there is such a link or not", async () => {
    const body = `{"z":[${ofMegabytes(1.9, "{}")}]}`;
    const unknown = `/api/signing/${"A".repeat(47)}`;
    const answers = await arena.attack("40 bodies of 2 MB to signers' routes", () =>
      Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          post(`${index % 4 === 0 ? link.signing : unknown}/${index % 2 === 0 ? "sign" : "reject"}`, body),
        ),
      ),
    );
    // A connection may be cut when the rest of its body is not wanted.
    for (const answer of answers) expect(answer.status === 0 || isRefusal(answer), `${answer.status}`).toBe(true);
  });
});

const all = Object.entries(jsonShapes).flatMap(([shape, value]) =>
  Object.entries(places).map(([place, put]) => ({ what: `${shape} as ${place}`, value, put })),
);

test.each(chance.some(all, 8 * scale))(
  "$what: twice as much costs at most 2.5 times as much",
  async ({ what, value, put }) => {
    await expectBoundedGrowth(arena, { what, from: 10_000, to: MOST_PARTS, send: (size) => put(value(size)) });
  },
);

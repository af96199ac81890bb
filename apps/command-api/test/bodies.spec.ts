import { beforeAll, describe, expect, test } from "vitest";
import { BULK, ana as bulkAna, bulkWorld, callOf } from "./bulk/calls.ts";
import { ana, faults, LEGACY, pdfOf, requestBy, requestOf, V2 } from "./requests.ts";
import { asked, post, signature } from "./signing.ts";
import type { World } from "./world.ts";

const HALF = "must not hold half a character: a surrogate without its pair";
const NOT_UTF8 = "the body is not valid UTF-8";
const half = "a\ud800";

let made: World;
beforeAll(async () => {
  made = await bulkWorld();
});
const keyed = { headers: { "idempotency-key": "k" } };

describe("half a character is a 400 that says where, with an Idempotency-Key, too", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["a name", requestBy({ name: half }), "datos_firmantes[0].name"],
    ["parameters", requestOf({ custom_parameters: { a: [{ b: half }] } }), "custom_parameters.a[0].b"],
    ["the name of a parameter", requestOf({ custom_parameters: { [half]: 1 } }), "custom_parameters"],
    ["a webhook header", requestOf({ webhook_key: { a: half } }), "webhook_key.a"],
    ["a field that is ignored", requestOf({ other: half }), "other"],
    ["a short document", requestOf({ document: half }), "document"],
    ["a long document", requestOf({ document: pdfOf().repeat(9) + half }), "document"],
  ])("in a document request's %s", async (_what, body, path) => {
    for (const url of [V2, LEGACY]) {
      const answer = await made.send("POST", url, body, keyed);
      expect([answer.status, answer.body]).toEqual([400, faults([path, HALF])]);
    }
  });

  test("in a bulk call's variables", async () => {
    const body = callOf({ df: [bulkAna, { ...bulkAna, dni: "1", msg: "4915112345678", cuota: half }] });
    const answer = await made.send("POST", BULK, body, keyed);
    const details = [{ path: "df[1].cuota", message: HALF }];
    expect([answer.status, answer.body]).toEqual([400, { error: `df[1].cuota ${HALF}`, details }]);
  });

  test("in a business name", async () => {
    const { status, body } = await made.send("PUT", "/api/account/changeBusinessName", { business_name: half });
    const details = [{ path: "business_name", message: HALF }];
    expect([status, body]).toEqual([400, { message: "Invalid request: business_name is required", details }]);
  });

  test("in what a signer sends", async () => {
    const [link = ""] = (await asked(made, { datos_firmantes: [ana] })).links;
    for (const [url, body, path] of [
      [`${link}/reject`, { reason: half }, "reason"],
      [`${link}/sign`, { ...signature, time_zone: half }, "time_zone"],
    ] as const) {
      const answer = await post(made, url, body);
      const details = [{ path, message: HALF }];
      expect([answer.status, answer.body]).toEqual([400, { error: "Bad Request", details }]);
    }
  });
});

describe("bytes that are no UTF-8 are the endpoint's own 400", () => {
  const body = Buffer.from('{"business_name":"José","reason":"Sí"}', "latin1");
  test.each([
    ["POST", V2, faults(["", NOT_UTF8])],
    ["POST", BULK, { error: NOT_UTF8, details: [{ path: "", message: NOT_UTF8 }] }],
    [
      "PUT",
      "/api/account/changeBusinessName",
      { message: "Invalid request: business_name is required", details: [{ path: "", message: NOT_UTF8 }] },
    ],
  ] as const)("%s %s", async (method, url, expected) => {
    const answer = await made.send(method, url, body);
    expect([answer.status, answer.body]).toEqual([400, expected]);
  });
});

describe("a body that is encoded is a 415 in the endpoint's shape, after the key was looked at", () => {
  const headers = { "content-encoding": "gzip" };
  const text = "Content-Encoding is not supported: send the body as it is";
  test.each([
    ["POST", V2, { error: text }],
    ["POST", BULK, { error: text }],
    ["PUT", "/api/account/changeBusinessName", { message: text }],
  ] as const)("%s %s", async (method, url, expected) => {
    const answer = await made.send(method, url, "x", { headers });
    expect([answer.status, answer.body]).toEqual([415, expected]);
    expect((await made.send(method, url, "x", { headers, key: null })).status).toBe(401);
  });

  test("a photo, too", async () => {
    const [link = ""] = (await asked(made, { request_photos: true })).links;
    const options = { key: null, headers: { ...headers, "content-type": "image/png" } };
    const { status, body } = await made.send("POST", `${link}/photos/selfie`, "x", options);
    expect([status, body]).toEqual([415, { error: text }]);
  });
});

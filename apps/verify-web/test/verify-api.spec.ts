import { HelpersBusy } from "@rubrica/helpers";
import type { HttpServer } from "@rubrica/http";
import { afterEach, describe, expect, test } from "vitest";
import { app, type GivenApp, proof, seal, valid } from "./given.ts";

let server: HttpServer;
afterEach(() => server.close());

const given = async (dependencies?: GivenApp) => {
  server = await app(dependencies);
};
/** Sends a file; the request begins at once, whether or not it is awaited. */
const post = async (
  payload: Buffer | string = Buffer.from("%PDF-"),
  { type = "application/pdf", from = "192.0.2.1" } = {},
) => {
  const headers = { "content-type": type };
  return await server.inject({ method: "POST", url: "/api/verify", headers, payload, remoteAddress: from });
};
const noFile = { error: "Send the PDF itself as the body, with Content-Type application/pdf" };
const busy = { error: "Too many files are being checked; try again later" };

describe("POST /api/verify", () => {
  test("answers what was found, and nothing of the document but what its file has", async () => {
    await given();
    const answer = await post();
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      verdict: "valid",
      signatures: [
        {
          kind: "signature",
          intact: true,
          of_this_service: true,
          sealed_as: { kind: "document", id: "0198c1c5-2f2b-7cc0-9d52-1f0f5a4b7c11" },
          signed_by: "CN=Rubrica seal, O=Rubrica",
          claimed_at: "2026-11-21T15:09:41.000Z",
          timestamped_at: null,
          timestamped_by: null,
          changes_after: "none",
        },
        { kind: "document_timestamp", of_this_service: false, sealed_as: null },
      ],
    });
    expect(answer.json().document).toEqual({
      id_seguimiento: "0198c1c5-2f2b-7cc0-9d52-1f0f5a4b7c11",
      sealed_at: "2026-11-21T15:09:41.120Z",
      level: "B-LTA",
      chain_intact: true,
      demo: false,
      simulated: { messages: false, identity: null },
      own_authority: false,
    });
  });

  test("tells by whose word the time is proven, and what the certificate was worth then", async () => {
    await given({ verifier: { verify: async () => ({ ...valid, signatures: [{ ...seal, proof }] }) } });
    const answer = (await post()).json();
    expect(answer).toMatchObject({ checked_at: "2026-11-22T09:00:00.000Z", file_bytes: 100 });
    expect(answer.signatures[0]).toMatchObject({
      time: {
        proven_by: "signature_timestamp",
        at: "2026-11-21T15:09:42.000Z",
        authority: "CN=Time, O=Clocks",
        trusted: true,
        authority_status: "good",
      },
      certificate: {
        status: "good",
        judged_at: "2026-11-22T00:00:00.000Z",
        valid_until: "2031-01-01T00:00:00.000Z",
        revoked_at: null,
      },
      covered_bytes: 100,
    });
  });

  test("gives the same as a PDF to who asks for that first, and JSON to all others", async () => {
    const asked: unknown[] = [];
    const pdf = async (...wanted: unknown[]) => {
      asked.push(wanted);
      return Buffer.from("%PDF-2.0 result");
    };
    await given({ results: { pdf } });
    const from = (accept: string) =>
      server.inject({
        method: "POST",
        url: "/api/verify",
        headers: { "content-type": "application/pdf", accept },
        payload: Buffer.from("%PDF-"),
        remoteAddress: "192.0.2.1",
      });
    const answer = await from("application/pdf, */*;q=0.1");
    expect([answer.statusCode, answer.body, answer.headers["content-type"]]).toEqual([
      200,
      "%PDF-2.0 result",
      "application/pdf",
    ]);
    expect(answer.headers).toMatchObject({
      vary: "accept",
      "content-disposition": 'attachment; filename="verificacion-5f5f5f5f5f5f.pdf"',
    });
    expect(asked).toEqual([[valid, expect.any(String)]]);
    for (const accept of ["*/*", "application/json, application/pdf", "application/pdfx"])
      expect((await from(accept)).json()).toMatchObject({ verdict: "valid" });
    expect(asked).toHaveLength(1);
  });

  test("has what sets results be busy, and counts a PDF as any other file", async () => {
    await given({ results: { pdf: () => Promise.reject(new HelpersBusy("busy")) }, gate: { perMinute: 1 } });
    const headers = { "content-type": "application/pdf", accept: "application/pdf" };
    const ask = () => server.inject({ method: "POST", url: "/api/verify", headers, payload: Buffer.from("%PDF-") });
    const answer = await ask();
    expect([answer.statusCode, answer.headers["retry-after"], answer.json()]).toEqual([503, "5", busy]);
    expect((await ask()).statusCode).toBe(429);
  });

  test("gives the very bytes that came to the verifier", async () => {
    const seen: Uint8Array[] = [];
    const verify = async (bytes: Uint8Array) => {
      seen.push(bytes);
      return valid;
    };
    await given({ verifier: { verify } });
    const bytes = Buffer.from([0, 255, 13, 10, 128]);
    await post(bytes, { type: "application/octet-stream" });
    expect(seen).toEqual([bytes]);
  });

  test("takes a time that there is not, and names of any length, from a file", async () => {
    const certificate = { subject: "x".repeat(100_000), issuer: "y", sha256: "ab".repeat(32) };
    const signatures = [{ ...seal, certificate, claimedAt: Number.MAX_SAFE_INTEGER }];
    await given({ verifier: { verify: async () => ({ ...valid, signatures }) } });
    const [signature] = (await post()).json().signatures;
    expect([signature.claimed_at, signature.signed_by.length]).toEqual([null, 500]);
  });

  test("refuses what is no file: another type, nothing, too much", async () => {
    await given();
    const json = await post("{}", { type: "application/json" });
    const nothing = await post(Buffer.alloc(0));
    expect([json.statusCode, json.json()]).toEqual([400, noFile]);
    expect([nothing.statusCode, nothing.json()]).toEqual([400, noFile]);
    const large = await post(Buffer.alloc(1_001));
    expect([large.statusCode, large.json()]).toEqual([413, { error: "Request body is larger than 1000 bytes" }]);
  });

  test("lets an address send so many a minute, whole networks being one, and others still", async () => {
    await given({ gate: { perMinute: 2 } });
    const from = "2001:db8:1:2::5";
    expect([(await post(undefined, { from })).statusCode, (await post(undefined, { from })).statusCode]).toEqual([
      200, 200,
    ]);
    const third = await post(undefined, { from: "2001:db8:1:2:3:4:5:6" });
    expect([third.statusCode, Number(third.headers["retry-after"])]).toEqual([429, expect.any(Number)]);
    expect((await post(undefined, { from: "2001:db8:1:3::5" })).statusCode).toBe(200);
  });

  test("checks so many at once, of one address and of all, and goes on when they are done", async () => {
    const ends: (() => void)[] = [];
    const verify = () => new Promise<typeof valid>((resolve) => ends.push(() => resolve(valid)));
    await given({ verifier: { verify }, gate: { atOnce: 2, atOnceOfOne: 1 } });
    const [first, ofOne, second, ofAll] = ["192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.3"].map((from) =>
      post(undefined, { from }),
    );
    for (const refused of [await ofOne, await ofAll])
      expect([refused?.statusCode, refused?.headers["retry-after"], refused?.json()]).toEqual([503, "5", busy]);
    await expect.poll(() => ends.length).toBe(2);
    for (const end of ends) end();
    expect([(await first)?.statusCode, (await second)?.statusCode]).toEqual([200, 200]);
    const next = post();
    await expect.poll(() => ends.length).toBe(3);
    ends[2]?.();
    expect((await next).statusCode).toBe(200);
  });

  test("asks to come back when the engine is busy, and does not tell what else went wrong", async () => {
    await given({ verifier: { verify: () => Promise.reject(new HelpersBusy("busy")) } });
    const answer = await post();
    expect([answer.statusCode, answer.headers["retry-after"], answer.json()]).toEqual([503, "5", busy]);
    await server.close();
    await given({ verifier: { verify: () => Promise.reject(new Error("secret")) } });
    const failed = await post();
    expect([failed.statusCode, failed.json()]).toEqual([500, { error: "Internal Server Error" }]);
  });
});

test("GET /verify is a page that may load nothing but its own parts", async () => {
  await given();
  const page = await server.inject("/verify");
  expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(page.headers["content-security-policy"]).toMatch(
    /^default-src 'none'; style-src 'sha256-.+script-src 'sha256-/,
  );
  expect(page.body).toContain("Verificar un documento");
});

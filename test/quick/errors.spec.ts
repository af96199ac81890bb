import { issueApiKey, openAccount } from "@rubrica/domain";
import { derivedId } from "@rubrica/events";
import { apiKeySha256 } from "@rubrica/secrets";
import {
  type Answer,
  HANGING_MS,
  type RubricaClient,
  rubricaClient,
  sampleDrawing,
  samplePdf,
  sampleSigner,
} from "@rubrica/test-kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nestingBomb, objectStreamBomb } from "../support/bombs.ts";
import { inspect } from "../support/inspection.ts";
import { serviceInProcess, type TestService } from "../support/service.ts";

// Every text stands here as the contract has it, not by a constant of the code: one character changed fails a test.

const UNKNOWN_UUID = "019aa5c0-0000-7000-8000-00000000ffff";

let service: TestService;
let client: RubricaClient;
let pdf: Buffer;
let pending: string;
let link: string;

beforeAll(async () => {
  service = await serviceInProcess();
  client = service.client;
  pdf = await samplePdf();
  const document = await client.requestDocument(pdf, [sampleSigner(1)]);
  pending = document.id_seguimiento;
  link = new URL(document.urls[0]?.link ?? "").pathname.replace("/s/", "/api/signing/");
});
afterAll(() => service[Symbol.asyncDispose]());

/** Status, type and body, to the letter. */
const exact = ({ status, headers, text }: Answer) => ({ status, type: headers.get("content-type"), text });
const json = (status: number, text: string) => ({ status, type: "application/json; charset=utf-8", text });

const guarded = [
  ["POST", "/api/v2/documentSet"],
  ["GET", `/api/v2/signatureStatus/${UNKNOWN_UUID}`],
  ["GET", `/api/v2/documents/${UNKNOWN_UUID}`],
  ["GET", `/api/v2/signers/${UNKNOWN_UUID}/metadata`],
  ["GET", `/api/v2/signers/${UNKNOWN_UUID}/photos/x/selfie/1`],
  ["GET", `/api/eventLogs/${UNKNOWN_UUID}`],
] as const;

describe("without a valid key", () => {
  test.each(guarded)("%s %s is a 401", async (method, path) => {
    const body = method === "POST" ? {} : undefined;
    const unauthorized = json(401, '{"error":"Unauthorized"}');
    for (const key of ["", "wrong", "x".repeat(5_000)]) {
      expect(exact(await client.send(method, path, body, { "x-api-key": key }))).toEqual(unauthorized);
    }
    const response = await fetch(service.url + path, { method });
    expect(response.status).toBe(401);
    expect(await response.text()).toBe('{"error":"Unauthorized"}');
  });

  test("the key is asked for before the body is read", async () => {
    const answer = await client.send("POST", "/api/v2/documentSet", "{broken", { "x-api-key": "wrong" });
    expect(exact(answer)).toEqual(json(401, '{"error":"Unauthorized"}'));
  });
});

const ids = [
  ["a UUID", UNKNOWN_UUID],
  ["a text", "no-such-id"],
  ["an odd text", "%C3%B1%2F..%00"],
  ["a long text", "x".repeat(1_000)],
] as const;

describe.each(ids)("%s that is nobody's id is a 404", (_name, id) => {
  test.each([
    ["status", `/api/v2/signatureStatus/${id}`, '{"error":"No se encontró el id de seguimiento"}'],
    ["signed document", `/api/v2/documents/${id}`, '{"error":"No se encontró el id de seguimiento"}'],
    ["metadata", `/api/v2/signers/${id}/metadata`, '{"error":"No se encontró el id de seguimiento"}'],
    ["event log", `/api/eventLogs/${id}`, '{"error":"Document not found"}'],
  ])("%s", async (_what, path, text) => {
    expect(exact(await client.read(path))).toEqual(json(404, text));
  });
});

test("a document that is not signed yet has no file: a 404 that says so", async () => {
  const answer = await client.read(`/api/v2/documents/${pending}`);
  expect(exact(answer)).toEqual(json(404, '{"error":"No se encontró el archivo"}'));
});

test("another account's document is answered for exactly as an unknown one, headers included", async () => {
  const key = "another-account-key";
  const accountId = derivedId("another-account");
  await using inspection = await inspect(service.dataDir);
  const { accounts } = inspection.engines.handlers;
  const context = { commandId: accountId, accountId, actor: "operator", correlationId: "test", causationId: "test" };
  await accounts.handle(accountId, openAccount, { accountId, name: "Another", plan: "pro" }, context);
  const issued = { keyId: derivedId("another-key"), keySha256: apiKeySha256(key) };
  await accounts.handle(accountId, issueApiKey, issued, { ...context, commandId: `${accountId}/key` });
  const stranger = rubricaClient({ url: service.url, apiKey: key });
  const whole = (answer: Answer) => {
    const { date: _, "x-request-id": __, ...headers } = Object.fromEntries(answer.headers);
    return { status: answer.status, headers, text: answer.text };
  };
  for (const path of ["/api/v2/signatureStatus/", "/api/v2/documents/", "/api/eventLogs/"]) {
    const foreign = whole(await stranger.read(path + pending));
    expect(foreign.status).toBe(404);
    expect(foreign).toEqual(whole(await stranger.read(path + UNKNOWN_UUID)));
  }
  expect(whole(await stranger.read(`/api/v2/signers/${pending}/metadata`))).toEqual(
    whole(await stranger.read(`/api/v2/signers/${UNKNOWN_UUID}/metadata`)),
  );
});

/** A 400 of a document request: the specified text alone in `error`, and beside it what is wrong where, by path. */
const expectBadRequest = (answer: Answer, details: unknown[]): void => {
  expect(answer.status).toBe(400);
  expect(answer.text.startsWith('{"error":["Missing data or error information"],"details":[')).toBe(true);
  const body = answer.json<{ details: { path: string }[] }>();
  body.details.sort((a, b) => (a.path < b.path ? -1 : 1));
  expect(body).toEqual({ error: ["Missing data or error information"], details });
};
const fault = (path: string, message: unknown = expect.any(String)) => ({ path, message });

describe("a document request that can't be taken is a 400", () => {
  const post = (body: unknown, headers?: Record<string, string>) =>
    client.send("POST", "/api/v2/documentSet", body, headers);

  test("with nothing in it: what is missing is named", async () => {
    expectBadRequest(await post({}), [fault("datos_firmantes"), fault("document")]);
  });

  test("with many faults: all are named at once by their path, none by its value", async () => {
    const signer = { name: "x".repeat(51), dni: "SECRET-VALUE", dni_country: "AR", phone: "SECRET-PHONE", page: 0 };
    const answer = await post({ document: "****", datos_firmantes: [sampleSigner(1), signer], wpp: "SECRET-WPP" });
    const { details } = answer.json<{ details: { path: string }[] }>();
    const paths = ["datos_firmantes[1].name", "datos_firmantes[1].page", "datos_firmantes[1].phone", "document", "wpp"];
    expect(details.map(({ path }) => path).toSorted()).toEqual(paths);
    expect(answer.text).not.toContain("SECRET");
  });

  test("an ID number against its country's rules", async () => {
    const answer = await client.postDocument(pdf, [sampleSigner(1, { dni: "12.345.678-9", dni_country: "UY" })]);
    expectBadRequest(answer, [fault("datos_firmantes[0].dni")]);
  });

  test("broken JSON, an empty body, and a list", async () => {
    expectBadRequest(await post('{"document": '), [fault("", "the body is not valid JSON")]);
    expectBadRequest(await post(""), [fault("", "the body is empty")]);
    expectBadRequest(await post("[]"), [fault("")]);
  });

  test("another content type", async () => {
    const details = [fault("", "Content-Type must be application/json")];
    expectBadRequest(await post("a=b", { "content-type": "application/x-www-form-urlencoded" }), details);
    expectBadRequest(await post("{}", { "content-type": "text/plain" }), details);
  });

  test("no PDF, a broken one, an encrypted one", async () => {
    expectBadRequest(await client.postDocument(Buffer.from("Hello"), [sampleSigner(1)]), [
      fault("document", "The document is not a PDF."),
    ]);
    expectBadRequest(await client.postDocument(pdf.subarray(0, 300), [sampleSigner(1)]), [
      fault("document", "The document is a broken PDF: it can't be read in full."),
    ]);
  });
});

test("a body of 33 MB is a 413 that says how much is allowed; so is a document over the limit", async () => {
  const tooLarge = await client.postDocument(Buffer.alloc(24_500_000), [sampleSigner(1)]);
  expect(exact(tooLarge)).toEqual(json(413, '{"error":"Request body is larger than 32505856 bytes"}'));
  const document = await client.postDocument(Buffer.alloc(20 * 1_048_576 + 1), [sampleSigner(1)]);
  expect(exact(document)).toEqual(json(413, '{"error":"The document is larger than 20971520 bytes"}'));
});

describe("a signing link", () => {
  test("that is none is a 404, whatever is asked of it", async () => {
    for (const token of ["x", "A".repeat(47), `${link.split("/").at(-1)}A`]) {
      for (const [method, what] of [
        ["GET", ""],
        ["GET", "/document"],
        ["GET", "/signed"],
        ["POST", "/opened"],
      ] as const) {
        const answer = await client.send(method, `/api/signing/${token}${what}`);
        expect(exact(answer)).toEqual(json(404, '{"error":"Unknown signing link","code":"unknown_link"}'));
      }
    }
  });

  test("takes no drawing that is none, and nothing for another document than the one shown", async () => {
    const overview = (await client.read(link)).json<{ document_sha256: string; consent: { version: string } }>();
    const body = { consent_version: overview.consent.version, document_sha256: overview.document_sha256 };
    const nothing = await client.send("POST", `${link}/sign`, { ...body, garabato: "data:image/png;base64,AAAA" });
    expect(nothing.status).toBe(400);
    expect(nothing.json()).toMatchObject({ details: [fault("garabato")] });
    const other = await client.send("POST", `${link}/sign`, {
      ...body,
      garabato: sampleDrawing,
      document_sha256: "0".repeat(64),
    });
    expect(other.status).toBe(409);
    expect(await client.status(pending)).toEqual({ is_finished: false, signed_at: null });
  });
});

test("an address that there is not is a 404", async () => {
  expect(exact(await client.send("GET", "/api/v3/anything"))).toEqual(json(404, '{"error":"Not found"}'));
});

describe("while what is bad is being worked on, /livez answers", () => {
  /** Asks /livez again and again until the answer has come; every time it must be there. Tells how many times it was. */
  const livezDuring = async (work: Promise<unknown>): Promise<number> => {
    let over = false;
    const end = () => {
      over = true;
    };
    work.then(end, end);
    let answered = 0;
    while (!over) {
      const response = await fetch(`${service.url}/livez`, { signal: AbortSignal.timeout(HANGING_MS) });
      expect(response.status).toBe(200);
      expect(await response.text()).toBe('{"status":"ok"}');
      answered += 1;
    }
    return answered;
  };

  test.each([
    ["an object stream that inflates to 2 GB", objectStreamBomb],
    ["arrays nested a million deep", nestingBomb],
  ])("a PDF bomb: %s", async (_name, bomb) => {
    const posted = client.postDocument(bomb(), [sampleSigner(1)]);
    // In order, not in time: the loop is free while a worker chews on it.
    expect(await livezDuring(posted)).toBeGreaterThanOrEqual(2);
    expectBadRequest(await posted, [
      fault("document", expect.stringMatching(/^The document is (too complex|a broken PDF): /)),
    ]);
  });

  test("bodies of 40 MB, and of broken JSON, all at once", async () => {
    const body = Buffer.alloc(40_000_000, " ");
    const requests = Promise.all([
      ...Array.from({ length: 4 }, () => client.send("POST", "/api/v2/documentSet", body)),
      ...Array.from({ length: 20 }, () => client.send("POST", "/api/v2/documentSet", '{"a":'.repeat(100_000))),
    ]);
    await livezDuring(requests);
    expect((await requests).map(({ status }) => status)).toEqual([413, 413, 413, 413, ...Array(20).fill(400)]);
  });
});

test("after all of it the service still takes a document", async () => {
  const document = await client.requestDocument(pdf, [sampleSigner(9)]);
  expect(await client.status(document.id_seguimiento)).toEqual({ is_finished: false, signed_at: null });
});

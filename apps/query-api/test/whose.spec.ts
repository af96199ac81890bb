import { sample } from "@rubrica/events";
import { describe, expect, test } from "vitest";
import { accounts, request, type World, world } from "./world.ts";

const { documentId, otherDocumentId } = sample;
const unknownId = "019aa5c0-0000-7000-8000-0000000000ff";

const endpoints = [
  (id: string) => `/api/v2/signatureStatus/${id}`,
  (id: string) => `/api/eventLogs/${id}`,
  (id: string) => `/api/v2/signers/${id}/metadata`,
  (id: string) => `/api/v2/documents/${id}`,
  (id: string) => `/api/v2/documents/${id}/sent`,
  (id: string) => `/api/v2/reporte/${id}`,
  (id: string) => `/api/v2/signers/${id}/photos/c1/selfie/1`,
].map((path) => [path(":id"), path] as const);

/** A finished document of `own`, sealed, with a photo. */
const finished = (): World => {
  const made = world();
  request(made, documentId, "c1", { sentFile: made.file(documentId, "%PDF sent", "application/pdf") });
  made.history.add("SelfieUploaded", { data: { file: made.file(documentId, "photo", "image/jpeg") } });
  made.history.add("DocumentSigned");
  made.history.add("DocumentCompleted");
  made.history.add("DocumentSealed", { data: { file: made.file(documentId, "%PDF", "application/pdf") } });
  return made;
};

/** All of an answer but what differs from one request to the next. */
const answerOf = async (made: World, url: string, account: "own" | "mate" | "foreign") => {
  const { statusCode, headers, rawPayload } = await made.get(url, account);
  const { "x-request-id": _id, date: _date, ...rest } = headers;
  return { statusCode, headers: rest, body: rawPayload.toString("latin1") };
};

describe.each(endpoints)("%s", (_name, path) => {
  test.each([documentId, "c1"])("answers the account and its team, by %s", async (id) => {
    const made = finished();
    const own = await answerOf(made, path(id), "own");
    expect(own.statusCode).toBe(200);
    expect(await answerOf(made, path(id), "mate")).toEqual(own);
  });

  test.each([documentId, "c1"])("answers a stranger as if %s were unknown, byte for byte", async (id) => {
    const made = finished();
    const unknown = await answerOf(made, path(unknownId), "foreign");
    expect(unknown.statusCode).toBe(404);
    expect(await answerOf(made, path(id), "foreign")).toEqual(unknown);
    made.project();
    expect(await answerOf(made, path(id), "foreign")).toEqual(unknown);
  });

  test("lets a stranger wait as for an unknown id, projected or not", async () => {
    const waitsFor = async (id: string, projected: boolean) => {
      const made = finished();
      made.state.stopped = ["documents", "event-log", "custom-ids"];
      if (projected) made.project();
      await made.get(path(id), "foreign");
      return made.waits;
    };
    for (const projected of [true, false]) {
      const unknown = await waitsFor(unknownId, projected);
      expect(unknown).toHaveLength(projected ? 0 : 1);
      expect(await waitsFor(documentId, projected)).toEqual(unknown);
    }
  });

  test.each([
    "x".repeat(257),
    "x".repeat(10_000),
    "%00",
    "%ff%fe",
    "%",
    "..%2f..%2fetc%2fpasswd",
    "'%20OR%201=1--",
    "%24ne",
    "__proto__",
    "constructor",
    "%F0%9F%98%80",
    documentId.toUpperCase(),
  ])("answers a hostile id as an unknown one", async (id) => {
    const made = finished();
    expect(await answerOf(made, path(id), "own")).toEqual(await answerOf(made, path(unknownId), "own"));
  });

  test("answers nobody without a key", async () => {
    const response = await finished().app.inject(path(documentId));
    expect([response.statusCode, response.body]).toEqual([401, '{"error":"Unauthorized"}']);
  });
});

describe("an integrator's id", () => {
  const statusUrl = "/api/eventLogs/7";
  const whose = async (made: World, account: "own" | "mate" | "foreign") =>
    (await made.get(statusUrl, account)).json().id_seguimiento;

  test("means the newest of the account's own documents", async () => {
    const made = world();
    request(made, documentId, "7");
    request(made, otherDocumentId, "7", { signerId: sample.keyId });
    made.history.add("DocumentSigned");
    expect(await whose(made, "own")).toBe(otherDocumentId);
  });

  test("means the account's own before the team's newer one", async () => {
    const made = world();
    request(made, documentId, "7", { account: "own" });
    request(made, otherDocumentId, "7", { account: "mate" });
    expect([await whose(made, "own"), await whose(made, "mate")]).toEqual([documentId, otherDocumentId]);
  });

  test("means the team's when the account has none, and nothing to strangers", async () => {
    const made = world();
    request(made, otherDocumentId, "7", { account: "mate" });
    expect([await whose(made, "own"), await whose(made, "foreign")]).toEqual([otherDocumentId, undefined]);
  });

  test("that looks like another account's document is not it", async () => {
    const made = world();
    request(made, documentId, "c1", { account: "foreign" });
    request(made, otherDocumentId, documentId, { account: "own" });
    expect((await made.get(`/api/eventLogs/${documentId}`, "own")).json().id_seguimiento).toBe(otherDocumentId);
  });

  test("is at most 256 characters long", async () => {
    const made = world();
    request(made, documentId, "x".repeat(256));
    request(made, otherDocumentId, "x".repeat(257), { signerId: sample.keyId });
    const statusCodes = await Promise.all(
      [256, 257].map(async (length) => (await made.get(`/api/eventLogs/${"x".repeat(length)}`)).statusCode),
    );
    expect(statusCodes).toEqual([200, 404]);
  });

  test("that names another account's record is nobody's", async () => {
    const made = world();
    request(made, documentId, "7", { account: "own" });
    const url = `/api/eventLogs/${encodeURIComponent(`${accounts.own}/7`)}`;
    expect((await made.get(url, "foreign")).statusCode).toBe(404);
  });
});

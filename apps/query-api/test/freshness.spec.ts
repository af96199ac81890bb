import { sample } from "@rubrica/events";
import { describe, expect, test } from "vitest";
import { type AccountName, request, type World, world } from "./world.ts";

const { documentId, otherDocumentId } = sample;
const status = (id: string) => `/api/v2/signatureStatus/${id}`;

describe("a reader sees every command that was answered before", () => {
  test("waits until the projection has the document's last event", async () => {
    const made = world();
    request(made, documentId, "c1");
    made.history.add("DocumentSigned");
    const last = made.history.add("DocumentCompleted");
    request(made, otherDocumentId, "c2");
    expect((await made.get(status(documentId))).json().is_finished).toBe(true);
    expect(made.waits).toEqual([["documents", last.position]]);
  });

  test("does not wait for a document that is up to date, though others are not", async () => {
    const made = world();
    request(made, documentId, "c1");
    made.project();
    request(made, otherDocumentId, "c2");
    expect((await made.get(status(documentId))).statusCode).toBe(200);
    expect(made.waits).toEqual([]);
  });

  test("waits again when the document went on", async () => {
    const made = world();
    request(made, documentId, "c1");
    made.project();
    made.history.add("DocumentSigned");
    const last = made.history.add("DocumentCompleted");
    expect((await made.get(status(documentId))).json().is_finished).toBe(true);
    expect(made.waits).toEqual([["documents", last.position]]);
  });

  test("of what events leave as it is, takes a record that is older than its document", async () => {
    const made = world();
    request(made, documentId, "c1");
    made.history.add("SigningPageOpened");
    const path = `/api/v2/documents/${documentId}/webhooks`;
    expect((await made.get(path)).json()).toEqual({ id_seguimiento: documentId, webhooks: [] });
    made.history.add("SigningPageOpened");
    made.state.stopped = ["webhooks"];
    expect((await made.get(path)).statusCode).toBe(503);
  });

  test("waits for the store's last event when the id is no document's", async () => {
    const made = world();
    request(made, documentId, "c1");
    const last = made.history.add("DocumentSigned");
    expect((await made.get(status("c1"))).json().is_finished).toBe(true);
    expect(made.waits).toEqual([["custom-ids", last.position]]);
  });

  test("waits for nothing in an empty store", async () => {
    const made = world();
    expect((await made.get(status(documentId))).statusCode).toBe(404);
    expect(made.waits).toEqual([]);
  });
});

const own = [
  (id: string) => `/api/v2/signatureStatus/${id}`,
  (id: string) => `/api/v2/signers/${id}/metadata`,
  (id: string) => `/api/v2/documents/${id}`,
  (id: string) => `/api/v2/reporte/${id}`,
  (id: string) => `/api/v2/signers/${id}/photos/c1/selfie/1`,
];

describe("a reader is told to come again, where an answer would leave out what was answered before", () => {
  const notYet = { error: "What was written is not ready to be read yet; try again shortly" };
  const answerTo = async (made: World, url: string, account: AccountName = "own") => {
    const { statusCode, headers, body } = await made.get(url, account);
    return { statusCode, retryAfter: headers["retry-after"], body: JSON.parse(body) };
  };
  const comeAgain = { statusCode: 503, retryAfter: "2", body: notYet };

  test.each(own)("a document that is there and not projected", async (path) => {
    const made = world();
    request(made, documentId, "c1");
    made.state.stopped = ["documents"];
    for (const account of ["own", "mate"] as const)
      for (const id of [documentId, "c1"]) expect(await answerTo(made, path(id), account)).toEqual(comeAgain);
    const unknown = await answerTo(made, path(otherDocumentId), "foreign");
    expect(unknown.statusCode).toBe(404);
    expect(await answerTo(made, path(documentId), "foreign")).toEqual(unknown);
  });

  test.each(own)("a document that went on since it was projected", async (path) => {
    const made = world();
    request(made, documentId, "c1");
    made.project();
    made.history.add("DocumentSigned");
    made.state.stopped = ["documents"];
    for (const id of [documentId, "c1"]) expect(await answerTo(made, path(id))).toEqual(comeAgain);
  });

  test("an event log, which does not wait for other projections, nor they for it", async () => {
    const made = world();
    request(made, documentId, "c1");
    made.state.stopped = ["event-log"];
    expect(await answerTo(made, `/api/eventLogs/${documentId}`)).toEqual(comeAgain);
    expect((await answerTo(made, status(documentId))).statusCode).toBe(200);
    made.state.stopped = ["documents", "obligations"];
    expect((await answerTo(made, `/api/eventLogs/${documentId}`)).statusCode).toBe(200);
  });

  test.each(["own", "mate", "foreign"] as const)("whatever an integrator's id may mean: %s", async (account) => {
    const made = world();
    request(made, documentId, "c1");
    made.project();
    request(made, otherDocumentId, "c2");
    made.state.stopped = ["custom-ids"];
    // "c1" may be the newest document's by now.
    for (const id of ["c1", "c2", "never", "019aa5c0-0000-7000-8000-0000000000ff"])
      for (const path of [...own, (id: string) => `/api/eventLogs/${id}`])
        expect(await answerTo(made, path(id), account)).toEqual(comeAgain);
  });

  test.each([
    [61_001, "62"],
    [1_000_000, "300"],
  ])("where it is known to take %i ms, in %s s", async (leftMs, retryAfter) => {
    const made = world();
    request(made, documentId, "c1");
    Object.assign(made.state, {
      stopped: ["documents", "custom-ids", "webhooks", "listed-documents", "analytics"],
      leftMs,
    });
    const span = "from=2026-11-20T00:00:00Z&to=2026-11-22T00:00:00Z";
    const paths = [status("c1"), status(documentId), "/api/v2/documents", `/api/v2/analytics/funnel?${span}`];
    for (const path of paths) expect(await answerTo(made, path)).toEqual({ ...comeAgain, retryAfter });
  });

  test("but by its own id a document is there, however far behind integrators' ids are", async () => {
    const made = world();
    request(made, documentId, "c1");
    made.state.stopped = ["custom-ids"];
    expect((await answerTo(made, status(documentId))).statusCode).toBe(200);
  });
});

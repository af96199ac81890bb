import { sample } from "@rubrica/events";
import { describe, expect, test } from "vitest";
import { request, world } from "./world.ts";

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
    expect(made.waits).toEqual([last.position]);
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
    expect(made.waits).toEqual([last.position]);
  });

  test("waits for the store's head when the id is no document's", async () => {
    const made = world();
    request(made, documentId, "c1");
    const last = made.history.add("DocumentSigned");
    expect((await made.get(status("c1"))).json().is_finished).toBe(true);
    expect(made.waits).toEqual([last.position]);
  });

  test("gets what there is when the projection does not come in time", async () => {
    const made = world();
    request(made, documentId, "c1");
    made.project();
    made.history.add("DocumentCompleted");
    made.state.stuck = true;
    expect((await made.get(status(documentId))).json()).toEqual({ is_finished: false, signed_at: null });
    request(made, otherDocumentId, "c2");
    expect((await made.get(status(otherDocumentId))).statusCode).toBe(404);
  });

  test("waits for nothing in an empty store", async () => {
    const made = world();
    expect((await made.get(status(documentId))).statusCode).toBe(404);
    expect(made.waits).toEqual([]);
  });
});
